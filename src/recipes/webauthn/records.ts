import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';

/** Whether an authenticator has to ask for a PIN or a finger. */
export type UserVerification = 'required' | 'preferred' | 'discouraged';

/** What a browser was asked to answer (contract 07 section 1). */
export interface OptionsRecord {
  readonly app: AppNumber;
  /** The tenant they were asked for in. */
  readonly tenant: TenantNumber;
  /** uuid v4. */
  readonly id: string;
  /** 32 random bytes as base64url without padding. */
  readonly challenge: string;
  /** `null` in options to sign in. */
  readonly email: string | null;
  readonly relyingPartyId: string;
  readonly relyingPartyName: string;
  readonly origin: string;
  /** ms since the epoch. */
  readonly createdAt: number;
  /** ms since the epoch; usable until then, that moment included. */
  readonly expiresAt: number;
  readonly userVerification: UserVerification;
  readonly isPresenceRequired: boolean;
  /** COSE algorithms that a new key may have, where they are enforced; empty in options to sign in. */
  readonly algorithms: readonly number[];
}

export const webauthnOptions = defineCollection({
  id: 41,
  name: 'webauthn_options',
  scope: 'tenant',
  format: 1,
  fields: {
    app: 1,
    tenant: 2,
    id: 3,
    challenge: 4,
    email: 5,
    relyingPartyId: 6,
    relyingPartyName: 7,
    origin: 8,
    createdAt: 9,
    expiresAt: 10,
    userVerification: 11,
    isPresenceRequired: 12,
    algorithms: 13,
  },
  key: (o: OptionsRecord) => [o.app, o.tenant, o.id],
  indexes: {
    byExpiry: { id: 1, keys: (o) => [[o.expiresAt]] },
    /** Sign-up and sign-in take options of any tenant of the app. */
    inApp: { id: 2, keys: (o) => [[o.app, o.id]] },
  },
});

/**
 * A passkey (contract 07 section 1). Its id stands in `credentialIds` of the login method too, always: whoever adds or
 * removes one writes both (`keep-credential.ts`).
 */
export interface CredentialRecord {
  readonly app: AppNumber;
  readonly relyingPartyId: string;
  /** The text `id` of the client's JSON, exactly as it was sent. */
  readonly id: string;
  /** Of the login method it belongs to. */
  readonly userId: InternalUserId;
  /** The COSE key as the authenticator made it (CBOR). */
  readonly publicKey: Uint8Array;
  /** The model of the authenticator, 16 bytes as a UUID in lower case; all zero where it does not tell. */
  readonly aaguid: string;
  /** Signature counter as last presented, 0 to 2^32 - 1; 0 where the authenticator does not count. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** ms since the epoch. */
  readonly createdAt: number;
  /** When it was last signed in with, else when it was made, ms since the epoch. */
  readonly updatedAt: number;
  /** Whether it may be, and was when last used, kept in several places; `null` where that was never told. */
  readonly isBackupEligible: boolean | null;
  readonly isBackedUp: boolean | null;
}

export const webauthnCredentials = defineCollection({
  id: 42,
  name: 'webauthn_credentials',
  scope: 'app',
  format: 1,
  fields: {
    app: 1,
    relyingPartyId: 2,
    id: 3,
    userId: 4,
    publicKey: 5,
    aaguid: 6,
    counter: 7,
    transports: 8,
    createdAt: 9,
    updatedAt: 10,
    isBackupEligible: 11,
    isBackedUp: 12,
  },
  key: (c: CredentialRecord) => [c.app, c.relyingPartyId, c.id],
  indexes: { byUser: { id: 1, keys: (c) => [[c.app, c.userId]] } },
});

/** Lets its holder add a passkey (contract 07 section 5); a hash, for one tenant. Valid if `expiresAt >= now`. */
export interface RecoveryTokenRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** Lower-case hex of the token's SHA-256. */
  readonly tokenHash: string;
  /** Of the login method or primary user it was asked for. */
  readonly userId: InternalUserId;
  /** Normalised. */
  readonly email: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

export const recoveryTokens = defineCollection({
  id: 43,
  name: 'webauthn_recovery_tokens',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, tokenHash: 3, userId: 4, email: 5, expiresAt: 6 },
  key: (t: RecoveryTokenRecord) => [t.app, t.tenant, t.tokenHash],
  indexes: {
    byUser: { id: 1, keys: (t) => [[t.app, t.userId]] },
    byEmail: { id: 2, keys: (t) => [[t.app, t.tenant, t.email]] },
    byExpiry: { id: 3, keys: (t) => [[t.expiresAt]] },
  },
});
