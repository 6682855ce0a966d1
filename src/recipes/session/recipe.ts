import { HOUR_MS, type Recipe } from '../recipe.ts';
import { sessions } from '../session-records/records.ts';
import { removeExpiredSessions } from './expiry.ts';
import { isSessionUsed, removeSessionsInTenant, removeSessionsOfId } from './sessions-of-id.ts';

export const sessionRecipe: Recipe = {
  collections: [sessions],
  routes: () => import('./routes.ts'),
  jobs: [{ name: 'expired-sessions', everyMs: 12 * HOUR_MS, run: ({ store, now }, limit) => removeExpiredSessions(store, now(), limit) }],
  userData: {
    byId: { use: { name: 'Session', isUsed: isSessionUsed }, remove: removeSessionsOfId, removeInTenant: removeSessionsInTenant },
  },
};
