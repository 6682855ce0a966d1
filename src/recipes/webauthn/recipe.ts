import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';
import { removeWebauthnOf } from './remove-of-method.ts';
import { recoveryTokens, webauthnCredentials, webauthnOptions } from './records.ts';

export const webauthnRecipe: Recipe = {
  collections: [webauthnOptions, webauthnCredentials, recoveryTokens],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-webauthn-options', HOUR_MS, webauthnOptions, recoveryTokens)],
  userData: { removeOfMethod: removeWebauthnOf },
};
