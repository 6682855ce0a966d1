import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** Where codes of a device are sent. */
export type Contact = readonly ['email' | 'phone', string];

/** One code of a device; neither the typed code nor the link code is kept (contract 03 section 1.4). */
export interface CodeRecord {
  /** uuid v4 */
  readonly id: string;
  readonly linkCodeHash: string;
  /** ms */
  readonly createdAt: number;
}

/** A passwordless device with its codes (contract 03 section 1.1). */
export interface DeviceRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly deviceIdHash: string;
  readonly contact: Contact;
  readonly linkCodeSalt: string;
  /** Wrong and expired codes that were tried. */
  readonly failedAttempts: number;
  /** Oldest first, at least one. */
  readonly codes: readonly CodeRecord[];
  /** When its newest code expires by the lifetime that counted when this was written, ms. */
  readonly cleanAfter: number;
}

/** Width of the buckets of the clean-up index. */
export const CLEAN_BUCKET_MS = 3_600_000;

export const devices = defineCollection({
  id: 20,
  name: 'passwordless_devices',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, deviceIdHash: 3, contact: 4, linkCodeSalt: 5, failedAttempts: 6, codes: 7, cleanAfter: 8 },
  key: (d: DeviceRecord) => [d.app, d.tenant, d.deviceIdHash],
  indexes: {
    codeId: { id: 1, unique: true, keys: (d) => d.codes.map((code) => [d.app, d.tenant, code.id] as const) },
    linkCode: { id: 2, unique: true, keys: (d) => d.codes.map((code) => [d.app, d.tenant, code.linkCodeHash] as const) },
    byContact: { id: 3, keys: (d) => [[d.app, d.tenant, ...d.contact]] },
    byCleanAfter: { id: 4, keys: (d) => [[Math.floor(d.cleanAfter / CLEAN_BUCKET_MS)]] },
  },
});
