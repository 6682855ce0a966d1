import { HOUR_MS, type Recipe } from '../recipe.ts';
import { removeExpiredVerificationTokens } from './expiry.ts';
import { isVerificationUsed, removeTokensInTenant, removeVerificationData } from './lookups.ts';
import { verifiedEmails, verificationTokens } from './records.ts';

export const emailVerificationRecipe: Recipe = {
  collections: [verifiedEmails, verificationTokens],
  routes: () => import('./routes.ts'),
  jobs: [
    {
      name: 'expired-verification-tokens',
      everyMs: 12 * HOUR_MS,
      run: ({ store, now }, limit) => removeExpiredVerificationTokens(store, now(), limit),
    },
  ],
  userData: {
    byId: {
      use: { name: 'EmailVerification', isUsed: isVerificationUsed },
      remove: removeVerificationData,
      removeInTenant: removeTokensInTenant,
    },
  },
};
