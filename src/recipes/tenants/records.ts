import type { JsonText } from '../../json/free-form.ts';
import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';
import type { ApiKeyRecord } from './api-keys.ts';

/** A stored tenant (contract 04 section 1.2). An app is its tenant `public`, a domain is its app `public`. */
export interface TenantRecord {
  readonly cud: string;
  readonly appId: string;
  readonly tenantId: string;
  /** Numbers of app and tenant. A tenant created again gets new ones, so that it cannot see what it held before. */
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly emailPasswordEnabled: boolean;
  readonly thirdPartyEnabled: boolean;
  readonly passwordlessEnabled: boolean;
  /** null: not set; `[]`: set, none. */
  readonly firstFactors: readonly string[] | null;
  /** null or not empty. */
  readonly requiredSecondaryFactors: readonly string[] | null;
  /** JSON array of provider configurations (contract 04 section 1.3). */
  readonly providers: JsonText;
  /** Own configuration as it was sent; inherited values are not in it. */
  readonly coreConfig: JsonText;
  /** API keys of the app; they stand in the record of its public tenant, which every request of the app needs. */
  readonly apiKeys?: readonly ApiKeyRecord[] | undefined;
  /** How often an operator changed the signing keys of the app: who sees another number reads them again. */
  readonly keyChanges?: number | undefined;
}

const NOTHING_SET = '{}';

export const tenants = defineCollection({
  id: 1,
  name: 'tenants',
  scope: 'core',
  format: 1,
  fields: {
    cud: 1,
    appId: 2,
    tenantId: 3,
    app: 4,
    tenant: 5,
    emailPasswordEnabled: 6,
    thirdPartyEnabled: 7,
    passwordlessEnabled: 8,
    firstFactors: 9,
    requiredSecondaryFactors: 10,
    providers: 11,
    coreConfig: 12,
    apiKeys: 13,
    keyChanges: 14,
  },
  key: (t: TenantRecord) => [t.cud, t.appId, t.tenantId],
  indexes: {
    byNumber: { id: 1, unique: true, keys: (t) => [[t.app, t.tenant]] },
    /** Those with a configuration of their own, which alone can conflict with their app's. */
    configured: { id: 2, unique: true, keys: (t) => (t.coreConfig === NOTHING_SET ? [] : [[t.cud, t.appId, t.tenantId]]) },
    /** The connection URI domains besides the default one. */
    domains: { id: 3, unique: true, keys: (t) => (t.cud !== '' && t.appId === 'public' && t.tenantId === 'public' ? [[t.cud]] : []) },
  },
});

/** A number that only grows. */
export interface CounterRecord {
  readonly name: CounterName;
  readonly value: number;
}

/** `numbers`: the last number given to an app or tenant; `generation`: changes of tenants and configuration so far. */
export type CounterName = 'numbers' | 'generation';

export const counters = defineCollection({
  id: 2,
  name: 'counters',
  scope: 'core',
  format: 1,
  fields: { name: 1, value: 2 },
  key: (c: CounterRecord) => [c.name],
});

/** A removed app (`tenant` 0) or tenant whose records are still to be deleted. */
export interface TombstoneRecord {
  /** ms since the epoch. */
  readonly removedAt: number;
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
}

export const tombstones = defineCollection({
  id: 3,
  name: 'tombstones',
  scope: 'core',
  format: 1,
  fields: { removedAt: 1, app: 2, tenant: 3 },
  key: (t: TombstoneRecord) => [t.removedAt, t.app, t.tenant],
});

/** `tenant` of a tombstone that stands for a whole app; numbers begin at 1. */
export const WHOLE_APP = 0 as TenantNumber;

/** When an API key was last used, to about ten minutes. Apart from the key itself, which a use does not change. */
export interface ApiKeyUseRecord {
  readonly app: AppNumber;
  readonly name: string;
  /** ms since the epoch */
  readonly at: number;
}

export const apiKeyUses = defineCollection({
  id: 50,
  name: 'api_key_uses',
  scope: 'app',
  format: 1,
  fields: { app: 1, name: 2, at: 3 },
  key: (u: ApiKeyUseRecord) => [u.app, u.name],
});
