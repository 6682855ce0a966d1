import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';

const EVERY_MS = 1_000;

/** Logs when the store stops and resumes taking writes, until the answered function is called. Keeps no thread up. */
export function watchStore(store: Pick<Store, 'isBlocked'>, log: Log): () => void {
  let wasBlocked = false;
  const timer = setInterval(() => {
    const isBlocked = store.isBlocked();
    if (isBlocked === wasBlocked) return;
    wasBlocked = isBlocked;
    if (isBlocked) log.error('the store takes no writes: another process holds its lock and does not go on, or the disk does not answer');
    else log.warn('the store takes writes again');
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
