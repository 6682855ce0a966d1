import type { Collection } from './collection.ts';
import type { Key, Transaction } from './store.ts';

/** Deletes records by their primary keys, in the caller's transaction; answers the keys of those that were there. */
export async function deleteAll<K extends Key>(
  tx: Transaction,
  collection: Collection<unknown, K>,
  keys: readonly NoInfer<K>[],
): Promise<K[]> {
  // One round for all of them, so that no delete has to read.
  await tx.getMany(keys.map((key) => ({ collection, key })));
  const deleted: K[] = [];
  for (const key of keys) if (await tx.delete(collection, key)) deleted.push(key);
  return deleted;
}
