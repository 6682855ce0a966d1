import { timingSafeEqual } from 'node:crypto';

/**
 * What an API key may be used for: `cdi` is the whole Core Driver Interface of its app; the others are parts of the
 * management endpoints, which only keys of the base app open; `all` is everything.
 */
export const API_SCOPES = ['cdi', 'read', 'users', 'tenants', 'keys', 'all'] as const;
export type ApiScope = (typeof API_SCOPES)[number];

/** An API key as it is kept in the record of its app's public tenant: the key itself is known to its owner alone. */
export interface ApiKeyRecord {
  /** Unique within the app. */
  readonly name: string;
  /** SHA-256 of the key, base64url. */
  readonly digest: string;
  readonly scopes: readonly ApiScope[];
  /** ms since the epoch */
  readonly createdAt: number;
  /** ms since the epoch; null: never. */
  readonly expiresAt: number | null;
}

/** An API key ready to be compared. */
export interface ApiKey {
  readonly name: string;
  readonly createdAt: number;
  readonly digest: Buffer;
  readonly scopes: readonly ApiScope[];
  readonly expiresAt: number | null;
}

/** The keys of an app as callers are compared with them. */
export function readyKeys(records: readonly ApiKeyRecord[]): readonly ApiKey[] {
  return records.map(({ digest, ...key }) => ({ ...key, digest: Buffer.from(digest, 'base64url') }));
}

/** The key with this digest. Every key is compared, so the time taken tells nothing about which one it is. */
export function keyWithDigest(keys: readonly ApiKey[], digest: Buffer, now: number): ApiKey | undefined {
  const same = keys.filter((key) => timingSafeEqual(key.digest, digest));
  return same.find(({ expiresAt }) => expiresAt === null || now < expiresAt);
}

/** Whether what a caller holds is enough for a scope. */
export function grants(held: readonly ApiScope[], needed: ApiScope): boolean {
  return held.includes('all') || held.includes(needed);
}
