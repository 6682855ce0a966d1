import type { SpCredential } from '../../crypto/saml/saml.ts';
import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** The connection to one identity provider (contract 06 section 1.2). */
export interface SamlClientRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** Free text, unique in the tenant. */
  readonly clientId: string;
  /** Only the legacy token endpoint asks for it. */
  readonly clientSecret: string | null;
  /** Where the Redirect binding of the identity provider is. */
  readonly ssoLoginUrl: string;
  readonly redirectUris: readonly string[];
  /** Where logins end that the identity provider began. */
  readonly defaultRedirectUri: string;
  /** Unique in the tenant as well. */
  readonly idpEntityId: string;
  /** Every signing certificate of the metadata, base64 DER, in its order; at least one. */
  readonly certificates: readonly string[];
  readonly allowIdpInitiatedLogin: boolean;
  readonly enableRequestSigning: boolean;
  /** ms since the epoch */
  readonly createdAt: number;
  /** ms since the epoch */
  readonly updatedAt: number;
}

export const samlClients = defineCollection({
  id: 32,
  name: 'saml_clients',
  scope: 'tenant',
  format: 1,
  fields: {
    app: 1,
    tenant: 2,
    clientId: 3,
    clientSecret: 4,
    ssoLoginUrl: 5,
    redirectUris: 6,
    defaultRedirectUri: 7,
    idpEntityId: 8,
    certificates: 9,
    allowIdpInitiatedLogin: 10,
    enableRequestSigning: 11,
    createdAt: 12,
    updatedAt: 13,
  },
  key: (c: SamlClientRecord) => [c.app, c.tenant, c.clientId],
  indexes: {
    idpEntityId: { id: 1, unique: true, keys: (c) => [[c.app, c.tenant, c.idpEntityId]] },
    byCreation: { id: 2, keys: (c) => [[c.app, c.tenant, c.createdAt]] },
  },
});

/** A login that was begun and is not finished. The relay state itself is not kept. */
export interface SamlRelayStateRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** SHA-256 of the relay state, hex. */
  readonly relayStateHash: string;
  readonly clientId: string;
  /** As the application gave it; null where it gave none. */
  readonly state: string | null;
  readonly redirectUri: string;
  /** ID of the AuthnRequest. */
  readonly requestId: string;
  /** Where the identity provider was asked to send its answer. */
  readonly acsUrl: string;
  /** ms since the epoch; good up to and including this moment. */
  readonly expiresAt: number;
}

export const samlRelayStates = defineCollection({
  id: 33,
  name: 'saml_relay_states',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, relayStateHash: 3, clientId: 4, state: 5, redirectUri: 6, requestId: 7, acsUrl: 8, expiresAt: 9 },
  key: (r: SamlRelayStateRecord) => [r.app, r.tenant, r.relayStateHash],
  indexes: { byExpiry: { id: 1, keys: (r) => [[r.expiresAt]] } },
});

/** What a finished login proved, until somebody redeems its code. The code itself is not kept. */
export interface SamlClaimsRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** SHA-256 of the code, hex. */
  readonly codeHash: string;
  readonly clientId: string;
  /** Name and values of each claim: a list, because a name may be `__proto__`. */
  readonly claims: readonly (readonly [name: string, values: readonly string[]])[];
  /** ms since the epoch; good up to and including this moment. */
  readonly expiresAt: number;
}

export const samlClaims = defineCollection({
  id: 34,
  name: 'saml_claims',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, codeHash: 3, clientId: 4, claims: 5, expiresAt: 6 },
  key: (c: SamlClaimsRecord) => [c.app, c.tenant, c.codeHash],
  indexes: { byExpiry: { id: 1, keys: (c) => [[c.expiresAt]] } },
});

/** An assertion that was accepted and is not accepted again (contract 06 section 6.7). */
export interface UsedAssertionRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly idpEntityId: string;
  /** SHA-256 of the assertion's ID, hex. */
  readonly assertionHash: string;
  /** When no rule would accept it any more, ms since the epoch. */
  readonly expiresAt: number;
}

export const samlUsedAssertions = defineCollection({
  id: 35,
  name: 'saml_used_assertions',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, idpEntityId: 3, assertionHash: 4, expiresAt: 5 },
  key: (u: UsedAssertionRecord) => [u.app, u.tenant, u.idpEntityId, u.assertionHash],
  indexes: { byExpiry: { id: 1, keys: (u) => [[u.expiresAt]] } },
});

/** The keys of a tenant as service provider for one purpose: one, or two while one takes over from the other. */
export interface SpCredentialsRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** Oldest first, at least one. */
  readonly credentials: readonly SpCredential[];
}

export const samlSpCredentials = defineCollection({
  id: 36,
  name: 'saml_sp_credentials',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, credentials: 3 },
  key: (c: SpCredentialsRecord) => [c.app, c.tenant],
});

/** The keys with which what identity providers encrypted for the tenant is read: others than those that sign. */
export const samlEncryptionCredentials = defineCollection({
  id: 37,
  name: 'saml_encryption_credentials',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, credentials: 3 },
  key: (c: SpCredentialsRecord) => [c.app, c.tenant],
});

/** A login that an operator began to try a client. It lets nobody in: it has no record in `samlRelayStates`. */
export interface SamlTestRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** SHA-256 of the relay state, hex, by which operators ask for it. */
  readonly testId: string;
  readonly clientId: string;
  /** ID of the AuthnRequest. */
  readonly requestId: string;
  /** Where the identity provider was asked to send its answer. */
  readonly acsUrl: string;
  /** Where the browser goes when the test went well. */
  readonly returnUri: string;
  /** ms since the epoch */
  readonly startedAt: number;
  /** How long an answer is waited for, ms since the epoch. */
  readonly waitsUntil: number;
  /** ms since the epoch; null while it waits. */
  readonly endedAt: number | null;
  readonly isAccepted: boolean;
  /** A `TestExplanation` as JSON; null while it waits. */
  readonly explanation: string | null;
  /** When the record goes, ms since the epoch. */
  readonly expiresAt: number;
}

export const samlTests = defineCollection({
  id: 96,
  name: 'saml_tests',
  scope: 'tenant',
  format: 1,
  fields: {
    app: 1,
    tenant: 2,
    testId: 3,
    clientId: 4,
    requestId: 5,
    acsUrl: 6,
    returnUri: 7,
    startedAt: 8,
    waitsUntil: 9,
    endedAt: 10,
    isAccepted: 11,
    explanation: 12,
    expiresAt: 13,
  },
  key: (t: SamlTestRecord) => [t.app, t.tenant, t.testId],
  indexes: {
    byExpiry: { id: 1, keys: (t) => [[t.expiresAt]] },
    byStart: { id: 2, keys: (t) => [[t.app, t.tenant, t.startedAt]] },
  },
});
