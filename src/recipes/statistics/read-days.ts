import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Store } from '../../store/store.ts';
import { deleteOver } from '../../store/delete-all.ts';
import { dayOf, nameOfDay } from './days.ts';
import { type Counts, STATISTIC_NAMES } from './counts.ts';
import { dailyStatistics } from './records.ts';

/** So many days are kept, and answered at once. */
export const KEPT_DAYS = 400;

/** What happened on a day, `YYYY-MM-DD`. */
export interface DayOfApp extends Counts {
  readonly day: string;
}

/** Every day from one to another, both included; on days without a record nothing happened. */
export function readDays(reader: Reader, app: AppNumber, from: number, to: number): MaybePromise<DayOfApp[]> {
  const range = { prefix: [app], from: [app, from], until: [app, to + 1], limit: KEPT_DAYS } as const;
  return whenReady(reader.list(dailyStatistics, undefined, range), (records) => {
    const byDay = new Map(records.map((record) => [record.day, record]));
    return Array.from({ length: to - from + 1 }, (_, at) => shown(from + at, byDay.get(from + at)));
  });
}

function shown(day: number, counts: Counts | undefined): DayOfApp {
  const pairs = STATISTIC_NAMES.map((name) => [name, counts?.[name] ?? 0] as const);
  return { day: nameOfDay(day), ...(Object.fromEntries(pairs) as Counts) };
}

/** Removes up to `limit` days that are too old, whatever the app; answers whether there may be more. */
export async function removeOldDays(store: Store, now: number, limit: number): Promise<boolean> {
  const until = [dayOf(now) - KEPT_DAYS + 1] as const;
  const old = await store.read((reader) => reader.keys(dailyStatistics, 'byDay', { prefix: [], until, limit }));
  await deleteOver(store, dailyStatistics, old, () => true);
  return old.length === limit;
}
