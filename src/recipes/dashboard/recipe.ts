import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';
import { dashboardUsers, dashboardSessions } from './records.ts';

export const dashboardRecipe: Recipe = {
  collections: [dashboardUsers, dashboardSessions],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-dashboard-sessions', 12 * HOUR_MS, dashboardSessions)],
};
