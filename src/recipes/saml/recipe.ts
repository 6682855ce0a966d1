import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';
import { samlClients, samlRelayStates, samlClaims, samlUsedAssertions, samlSpCredentials, samlEncryptionCredentials } from './records.ts';

export const samlRecipe: Recipe = {
  collections: [samlClients, samlRelayStates, samlClaims, samlUsedAssertions, samlSpCredentials, samlEncryptionCredentials],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-saml-data', HOUR_MS, samlRelayStates, samlClaims, samlUsedAssertions)],
};
