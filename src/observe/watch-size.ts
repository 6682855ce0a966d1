import type { StoreSize } from '../store/store.ts';
import type { MaybePromise } from '../store/maybe-promise.ts';
import type { Counters } from './counters.ts';

const EVERY_MS = 10_000;

/**
 * Shows how much room the store takes, until the answered function is called. Never keeps a thread alive.
 * @param look as `Store.size`
 * @param onFault told of the first of several failures in a row
 */
export function watchSize(
  counters: Counters,
  look: () => MaybePromise<StoreSize | undefined>,
  onFault: (error: unknown) => void,
): () => void {
  let hasFailed = false;
  const gauge = async (): Promise<void> => {
    try {
      const size = await look();
      if (size) {
        counters.setGauge('storeBytes', size.bytes);
        counters.setGauge('storeFreeBytes', size.freeBytes ?? Number.NaN);
        counters.setGauge('storeDiskFreeBytes', size.diskFreeBytes ?? Number.NaN);
      }
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) onFault(error);
      hasFailed = true;
    }
  };
  void gauge();
  const timer = setInterval(() => void gauge(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
