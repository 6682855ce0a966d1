import { expiryJob, HOUR_MS, type Recipe } from '../recipe.ts';
import {
  samlClaims,
  samlClients,
  samlEncryptionCredentials,
  samlRelayStates,
  samlSpCredentials,
  samlTests,
  samlUsedAssertions,
} from './records.ts';

export const samlRecipe: Recipe = {
  collections: [samlClients, samlRelayStates, samlClaims, samlUsedAssertions, samlSpCredentials, samlEncryptionCredentials, samlTests],
  routes: () => import('./routes.ts'),
  jobs: [expiryJob('expired-saml-data', HOUR_MS, samlRelayStates, samlClaims, samlUsedAssertions, samlTests)],
};
