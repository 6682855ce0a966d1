import { HOUR_MS, type Recipe } from '../recipe.ts';
import { removeOldDays } from './read-days.ts';
import { dailyStatistics } from './records.ts';

export const statisticsRecipe: Recipe = {
  collections: [dailyStatistics],
  jobs: [{ name: 'old-statistics', everyMs: 6 * HOUR_MS, run: ({ store, now }, limit) => removeOldDays(store, now(), limit) }],
};
