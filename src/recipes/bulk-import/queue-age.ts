import type { Store } from '../../store/store.ts';
import { nextWaitingApp } from './claims.ts';

/** Apps that are looked at: in a store of more whose queues are all full, one of them is as old as the others. */
const MOST_APPS = 1_000;

/** When the oldest user came who waits to be imported, ms since the epoch; undefined where nobody waits. */
export async function waitingSince(store: Store): Promise<number | undefined> {
  let oldest: number | undefined;
  let from = 0;
  for (let apps = 0; apps < MOST_APPS; apps += 1) {
    const waiting = await nextWaitingApp(store, from);
    if (!waiting) break;
    oldest = Math.min(oldest ?? waiting.since, waiting.since);
    from = waiting.app + 1;
  }
  return oldest;
}
