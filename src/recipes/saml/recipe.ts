import { HOUR_MS, type Recipe } from '../recipe.ts';
import { removeExpiredSamlData } from './expiry.ts';
import { samlClients, samlRelayStates, samlClaims, samlUsedAssertions, samlSpCredentials, samlEncryptionCredentials } from './records.ts';

export const samlRecipe: Recipe = {
  collections: [samlClients, samlRelayStates, samlClaims, samlUsedAssertions, samlSpCredentials, samlEncryptionCredentials],
  routes: () => import('./routes.ts'),
  jobs: [{ name: 'expired-saml-data', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredSamlData(store, now(), limit) }],
};
