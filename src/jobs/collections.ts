import { lastActive } from '../recipes/active-users/records.ts';
import { verifiedEmails } from '../recipes/email-verification/records.ts';
import { keyValues } from '../recipes/key-value/records.ts';
import { counters, tenants, tombstones } from '../recipes/multitenancy/records.ts';
import type { ScopedCollection } from '../recipes/multitenancy/purge-tombstones.ts';
import { sessions } from '../recipes/session/records.ts';
import { signingKeys } from '../recipes/session/signing-key-records.ts';
import { mappingsByExternalId, mappingsByInternalId } from '../recipes/user-id-mapping/records.ts';
import { loginMethods, reservations, users } from '../recipes/users/records.ts';

/** Every collection of the recipes, for work that goes over all data. A test compares the list with the sources. */
export const COLLECTIONS: readonly ScopedCollection[] = [
  tenants,
  counters,
  tombstones,
  keyValues,
  signingKeys,
  sessions,
  loginMethods,
  users,
  reservations,
  mappingsByInternalId,
  mappingsByExternalId,
  verifiedEmails,
  lastActive,
];
