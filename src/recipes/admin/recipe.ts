import { operatorSessions, operators } from '../operators/records.ts';
import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';

/** What the admin page rests on: operators, and their sessions in browsers. */
export const adminRecipe: Recipe = {
  collections: [operators, operatorSessions],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-operator-sessions', HOUR_MS, operatorSessions)],
};
