import { HOUR_MS, MINUTE_MS, type Recipe } from '../recipe.ts';
import { removeExpiredResetTokens, removeOldSignInFailures } from './expiry.ts';
import { removeResetTokens } from './reset-tokens.ts';
import { resetTokens, signInFailures } from './records.ts';

export const emailPasswordRecipe: Recipe = {
  collections: [resetTokens, signInFailures],
  routes: () => import('./routes.ts'),
  jobs: [
    { name: 'expired-reset-tokens', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredResetTokens(store, now(), limit) },
    { name: 'old-sign-in-failures', everyMs: 5 * MINUTE_MS, run: ({ store, now }, limit) => removeOldSignInFailures(store, now(), limit) },
  ],
  userData: { removeOfMethod: removeResetTokens },
};
