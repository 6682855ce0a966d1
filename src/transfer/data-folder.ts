import { type Config, loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import type { Tenant } from '../recipes/tenants/tenant.ts';
import type { TenantDirectory } from '../recipes/tenants/directory.ts';
import { DirectoryCache } from '../recipes/tenants/directory-cache.ts';
import { ensureBaseTenant } from '../recipes/tenants/ensure-base-tenant.ts';
import { DEFAULT_APP_ID, DEFAULT_TENANT_ID } from '../recipes/tenants/address.ts';
import { isStored, openStore } from '../store/open-store.ts';
import { planFolder } from '../store/plan.ts';
import type { Store } from '../store/store.ts';
import { refuseUnfinishedMove } from './migrate/unfinished.ts';
import { ImportFault } from './outcome.ts';

/** Which app of which folder. */
export interface AppPlace {
  readonly dataDir: string;
  /** YAML file with options, as for `start`. */
  readonly configFile: string | undefined;
  readonly appId: string | undefined;
  readonly connectionUriDomain: string | undefined;
}

/** An app in an open data folder. */
export interface OpenApp {
  readonly store: Store;
  readonly directory: TenantDirectory;
  readonly config: Config;
  /** The app's public tenant. */
  readonly tenant: Tenant;
  readonly close: () => Promise<void>;
}

/**
 * Opens a data folder, beside servers that may use it too.
 * @param purpose an import may make a new folder; an export reads everything in order, and may read ahead
 * @throws ImportFault, ConfigError
 */
export async function openApp(
  { dataDir, configFile, appId, connectionUriDomain }: AppPlace,
  purpose: 'import' | 'export',
): Promise<OpenApp> {
  const argv = ['--data-dir', dataDir, ...(configFile === undefined ? [] : ['--config', configFile])];
  const { config } = loadConfig({ argv, env: environment(), cwd: process.cwd(), serves: false });
  const plan = planFolder(config.data_dir, purpose === 'export');
  if (purpose === 'export' && !(await isStored(plan))) throw new ImportFault(`There is no store in ${config.data_dir}.`);
  const store = await openStore(plan);
  try {
    await refuseUnfinishedMove(store);
    await ensureBaseTenant(store);
    const generation = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const directory = new DirectoryCache({ store, base: config, generation });
    const address = {
      cud: connectionUriDomain?.toLowerCase() ?? '',
      appId: appId?.toLowerCase() ?? DEFAULT_APP_ID,
      tenantId: DEFAULT_TENANT_ID,
    };
    const tenant = await directory.find(address);
    const where = address.cud === '' ? '' : ` of the connection URI domain ${address.cud}`;
    if (!tenant) throw new ImportFault(`There is no app ${address.appId}${where} in ${config.data_dir}.`);
    // Sees within a second what servers change meanwhile.
    const stopPolling = directory.startPolling(() => undefined);
    const close = async (): Promise<void> => {
      stopPolling();
      await store.close();
    };
    return { store, directory, config, tenant, close };
  } catch (error) {
    await store.close();
    throw error;
  }
}
