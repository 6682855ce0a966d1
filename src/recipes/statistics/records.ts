import { defineCollection } from '../../store/collection.ts';
import type { AppNumber } from '../../store/store.ts';
import type { Counts } from './counts.ts';

/** What happened in an app on a day, as far as it was counted so far. */
export interface DayRecord extends Counts {
  readonly app: AppNumber;
  /** Days since the epoch, UTC. */
  readonly day: number;
}

export const dailyStatistics = defineCollection({
  id: 60,
  name: 'daily_statistics',
  scope: 'app',
  format: 1,
  fields: { app: 1, day: 2, activeUsers: 3, signIns: 4, signInFailures: 5, signUps: 6, refreshes: 7, thefts: 8 },
  key: (d: DayRecord) => [d.app, d.day],
  indexes: { byDay: { id: 1, keys: (d) => [[d.day]] } },
});
