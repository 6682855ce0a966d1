import { deleteAll } from '../../store/delete-all.ts';
import type { Key, Store } from '../../store/store.ts';
import { emptyTenant } from '../accounts/tenant-membership.ts';
import type { AnyCollection } from '../../store/collection.ts';
import { type TombstoneRecord, tombstones, WHOLE_APP } from '../tenants/records.ts';

/** A request that was let in before the removal may still write for a while; afterwards nothing can. */
const GRACE_MS = 60_000;

/**
 * Deletes at most `limit` records of apps and tenants removed at least a minute ago; answers whether there is more.
 * Since nobody can see them, it may stop anywhere and run twice.
 * @param collections every collection of the product; those of the core are left alone
 * @param now ms since the epoch
 */
export async function purgeTombstones(store: Store, collections: readonly AnyCollection[], now: number, limit: number): Promise<boolean> {
  const range = { prefix: [], until: [now - GRACE_MS], limit: 1 } as const;
  const [tombstone] = await store.read((reader) => reader.list(tombstones, undefined, range));
  if (!tombstone) return false;
  const { app, tenant } = tombstone;
  const doomed = collections.filter(({ scope }) => scope === 'tenant' || (scope === 'app' && tenant === WHOLE_APP));
  const prefix = tenant === WHOLE_APP ? [app] : [app, tenant];
  let left = limit;
  if (tenant !== WHOLE_APP) {
    left -= await emptyTenant(store, app, tenant, left);
    if (left <= 0) return true;
  }
  for (const collection of doomed) {
    left -= await purge(store, collection, prefix, left);
    if (left <= 0) return true;
  }
  await forget(store, tombstone);
  return true;
}

async function purge(store: Store, collection: AnyCollection, prefix: Key, limit: number): Promise<number> {
  const keys = await store.read((reader) => reader.keys(collection, undefined, { prefix, limit }));
  if (keys.length > 0) await store.transact((tx) => deleteAll(tx, collection, keys));
  return keys.length;
}

async function forget(store: Store, tombstone: TombstoneRecord): Promise<void> {
  await store.transact((tx) => tx.delete(tombstones, tombstones.key(tombstone)));
}
