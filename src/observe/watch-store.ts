import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';

const EVERY_MS = 1_000;

/** Logs when the store stops taking writes, and why, and when it resumes, until the answered function is called. */
export function watchStore(store: Pick<Store, 'blockedBy'>, log: Log): () => void {
  let known: string | undefined;
  const timer = setInterval(() => {
    const reason = store.blockedBy();
    if (reason === known) return;
    known = reason;
    if (reason === undefined) log.warn('the store takes writes again');
    else log.error(`the store takes no writes: ${reason}`);
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
