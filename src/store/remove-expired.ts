import type { Collection } from './collection.ts';
import { deleteOver } from './delete-all.ts';
import type { Key, Store } from './store.ts';

/** A collection of what ends at a time, with an index by it. Times are ms since the epoch. */
export type Expiring = Collection<{ readonly expiresAt: number }, Key, { readonly byExpiry: readonly [expiresAt: number] }>;

/** Deletes up to `limit` records that ended before `now` (ms); answers how many (`limit`: maybe not all). */
export async function removeExpired(store: Store, collection: Expiring, now: number, limit: number): Promise<number> {
  const keys = await store.read((reader) => reader.keys(collection, 'byExpiry', { prefix: [], until: [now], limit }));
  await deleteOver(store, collection, keys, ({ expiresAt }) => expiresAt < now);
  return keys.length;
}
