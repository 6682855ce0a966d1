import { HOUR_MS, type Recipe } from '../recipe.ts';
import { removeExpiredDashboardSessions } from './expiry.ts';
import { dashboardUsers, dashboardSessions } from './records.ts';

export const dashboardRecipe: Recipe = {
  collections: [dashboardUsers, dashboardSessions],
  routes: () => import('./routes.ts'),
  jobs: [
    {
      name: 'expired-dashboard-sessions',
      everyMs: 12 * HOUR_MS,
      run: ({ store, now }, limit) => removeExpiredDashboardSessions(store, now(), limit),
    },
  ],
};
