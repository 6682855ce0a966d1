import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Key, Store } from '../../store/store.ts';
import { lastActive } from './records.ts';

/** Entries counted between two turns of the event loop. */
const PAGE = 5000;

/** For each of the given times (ms, any order): how many users of the app were active at or after it. Reads in bounded pages, newest first. */
export async function countActiveSince(store: Store, app: number, times: readonly number[]): Promise<number[]> {
  const counts = times.map(() => 0);
  const earliest = Math.min(...times);
  let until: Key | undefined;
  for (;;) {
    const range = { prefix: [app], from: [app, earliest], ...(until ? { until } : {}), limit: PAGE, reverse: true };
    const page = await store.read((reader) => reader.list(lastActive, 'byTime', range));
    for (const { at } of page) for (const [index, time] of times.entries()) if (at >= time) counts[index] = (counts[index] ?? 0) + 1;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return counts;
    until = [app, last.at, app, last.userId];
    await nextTurn();
  }
}
