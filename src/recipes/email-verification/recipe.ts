import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';
import { isVerificationUsed, removeTokensInTenant, removeVerificationData } from './lookups.ts';
import { verifiedEmails, verificationTokens } from './records.ts';

export const emailVerificationRecipe: Recipe = {
  collections: [verifiedEmails, verificationTokens],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-verification-tokens', 12 * HOUR_MS, verificationTokens)],
  userData: {
    byId: {
      use: { name: 'EmailVerification', isUsed: isVerificationUsed },
      remove: removeVerificationData,
      removeInTenant: removeTokensInTenant,
    },
  },
};
