import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** An email that a user has verified (contract 03 section 1.1). The user id is free text, external for mapped users. */
export interface VerifiedEmailRecord {
  readonly app: AppNumber;
  readonly userId: string;
  readonly email: string;
}

export const verifiedEmails = defineCollection({
  id: 14,
  name: 'verified_emails',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, email: 3 },
  key: (v: VerifiedEmailRecord) => [v.app, v.userId, v.email],
});

/** A token that verifies an email, kept by hash only (contract 03 section 1.1). Valid while `expiresAt >= now`. */
export interface VerificationTokenRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** Lower-case hex of the token's SHA-256. */
  readonly tokenHash: string;
  /** Free text, as for verified emails. */
  readonly userId: string;
  readonly email: string;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

export const verificationTokens = defineCollection({
  id: 19,
  name: 'verification_tokens',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, tokenHash: 3, userId: 4, email: 5, expiresAt: 6 },
  key: (t: VerificationTokenRecord) => [t.app, t.tenant, t.tokenHash],
  indexes: {
    /** The tokens of a user in all tenants; longer prefixes give those of a tenant and of one email there. */
    byUser: { id: 1, keys: (t) => [[t.app, t.userId, t.tenant, t.email]] },
    /** A token never changes its expiry, so the index needs no buckets. */
    byExpiry: { id: 2, keys: (t) => [[t.expiresAt]] },
  },
});
