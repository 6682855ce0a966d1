import { performance } from 'node:perf_hooks';
import type { LmdbSnapshot } from './snapshot.ts';

/** Events that the loop of this thread has received, counted at each poll. Costs some 60 ns. */
const eventsSoFar = (): number => performance.nodeTiming.uvMetricsInfo.events;

/** The snapshot that the requests share which one poll of the event loop received. */
export class SharedSnapshot<S extends Pick<LmdbSnapshot, 'share' | 'release'> = LmdbSnapshot> {
  readonly #begin: () => S;
  #current: S | undefined;
  /** `eventsSoFar` when it began. */
  #events = 0;

  constructor(begin: () => S) {
    this.#begin = begin;
  }

  /** To be released by the caller. */
  get(): S {
    const events = eventsSoFar();
    const snapshot = this.#current !== undefined && this.#events === events ? this.#current : this.#next(events);
    snapshot.share();
    return snapshot;
  }

  #next(events: number): S {
    const snapshot = this.#begin();
    // Runs after this poll's requests and mostly before the next poll; with 1,024 events ready, the loop polls first.
    setImmediate(() => {
      if (this.#current === snapshot) this.#current = undefined;
      snapshot.release();
    });
    this.#current = snapshot;
    this.#events = events;
    return snapshot;
  }
}
