import { defineCollection } from '../../store/collection.ts';

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

/** The devices of a user id, which is free text, kept as sent. One record, because whatever asks for a device has to look at all of them. */
export interface TotpDevicesRecord {
  readonly app: number;
  readonly userId: string;
  /** By name; never empty. */
  readonly devices: readonly TotpDevice[];
}

export const totpDevices = defineCollection<TotpDevicesRecord>({
  id: 25,
  name: 'totp_devices',
  scope: 'app',
  format: 1,
  fields: { app: 1, userId: 2, devices: 3 },
  key: (d) => [d.app, d.userId],
});

/** An attempt to use a code. Attempts of a user in a tenant have distinct times. */
export interface UsedCodeRecord {
  readonly app: number;
  readonly tenant: number;
  readonly userId: string;
  /** ms since the epoch, or the next free one. */
  readonly createdAt: number;
  /** The code, when it was right; of wrong ones only their number and time matter, so what was typed is not kept. */
  readonly code: string | null;
  /** Until then a right code is not taken again, ms since the epoch. */
  readonly expiresAt: number;
  /** When it stops to count for the rate limit too, by the cool-down that held when this was written; ms since the epoch. */
  readonly cleanAfter: number;
}

/** Where the replay check looks for a code, and what stands there for failures: no code is empty. */
export const codePlace = ({ app, userId, tenant, code }: Pick<UsedCodeRecord, 'app' | 'userId' | 'tenant' | 'code'>) =>
  [app, userId, tenant, code ?? ''] as const;

export const usedCodes = defineCollection<UsedCodeRecord>({
  id: 26,
  name: 'totp_used_codes',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, userId: 3, createdAt: 4, code: 5, expiresAt: 6, cleanAfter: 7 },
  key: (c) => [c.app, c.tenant, c.userId, c.createdAt],
  indexes: {
    /** All attempts of a user, and within a tenant the uses of one code by their expiry. */
    byUser: { id: 1, keys: (c) => [[...codePlace(c), c.expiresAt]] },
    byCleanAfter: { id: 2, keys: (c) => [[c.cleanAfter]] },
  },
});
