import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { keySetMaxAge } from './key-life.ts';
import type { KeySet, SigningKey, SigningKeys } from './signing-keys.ts';

/** A public key as published (RFC 7517), exactly these six members. */
export interface PublishedKey {
  readonly kty: 'RSA';
  readonly kid: string;
  readonly n: string;
  readonly e: string;
  readonly alg: 'RS256';
  readonly use: 'sig';
}

export interface PublishedKeySet {
  readonly keys: readonly PublishedKey[];
  readonly maxAgeSeconds: number;
}

const published = new WeakMap<SigningKey, PublishedKey>();

function publishedKey(key: SigningKey): PublishedKey {
  const known = published.get(key);
  if (known) return known;
  const { n, e } = key.verifier.export({ format: 'jwk' });
  if (typeof n !== 'string' || typeof e !== 'string') throw new Error('a signing key is not an RSA key');
  const made: PublishedKey = { kty: 'RSA', kid: key.kid, n, e, alg: 'RS256', use: 'sig' };
  published.set(key, made);
  return made;
}

/** Whose keys, and as of when (ms since the epoch). */
interface Asked {
  readonly keys: SigningKeys;
  readonly tenant: Tenant;
  readonly now: () => number;
}

/** The keys of an app as `/.well-known/jwks.json` shows them. */
export const publishedKeys = (set: KeySet): readonly PublishedKey[] => [...set.dynamic, ...set.static].map(publishedKey);

/** The keys of `/.well-known/jwks.json`: verifiable dynamic, then static, newest first (contract 02 section 1.4). */
export function keySet({ keys, tenant, now }: Asked): MaybePromise<PublishedKeySet> {
  return whenReady(keys.current(tenant), (set) => ({
    keys: publishedKeys(set),
    maxAgeSeconds: keySetMaxAge(set.dynamic, keys.times(tenant), now()),
  }));
}
