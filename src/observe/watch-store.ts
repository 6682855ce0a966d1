import type { Store } from '../store/store.ts';
import type { Log } from './log.ts';

const EVERY_MS = 1_000;

/** Says in the log when the store begins to take no writes, and when it takes them again, until the answered function is called. Never keeps a thread alive. */
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
