import type { AppNumber, Store } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { DEFAULT_TENANT_ID } from '../tenants/address.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { tenants } from '../tenants/records.ts';

/** The public tenant of an app, for work without a request; undefined once the app is deleted. */
export async function publicTenantOf(store: Store, directory: TenantDirectory, app: AppNumber): Promise<Tenant | undefined> {
  const [one] = await store.read((reader) => reader.list(tenants, 'byNumber', { prefix: [app], limit: 1 }));
  const found = one && (await directory.find({ cud: one.cud, appId: one.appId, tenantId: DEFAULT_TENANT_ID }));
  // The app may have been removed and made again under another number.
  return found?.app === app ? found : undefined;
}
