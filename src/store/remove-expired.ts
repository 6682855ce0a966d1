import type { Collection } from './collection.ts';
import type { Key, Store } from './store.ts';

/** A collection of what ends at a time, with an index by it. Times are ms since the epoch. */
export type Expiring = Collection<{ readonly expiresAt: number }, Key, { readonly byExpiry: readonly [expiresAt: number] }>;

/**
 * Deletes up to `limit` records that ended before `now` (ms), by `byExpiry`; answers how many (`limit`: maybe not all).
 */
export async function removeExpired(store: Store, collection: Expiring, now: number, limit: number): Promise<number> {
  const keys = await store.read((reader) => reader.keys(collection, 'byExpiry', { prefix: [], until: [now], limit }));
  if (keys.length > 0) {
    await store.transact(async (tx) => {
      // Read again, since a record may have a new end by now; in one round, so that no delete has to read.
      const current = await tx.getMany(keys.map((key) => ({ collection, key })));
      for (const record of current) if (record && record.expiresAt < now) await tx.delete(collection, collection.key(record));
    });
  }
  return keys.length;
}
