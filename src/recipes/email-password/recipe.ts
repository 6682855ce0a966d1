import { expiryJob, HOUR_MS, MINUTE_MS, type Recipe } from '../recipe.ts';
import { removeResetTokens } from './reset-tokens.ts';
import { resetTokens, signInFailures } from './records.ts';

export const emailPasswordRecipe: Recipe = {
  collections: [resetTokens, signInFailures],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-reset-tokens', HOUR_MS, resetTokens), expiryJob('old-sign-in-failures', 5 * MINUTE_MS, signInFailures)],
  userData: { removeOfMethod: removeResetTokens },
};
