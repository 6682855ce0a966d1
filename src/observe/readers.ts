import type { ReaderStats } from '../store/store.ts';
import type { Counters } from './counters.ts';

const EVERY_MS = 1_000;

/**
 * Watches the store's readers until the answered function is called: each look clears readers of killed processes, and
 * the gauges tell how long the oldest other one has been reading what is no longer the newest.
 * @param look as `Store.readers`
 * @param onFault told when looking fails
 */
export function watchReaders(counters: Counters, look: () => ReaderStats | undefined, onFault: (error: unknown) => void): () => void {
  let oldest: number | undefined;
  let since = 0;
  const gauge = (): void => {
    const readers = look();
    if (!readers) return;
    const now = performance.now();
    if (readers.oldest !== oldest) {
      oldest = readers.oldest;
      since = now;
    }
    const behind = oldest === undefined ? 0 : Math.max(0, readers.latest - oldest);
    counters.setGauge('readers', readers.count);
    counters.setGauge('oldestReaderCommits', behind);
    counters.setGauge('oldestReaderSeconds', behind === 0 ? 0 : (now - since) / 1e3);
  };
  const timer = setInterval(() => {
    try {
      gauge();
    } catch (error) {
      onFault(error);
    }
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
