import { keyTimes } from '../../recipes/signing-keys/key-life.ts';
import { publishedKeys } from '../../recipes/signing-keys/key-set.ts';
import { isDynamic, keysOf, signingKeys } from '../../recipes/signing-keys/records.ts';
import { keySetAt } from '../../recipes/signing-keys/signing-keys.ts';
import { publicKeyFromSpki } from '../../crypto/rs256.ts';
import { DEFAULT_TENANT_ID } from '../../recipes/tenants/address.ts';
import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { KEY_TABLES, pairIn } from './groups/keys.ts';
import { numberIn, wordIn } from './layout.ts';
import type { Pass, ReadStorage } from './pass.ts';
import type { MovedTenant } from './write-tenants.ts';

/** A key of the old core. */
interface OldKey {
  readonly table: string;
  readonly createdAt: number;
  /** Its RSA modulus, as key sets show it. */
  readonly modulus: string;
}

const DYNAMIC = 'session_access_token_signing_keys';
const STATIC = 'jwt_signing_keys';

/**
 * Looks whether every key by which tokens of the old core verify is published here: asks what answers
 * `/.well-known/jwks.json`, for every app.
 * @param now ms since the epoch
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
    for (const [appId, keys] of await oldKeys(storage)) {
      const home = tenants.find(
        ({ facts, storage: { label } }) => facts.appId === appId && facts.tenantId === DEFAULT_TENANT_ID && label === storage.label,
      );
      // Nobody can reach the app, or its keys are elsewhere.
      if (home) remarks.push(...(await verifyApp(store, home, keys, now)));
    }
  return remarks;
}

async function verifyApp(
  store: Store,
  { app, config, facts: { appId } }: MovedTenant,
  keys: readonly OldKey[],
  now: number,
): Promise<string[]> {
  const times = keyTimes(config, false);
  const stored = await store.read((reader) => reader.list(signingKeys, undefined, keysOf(app)));
  const published = publishedKeys(keySetAt(stored, times, now));
  const moduli = new Set(published.map(({ n }) => n));
  // Those of old cores are what the configuration makes of them.
  const isReplaced = (table: string): boolean => table === DYNAMIC || (table !== STATIC && config.access_token_signing_key_dynamic);
  const living = keys.filter(({ table, createdAt }) => !isReplaced(table) || createdAt + times.verifiableMs >= now);
  if (living.some(({ modulus }) => !moduli.has(modulus)))
    throw new MigrateFault(`A signing key of the app ${appId} is not published here: this is a fault of ours`);
  const hadDynamic = stored.some(({ kid }) => isDynamic(kid));
  if (!hadDynamic || published.some(({ kid }) => isDynamic(kid))) return [];
  return [`No dynamic key of the app ${appId} is young enough to verify tokens by this configuration: is it that of the old core?`];
}

async function oldKeys({ database, layout }: ReadStorage): Promise<ReadonlyMap<string, readonly OldKey[]>> {
  const apps = new Map<string, OldKey[]>();
  for (const { table, value, createdAt, where } of KEY_TABLES) {
    const found = layout.tables.get(table);
    const text = `SELECT coalesce(app_id, 'public') AS app_id, ${value} AS value, ${createdAt} AS time FROM ${found?.sql} WHERE ${where}`;
    for (const row of found ? await database.rows(text) : []) {
      // What is no pair of keys is lost, and told as that.
      const pair = pairIn(wordIn(row, 'value'));
      if (!pair) continue;
      const { n: modulus = '' } = publicKeyFromSpki(pair.publicKey).export({ format: 'jwk' });
      const keys = apps.get(wordIn(row, 'app_id')) ?? [];
      apps.set(wordIn(row, 'app_id'), keys);
      keys.push({ table, createdAt: numberIn(row, 'time') ?? 0, modulus });
    }
  }
  return apps;
}
