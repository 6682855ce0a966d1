import type { Counters } from './counters.ts';

const EVERY_MS = 10_000;

/**
 * Shows since when the oldest user waits to be imported, until the answered function is called.
 * @param look ms since the epoch; undefined where nobody waits
 * @param onFault told of failures
 */
export function watchImportQueue(
  counters: Counters,
  look: () => Promise<number | undefined>,
  onFault: (error: unknown) => void,
): () => void {
  const gauge = async (): Promise<void> => {
    try {
      counters.setGauge('importQueueSince', ((await look()) ?? 0) / 1e3);
    } catch (error) {
      onFault(error);
    }
  };
  void gauge();
  const timer = setInterval(() => void gauge(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
