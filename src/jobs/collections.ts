import { lastActive } from '../recipes/active-users/records.ts';
import { queueClaims, queueEntries } from '../recipes/bulk-import/records.ts';
import { dashboardSessions, dashboardUsers } from '../recipes/dashboard/records.ts';
import { resetTokens, signInFailures } from '../recipes/email-password/records.ts';
import { verificationTokens, verifiedEmails } from '../recipes/email-verification/records.ts';
import { keyValues } from '../recipes/key-value/records.ts';
import { counters, tenants, tombstones } from '../recipes/tenants/records.ts';
import type { ScopedCollection } from '../recipes/multitenancy/purge-tombstones.ts';
import { devices as passwordlessDevices } from '../recipes/passwordless/records.ts';
import {
  samlClaims,
  samlClients,
  samlEncryptionCredentials,
  samlRelayStates,
  samlSpCredentials,
  samlUsedAssertions,
} from '../recipes/saml/records.ts';
import { sessions } from '../recipes/session-records/records.ts';
import { signingKeys } from '../recipes/signing-keys/records.ts';
import { tenantTotpAttempts, totpAttempts, totpDevices } from '../recipes/totp/records.ts';
import { mappingsByExternalId, mappingsByInternalId } from '../recipes/accounts/mapping-records.ts';
import { metadata } from '../recipes/user-metadata/records.ts';
import { assignments, removedRoles, roles } from '../recipes/user-roles/records.ts';
import { loginMethods, reservations, users } from '../recipes/accounts/records.ts';

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
  verificationTokens,
  resetTokens,
  signInFailures,
  lastActive,
  roles,
  assignments,
  removedRoles,
  metadata,
  totpDevices,
  totpAttempts,
  tenantTotpAttempts,
  dashboardUsers,
  dashboardSessions,
  passwordlessDevices,
  queueEntries,
  queueClaims,
  samlClients,
  samlRelayStates,
  samlClaims,
  samlUsedAssertions,
  samlSpCredentials,
  samlEncryptionCredentials,
];
