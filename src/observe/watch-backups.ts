import type { Counters } from './counters.ts';

const EVERY_MS = 10_000;

/** Shows the age and size of the last backup, whichever process made it, until the answered function is called. */
export function watchBackups(counters: Counters, look: () => { readonly at: number; readonly bytes: number } | undefined): () => void {
  const gauge = (): void => {
    const { at, bytes } = look() ?? { at: 0, bytes: 0 };
    counters.setGauge('backupAt', at / 1e3);
    counters.setGauge('backupBytes', bytes);
  };
  gauge();
  const timer = setInterval(gauge, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
