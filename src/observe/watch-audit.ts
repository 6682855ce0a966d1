import type { Counters } from './counters.ts';

const EVERY_MS = 2_000;

/**
 * Shows how long the oldest event of the audit trail has waited for its place, until the answered function is called.
 * @param look answers when it was written, ms since the epoch; undefined where none waits
 * @param onFault told when looking fails
 */
export function watchAudit(
  counters: Counters,
  look: () => Promise<number | undefined>,
  now: () => number,
  onFault: (error: unknown) => void,
): () => void {
  const gauge = async (): Promise<void> => {
    const since = await look();
    counters.setGauge('auditLag', since === undefined ? 0 : Math.max(0, now() - since) / 1e3);
  };
  const timer = setInterval(() => void gauge().catch(onFault), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
