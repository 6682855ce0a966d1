import { type MaybePromise, whenReady } from './maybe-promise.ts';
import type { Reader, Store, Transaction } from './store.ts';

/**
 * The same store, whose transactions begin with a check that is proved with everything else they read: one that may
 * not be made any more, such as that of a worker whose lease went to another while it was paused, keeps nothing.
 * @param check throws where the transaction may not be made
 */
export function fencedStore(store: Store, check: (reader: Reader) => MaybePromise<void>): Store {
  return transactingBy(store, (body) => store.transact((tx) => whenReady(check(tx), () => body(tx))));
}

/** The same store, whose transactions end with something more that is kept with them. */
export function addingStore(store: Store, add: (tx: Transaction) => MaybePromise<void>, onKept: () => void): Store {
  return transactingBy(store, async (body) => {
    const result = await store.transact((tx) => whenReady(body(tx), (value) => whenReady(add(tx), () => ({ value }))));
    onKept();
    return result.value;
  });
}

function transactingBy(store: Store, transact: Store['transact']): Store {
  return {
    read: (body) => store.read(body),
    readShared: (body) => store.readShared(body),
    readPages: (body) => store.readPages(body),
    transact,
    stats: () => store.stats(),
    time: () => store.time(),
    blockedBy: () => store.blockedBy(),
    readers: () => store.readers(),
    close: () => store.close(),
  };
}
