import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { dayNamed } from '../statistics/days.ts';
import { type DayOfApp, KEPT_DAYS, readDays } from '../statistics/read-days.ts';

/** `GET /manage/v1/statistics`: what happened in an app on each day from one to another (UTC). @throws Refusal */
export async function readStatistics(
  { store, tenant }: Context,
  { from, to }: Commands['management/read-statistics'],
): Promise<DayOfApp[]> {
  const first = dayNamed(from);
  const last = dayNamed(to);
  if (first === undefined || last === undefined) throw bad("'from' and 'to' must be days, YYYY-MM-DD");
  if (first > last || last - first >= KEPT_DAYS) throw bad(`'to' must be 0 to ${KEPT_DAYS - 1} days after 'from'`);
  return store.read((reader) => readDays(reader, tenant.app, first, last));
}

const bad = (text: string): Refusal => new Refusal('bad-input', { text });
