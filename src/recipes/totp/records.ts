import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** A user id in an app. */
export interface Owner {
  readonly app: AppNumber;
  readonly userId: string;
}

/** A device that makes codes (contract 05 section 1). */
export interface TotpDevice {
  /** Unique among the devices of a user. */
  readonly name: string;
  /** Base32; of imports, whatever was sent. */
  readonly secret: string;
  /** Seconds per code. */
  readonly period: number;
  /** Steps that a code may be off either way. */
  readonly skew: number;
  readonly verified: boolean;
  /** ms since the epoch. */
  readonly createdAt: number;
}

/** All devices of a user id (free text, kept as sent), in one record because every use has to look at all of them. */
export interface TotpDevicesRecord {
  readonly app: AppNumber;
  readonly userId: string;
  /** By name; never empty. */
  readonly devices: readonly TotpDevice[];
}

export const totpDevices = defineCollection({
  id: 25,
  name: 'totp_devices',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, devices: 3 },
  key: (d: TotpDevicesRecord) => [d.app, d.userId],
});

/** A right code that was used. */
export interface UsedCode {
  readonly code: string;
  /** Until then it is not taken again, ms since the epoch. */
  readonly expiresAt: number;
}

/**
 * What attempts of a user id leave behind in all tenants of the app: exactly what the rules of contract 05 section 4.2
 * need, so that judging reads and writes one record. Wrong codes are counted, not kept.
 */
export interface TotpAttemptsRecord {
  readonly app: AppNumber;
  readonly userId: string;
  /** Times of failures since the last right code, newest first (ms since the epoch); see `LIMITS.totpFailures`. */
  readonly failures: readonly number[];
  /** Those that have not expired: at most what the devices can make in two of their spans. */
  readonly uses: readonly UsedCode[];
  /** When it counts for nothing any more, ms since the epoch. */
  readonly cleanAfter: number;
}

/** Width of the buckets of the clean-up index: attempts within the same hour do not touch it. */
export const CLEAN_BUCKET_MS = 3_600_000;

const bucketOf = (cleanAfter: number): number => Math.floor(cleanAfter / CLEAN_BUCKET_MS);

export const totpAttempts = defineCollection({
  id: 40,
  name: 'totp_attempts_of_users',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, failures: 3, uses: 4, cleanAfter: 5 },
  key: (a: TotpAttemptsRecord) => [a.app, a.userId],
  indexes: { byCleanAfter: { id: 1, keys: (a) => [[bucketOf(a.cleanAfter)]] } },
});

/** The same for one tenant, as attempts were kept while each tenant counted for itself. Read, and no more added to. */
export interface TenantTotpAttemptsRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly userId: string;
  readonly failures: readonly number[];
  readonly uses: readonly UsedCode[];
  /** When the last of all attempts here expires, ms since the epoch. */
  readonly expiresAt: number;
  readonly cleanAfter: number;
}

export const tenantTotpAttempts = defineCollection({
  id: 26,
  name: 'totp_attempts',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, userId: 3, failures: 4, uses: 5, expiresAt: 6, cleanAfter: 7 },
  key: (a: TenantTotpAttemptsRecord) => [a.app, a.tenant, a.userId],
  indexes: {
    byUser: { id: 1, keys: (a) => [[a.app, a.userId]] },
    byCleanAfter: { id: 2, keys: (a) => [[bucketOf(a.cleanAfter)]] },
  },
});
