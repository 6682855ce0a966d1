import { asObjectText, isObjectText, type JsonText } from '../../json/free-form.ts';
import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** Names a session: uuid v4, for a non-public tenant followed by `_` and the tenant id. */
export type SessionHandle = string & { readonly __session: unique symbol };

/** One session row (contract 02 section 1.1). Both refresh flows drive the same row. */
export interface SessionRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly handle: SessionHandle;
  /** The recipe user's id; the external one when a mapping existed at creation. */
  readonly userId: string;
  /** hash2 of the refresh token that is current. */
  readonly refreshHash: string;
  /** hash2 of the token that the current one replaced. */
  readonly previousRefreshHash: string | null;
  /** When the current token replaced the previous one, ms. */
  readonly rotatedAt: number | null;
  /** Session data of the caller. */
  readonly data: JsonText;
  /** Custom claims of the caller. */
  readonly claims: JsonText;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly useStaticKey: boolean;
}

/** Tenants that are created again get new numbers, so a key never names a session of another tenant of that name. */
export type SessionKey = readonly [app: AppNumber, tenant: TenantNumber, handle: SessionHandle];

/** The key of the session that has this handle, if there is one. */
export function sessionKey({ app, tenant }: Pick<SessionRecord, 'app' | 'tenant'>, handle: string): SessionKey {
  return [app, tenant, handle as SessionHandle];
}

/** The number of the tenant in a session's key. */
export const tenantIn = ([, tenant]: SessionKey): TenantNumber => tenant;

/** The handle in a session's key. */
export const handleIn = ([, , handle]: SessionKey): SessionHandle => handle;

/** Width of the buckets of the expiry index: a rotation within the same hour does not touch the index. */
export const EXPIRY_BUCKET_MS = 3_600_000;

/**
 * Unit of the expiry that the index of users notes, so that lists read only the rows of the few sessions that expire in
 * the present unit. More refreshes would have to rewrite a shorter one.
 */
export const NOTED_EXPIRY_MS = 86_400_000;

export const sessions = defineCollection({
  id: 10,
  name: 'sessions',
  scope: 'tenant',
  format: 1,
  fields: {
    app: 1,
    tenant: 2,
    handle: 3,
    userId: 4,
    refreshHash: 5,
    previousRefreshHash: 6,
    rotatedAt: 7,
    data: 8,
    claims: 9,
    createdAt: 10,
    expiresAt: 11,
    useStaticKey: 12,
  },
  key: (s: SessionRecord): SessionKey => [s.app, s.tenant, s.handle],
  // A number that was once taken for an object holds no data and no claims, and no token could carry it.
  repair: (s) =>
    isObjectText(s.data) && isObjectText(s.claims) ? s : { ...s, data: asObjectText(s.data), claims: asObjectText(s.claims) },
  indexes: {
    byUser: { id: 1, keys: (s) => [[s.app, s.userId, s.tenant]], note: (s) => Math.floor(s.expiresAt / NOTED_EXPIRY_MS) },
    byExpiry: { id: 2, keys: (s) => [[Math.floor(s.expiresAt / EXPIRY_BUCKET_MS)]] },
  },
});
