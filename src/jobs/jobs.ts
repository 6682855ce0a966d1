import { removeExpiredDashboardSessions } from '../recipes/dashboard/expiry.ts';
import { removeExpiredResetTokens, removeOldSignInFailures } from '../recipes/email-password/expiry.ts';
import { removeExpiredVerificationTokens } from '../recipes/email-verification/expiry.ts';
import type { TenantDirectory } from '../recipes/tenants/directory.ts';
import { purgeTombstones } from '../recipes/multitenancy/purge-tombstones.ts';
import { removeExpiredDevices } from '../recipes/passwordless/expiry.ts';
import { removeExpiredSamlData } from '../recipes/saml/expiry.ts';
import { removeExpiredSessions } from '../recipes/session/expiry.ts';
import { removeExpiredAttempts } from '../recipes/totp/expiry.ts';
import { purgeRemovedRoles } from '../recipes/user-roles/purge-removed-roles.ts';
import type { Store } from '../store/store.ts';
import { COLLECTIONS } from './collections.ts';
import type { Job } from './runner.ts';

/** What jobs work with. */
export interface JobServices {
  readonly store: Store;
  /** For what a tenant's own configuration decides. */
  readonly directory: TenantDirectory;
  /** Wall clock, ms since the epoch. */
  readonly now: () => number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Every periodic work of the product (contract 01 section 11). No expiry check at use depends on it. */
export const JOBS: readonly Job<JobServices>[] = [
  { name: 'expired-sessions', everyMs: 12 * HOUR_MS, run: ({ store, now }, limit) => removeExpiredSessions(store, now(), limit) },
  {
    name: 'expired-verification-tokens',
    everyMs: 12 * HOUR_MS,
    run: ({ store, now }, limit) => removeExpiredVerificationTokens(store, now(), limit),
  },
  { name: 'expired-reset-tokens', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredResetTokens(store, now(), limit) },
  {
    name: 'old-sign-in-failures',
    everyMs: 5 * MINUTE_MS,
    run: ({ store, now }, limit) => removeOldSignInFailures(store, now(), limit),
  },
  {
    name: 'expired-passwordless-devices',
    everyMs: HOUR_MS,
    run: ({ store, directory, now }, limit) => removeExpiredDevices(store, directory, now(), limit),
  },
  { name: 'expired-totp-attempts', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredAttempts(store, now(), limit) },
  {
    name: 'expired-dashboard-sessions',
    everyMs: 12 * HOUR_MS,
    run: ({ store, now }, limit) => removeExpiredDashboardSessions(store, now(), limit),
  },
  { name: 'expired-saml-data', everyMs: HOUR_MS, run: ({ store, now }, limit) => removeExpiredSamlData(store, now(), limit) },
  { name: 'removed-roles', everyMs: MINUTE_MS, run: ({ store }, limit) => purgeRemovedRoles(store, limit) },
  { name: 'removed-tenants', everyMs: MINUTE_MS, run: ({ store, now }, limit) => purgeTombstones(store, COLLECTIONS, now(), limit) },
];
