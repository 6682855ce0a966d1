import type { AnyCollection, Collection } from './collection.ts';
import type { Key, KeyOf, Store, Transaction } from './store.ts';

/** Deletes those of some records that `isOver` still holds for, read again: they may have a new end by now. */
export async function deleteOver<R, K extends Key>(
  store: Store,
  collection: Collection<R, K>,
  keys: readonly K[],
  isOver: (record: R) => boolean,
): Promise<void> {
  if (keys.length === 0) return;
  await store.transact(async (tx) => {
    // In one round, so that no delete has to read.
    const current = await tx.getMany(keys.map((key) => ({ collection, key })));
    for (const record of current) if (record && isOver(record)) await tx.delete(collection, collection.key(record));
  });
}

/** Deletes records by their primary keys, in the caller's transaction; answers the keys of those that were there. */
export async function deleteAll<C extends AnyCollection>(tx: Transaction, collection: C, keys: readonly KeyOf<C>[]): Promise<KeyOf<C>[]> {
  // One round for all of them, so that no delete has to read.
  await tx.getMany(keys.map((key) => ({ collection, key })));
  const deleted: KeyOf<C>[] = [];
  for (const key of keys) if (await tx.delete(collection, key)) deleted.push(key);
  return deleted;
}
