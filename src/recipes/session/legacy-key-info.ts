import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { dynamicSigningKey, staticSigningKey } from '../signing-keys/key-life.ts';

/** What callers below CDI 2.21 learn about signing keys (contract 02 section 1.16). */
export interface LegacyKeyInfo {
  readonly jwtSigningPublicKey: string;
  readonly jwtSigningPublicKeyExpiryTime: number;
  readonly jwtSigningPublicKeyList?: readonly { readonly publicKey: string; readonly expiryTime: number; readonly createdAt: number }[];
}

/** Ten years, ms: the life reported of static keys. As the expiry time it stands alone, not added to a time. */
const STATIC_KEY_LIFE_MS = 315_360_000_000;

/** Undefined from CDI 2.21 on. */
export async function legacyKeyInfo(context: Context, tenant: Tenant): Promise<LegacyKeyInfo | undefined> {
  if (!context.traits.legacySessions) return undefined;
  const keys = await context.keys.current(tenant);
  const times = context.keys.times(tenant);
  const isDynamic = tenant.appConfig.access_token_signing_key_dynamic;
  const signing = isDynamic ? dynamicSigningKey(keys.dynamic, times, context.now()) : staticSigningKey(keys.static, times, context.now());
  if (!signing) throw new Error('the app has no signing key although its keys were just made');
  const published = isDynamic ? keys.dynamic : keys.static;
  const lifeMs = isDynamic ? times.verifiableMs : STATIC_KEY_LIFE_MS;
  const list = published.map(({ publicKey, createdAt }) => ({ publicKey, expiryTime: createdAt + lifeMs, createdAt }));
  return {
    jwtSigningPublicKey: signing.publicKey,
    jwtSigningPublicKeyExpiryTime: isDynamic ? signing.createdAt + times.intervalMs : STATIC_KEY_LIFE_MS,
    ...(context.traits.legacyKeyList ? { jwtSigningPublicKeyList: list } : {}),
  };
}
