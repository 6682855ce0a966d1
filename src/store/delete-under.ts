import type { Collection } from './collection.ts';
import type { Key, Transaction } from './store.ts';

/** Records that one round deletes. */
const PAGE = 500;

/**
 * Deletes, in the caller's transaction, every record under a prefix of its primary key or, where an index is named, of that index.
 * Answers how many there were. For what belongs to one user or the like: the transaction grows with it.
 */
export async function deleteUnder<R>(tx: Transaction, collection: Collection<R>, index: string | undefined, prefix: Key): Promise<number> {
  for (let deleted = 0; ; ) {
    const keys = await tx.keys(collection, index, { prefix, limit: PAGE });
    // One round for all of them, so that no delete has to read.
    await tx.getMany(keys.map((key) => ({ collection, key })));
    for (const key of keys) if (await tx.delete(collection, key)) deleted++;
    if (keys.length < PAGE) return deleted;
  }
}
