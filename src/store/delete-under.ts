import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AnyCollection, Collection } from './collection.ts';
import type { Doomed, Key, KeyIn, KeyOf, Leading, Order, Transaction } from './store.ts';

/** Records that a transaction deletes beside its other work: some ten milliseconds of the write lock. */
const MOST = 2_000;
/** Records of a transaction that only deletes, and of one turn of the event loop. */
const BATCH = 500;
/** Records read before their size is known; then twice as many each time. */
const FIRST_STEP = 25;

/**
 * Deletes, in the caller's transaction, all records under a prefix of the primary key or a named index; answers how
 * many. Too many for it go before, in transactions of their own (decision 0022): only for what may go even if the
 * caller's fails.
 * @param spared primary key of a record by which the caller decides: it goes with the caller's transaction in any case
 */
export async function deleteUnder<C extends AnyCollection, N extends Order<C>>(
  tx: Transaction,
  collection: C,
  index: N,
  prefix: Leading<KeyIn<C, N>>,
  spared?: KeyOf<C>,
): Promise<number> {
  const keys = await tx.keys(collection, index, { prefix, limit: MOST + 1 });
  const deleted = keys.length > MOST ? 0 : await deleteWhileRoom(tx, collection, keys);
  if (deleted < keys.length) tx.deleteFirst({ collection, index, prefix, spared });
  return keys.length;
}

/** Deletes some of the records that are too many for one transaction; answers whether there may be more. */
export async function deleteBatch(tx: Transaction, { collection, index, prefix, spared }: Doomed): Promise<boolean> {
  const keys = await tx.keys(collection, index, { prefix, limit: BATCH });
  const going = spared ? keys.filter((key) => !isSame(key, spared)) : keys;
  const deleted = await deleteWhileRoom(tx, collection, going);
  return deleted < going.length || keys.length === BATCH;
}

/** Deletes the first records of a list; answers how many, at least `FIRST_STEP` of them. */
async function deleteWhileRoom<R>(tx: Transaction, collection: Collection<R>, keys: readonly Key[]): Promise<number> {
  let deleted = 0;
  for (let step = FIRST_STEP; deleted < keys.length && (deleted === 0 || tx.hasRoom()); step = Math.min(2 * step, BATCH)) {
    if (deleted > 0) await nextTurn();
    const some = keys.slice(deleted, deleted + step);
    // One round for all of them, so that no delete has to read.
    await tx.getMany(some.map((key) => ({ collection, key })));
    for (const key of some) await tx.delete(collection, key);
    deleted += some.length;
  }
  return deleted;
}

const isSame = (a: Key, b: Key): boolean => a.length === b.length && a.every((part, at) => part === b[at]);
