import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';

/** Lets its holder set a password (contract 03 section 1.1); a hash, for the whole app. Valid if `expiresAt >= now`. */
export interface ResetTokenRecord {
  readonly app: AppNumber;
  /** Lower-case hex of the token's SHA-256. */
  readonly tokenHash: string;
  /** Of the login method or primary user it was asked for. */
  readonly userId: InternalUserId;
  /** As the caller gave it; `null` in tokens that older stores were left with. */
  readonly email: string | null;
  /** ms since the epoch. */
  readonly expiresAt: number;
}

export const resetTokens = defineCollection({
  id: 18,
  name: 'password_reset_tokens',
  scope: 'app',
  format: 1,
  fields: { app: 1, tokenHash: 2, userId: 3, email: 4, expiresAt: 5 },
  key: (t: ResetTokenRecord) => [t.app, t.tokenHash],
  indexes: {
    byUser: { id: 1, keys: (t) => [[t.app, t.userId]] },
    /** A token never changes its expiry, so the index needs no buckets. */
    byExpiry: { id: 2, keys: (t) => [[t.expiresAt]] },
  },
});

/** Recent failed password sign-ins of a user or dashboard account, or from an address; only where limits are set. */
export interface SignInFailuresRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** SHA-256 (lower-case hex) of what is limited, so that nobody who tries to sign in is named in clear. */
  readonly subject: string;
  /** Start of the window that is counted, ms since the epoch: a multiple of the window's length. */
  readonly since: number;
  /** Failures in the window that began at `since`. */
  readonly count: number;
  /** Failures in the window before. */
  readonly previous: number;
  /** When neither window matters any more, ms since the epoch; it moves with `since`. */
  readonly expiresAt: number;
}

export const signInFailures = defineCollection({
  id: 21,
  name: 'sign_in_failures',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, subject: 3, since: 4, count: 5, previous: 6, expiresAt: 7 },
  key: (f: SignInFailuresRecord) => [f.app, f.tenant, f.subject],
  indexes: { byExpiry: { id: 1, keys: (f) => [[f.expiresAt]] } },
});
