import { type MaybePromise, whenReady } from './maybe-promise.ts';
import type { Reader, Store } from './store.ts';

/**
 * The same store, whose transactions begin with a check that is proved with everything else they read: one that may
 * not be made any more, such as that of a worker whose lease went to another while it was paused, keeps nothing.
 * @param check throws where the transaction may not be made
 */
export function fencedStore(store: Store, check: (reader: Reader) => MaybePromise<void>): Store {
  return {
    read: (body) => store.read(body),
    readShared: (body) => store.readShared(body),
    readPages: (body) => store.readPages(body),
    transact: (body) => store.transact((tx) => whenReady(check(tx), () => body(tx))),
    stats: () => store.stats(),
    time: () => store.time(),
    blockedBy: () => store.blockedBy(),
    readers: () => store.readers(),
    close: () => store.close(),
  };
}
