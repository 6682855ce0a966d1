import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Collection } from './collection.ts';
import type { Key, Transaction } from './store.ts';

/** Keys that are read at once: nearly always all of them, since what was deleted before has to be looked through at the next read. */
const MOST_KEYS = 100_000;
/** Records that one round deletes, and one turn of the event loop: some milliseconds. */
const A_TURN = 500;

/**
 * Deletes, in the caller's transaction, every record under a prefix of its primary key or, where an index is named, of that index.
 * Answers how many there were. For what belongs to one user or the like: the transaction grows with it.
 */
export async function deleteUnder<R>(tx: Transaction, collection: Collection<R>, index: string | undefined, prefix: Key): Promise<number> {
  for (let deleted = 0; ; ) {
    const keys = await tx.keys(collection, index, { prefix, limit: MOST_KEYS });
    for (let at = 0; at < keys.length; at += A_TURN) {
      if (at > 0) await nextTurn();
      const some = keys.slice(at, at + A_TURN);
      // One round for all of them, so that no delete has to read.
      await tx.getMany(some.map((key) => ({ collection, key })));
      for (const key of some) if (await tx.delete(collection, key)) deleted++;
    }
    if (keys.length < MOST_KEYS) return deleted;
  }
}
