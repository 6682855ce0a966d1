import { keyTimes, verifiableKeys } from '../../recipes/signing-keys/key-life.ts';
import { isDynamic, keysOf, signingKeys } from '../../recipes/signing-keys/records.ts';
import { DEFAULT_TENANT_ID } from '../../recipes/tenants/address.ts';
import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { numberIn, wordIn } from './layout.ts';
import type { Pass, ReadStorage } from './pass.ts';

/** A key of the old core, by the app that it belongs to. */
interface OldKey {
  readonly appId: string;
  readonly kid: string;
}

/**
 * Looks whether every key of the old core is there to be published.
 * @returns what should be known of apps whose keys are all taken for too old
 * @throws MigrateFault where one is missing
 */
export async function verifyKeys(
  store: Store,
  { storages, tenants }: Pick<Pass, 'storages' | 'tenants'>,
  now: number,
): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const storage of storages)
    for (const [appId, kidsThere] of byApp(await oldKeys(storage))) {
      const home = tenants.find(
        ({ facts, storage: { label } }) => facts.appId === appId && facts.tenantId === DEFAULT_TENANT_ID && label === storage.label,
      );
      // Nobody can reach the app, or its keys are elsewhere.
      if (!home) continue;
      const stored = await store.read((reader) => reader.list(signingKeys, undefined, keysOf(home.app)));
      const kids = new Set(stored.map(({ kid }) => kid));
      const missing = kidsThere.find((kid) => !kids.has(kid));
      if (missing !== undefined)
        throw new MigrateFault(`The signing key ${missing} of the app ${appId} is not in the store: this is a fault of ours`);
      const dynamic = stored.filter(({ kid }) => isDynamic(kid));
      const living = verifiableKeys(dynamic, keyTimes(home.config, false), now);
      if (dynamic.length > 0 && living.length === 0)
        remarks.push(
          `No dynamic key of the app ${appId} is young enough to verify tokens by this configuration: is it that of the old core?`,
        );
    }
  return remarks;
}

function byApp(keys: readonly OldKey[]): ReadonlyMap<string, readonly string[]> {
  const apps = new Map<string, string[]>();
  for (const { appId, kid } of keys) apps.set(appId, [...(apps.get(appId) ?? []), kid]);
  return apps;
}

async function oldKeys({ database, layout }: ReadStorage): Promise<readonly OldKey[]> {
  const [dynamic, fixed] = [layout.tables.get('session_access_token_signing_keys'), layout.tables.get('jwt_signing_keys')];
  const found: OldKey[] = [];
  if (dynamic)
    for (const row of await database.rows(`SELECT coalesce(app_id, 'public') AS app_id, created_at_time FROM ${dynamic.sql}`)) {
      found.push({ appId: wordIn(row, 'app_id'), kid: `d-${numberIn(row, 'created_at_time') ?? 0}` });
    }
  if (fixed)
    for (const row of await database.rows(`SELECT coalesce(app_id, 'public') AS app_id, key_id FROM ${fixed.sql}`))
      found.push({ appId: wordIn(row, 'app_id'), kid: wordIn(row, 'key_id') });
  return found;
}
