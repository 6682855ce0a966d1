import type { AppNumber, Bounds, KeyIn, Store } from '../../store/store.ts';
import { lastActive } from './records.ts';

/** How many users of the app were active at or after each of the times (ms, any order). Each user is counted once. */
export async function countActiveSince(store: Store, app: AppNumber, times: readonly number[]): Promise<number[]> {
  const newestFirst = [...new Set(times)].toSorted((a, b) => b - a);
  const spans = newestFirst.map((time, at): Bounds<KeyIn<typeof lastActive, 'byTime'>> => {
    const later = newestFirst[at - 1];
    return { prefix: [app], from: [app, time], ...(later !== undefined && { until: [app, later] }) };
  });
  const counts = await store.read((reader) => Promise.all(spans.map((span) => reader.count(lastActive, 'byTime', span))));
  const since = new Map<number, number>();
  let total = 0;
  for (const [at, time] of newestFirst.entries()) {
    total += counts[at] ?? 0;
    since.set(time, total);
  }
  return times.map((time) => since.get(time) ?? 0);
}
