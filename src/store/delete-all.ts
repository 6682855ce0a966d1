import type { AnyCollection } from './collection.ts';
import type { KeyOf, Transaction } from './store.ts';

/** Deletes records by their primary keys, in the caller's transaction; answers the keys of those that were there. */
export async function deleteAll<C extends AnyCollection>(tx: Transaction, collection: C, keys: readonly KeyOf<C>[]): Promise<KeyOf<C>[]> {
  // One round for all of them, so that no delete has to read.
  await tx.getMany(keys.map((key) => ({ collection, key })));
  const deleted: KeyOf<C>[] = [];
  for (const key of keys) if (await tx.delete(collection, key)) deleted.push(key);
  return deleted;
}
