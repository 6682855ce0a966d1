import type { HoldPages, Reader, ReaderStats, Store, StoreStats, Transaction } from '../../store/store.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import { type Span, spanning } from './span.ts';

/**
 * A store whose reads and transactions are spans of one request: each round of reads that has to be waited for, and the
 * commit from the decision until it is durable. An engine that answers at once has no rounds.
 */
export class TracedStore implements Store {
  readonly #store: Store;
  readonly #span: Span;

  constructor(store: Store, span: Span) {
    this.#store = store;
    this.#span = span;
  }

  read<T>(body: (reader: Reader) => T): T {
    const span = this.#span.begin('store read');
    return spanning(span, () => this.#store.read((reader) => body(withRounds(reader, span))));
  }

  readShared<T>(body: (reader: Reader) => T): T {
    const span = this.#span.begin('store read');
    return spanning(span, () => this.#store.readShared((reader) => body(withRounds(reader, span))));
  }

  readPages<R>(body: (reader: Reader, hold: HoldPages) => MaybePromise<R>): Promise<R> {
    const span = this.#span.begin('store read');
    return spanning(span, () => this.#store.readPages((reader, hold) => body(withRounds(reader, span), hold)));
  }

  transact<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    const span = this.#span.begin('store transaction');
    let runs = 0;
    let decidedAt = 0;
    const run = (transaction: Transaction): MaybePromise<T> => {
      runs += 1;
      return whenReady(body(withRounds(transaction, span)), (result) => {
        decidedAt = performance.now();
        return result;
      });
    };
    const ended = (): void => {
      span.set({ 'watchword.store.reruns': Math.max(0, runs - 1) });
      if (decidedAt > 0) span.took('store commit', decidedAt, performance.now());
    };
    return spanning(span, () => this.#store.transact(run).finally(ended));
  }

  stats(): StoreStats {
    return this.#store.stats();
  }

  time(): Promise<number> | undefined {
    return this.#store.time();
  }

  blockedBy(): string | undefined {
    return this.#store.blockedBy();
  }

  readers(): ReaderStats | undefined {
    return this.#store.readers();
  }

  close(): Promise<void> {
    return this.#store.close();
  }
}

/** A reader whose promises are spans. */
function withRounds<R extends Reader>(reader: R, span: Span): R {
  return new Proxy(reader, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...asked: unknown[]): unknown => {
        const startedAt = performance.now();
        const result: unknown = Reflect.apply(member, target, asked);
        const ended = (): void => span.took('store round', startedAt, performance.now(), { 'watchword.store.read': String(name) });
        if (result instanceof Promise) result.then(ended, ended);
        return result;
      };
    },
  });
}
