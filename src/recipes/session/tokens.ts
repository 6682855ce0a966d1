import { LIMITS } from '../../config/limits.ts';
import { type AccessTokenClaims, accessTokenInput, joinAccessToken, PROTECTED_FIELD_MESSAGE } from '../../crypto/access-token.ts';
import { hash1, hash2, refreshTokenNonce, sealRefreshToken } from '../../crypto/refresh-token.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { dynamicSigningKey, staticSigningKey } from '../signing-keys/key-life.ts';
import type { SigningKey } from '../signing-keys/signing-keys.ts';

/** A token as answers show it; times are ms. */
export interface TokenView {
  readonly token: string;
  readonly expiry: number;
  readonly createdTime: number;
}

export interface MintedRefreshToken extends TokenView {
  readonly hash1: string;
  readonly hash2: string;
}

/** Life of a refresh token, ms. */
export function refreshTokenValidityMs(tenant: Tenant): number {
  return Math.trunc(tenant.appConfig.refresh_token_validity * 60_000);
}

/** Mints a refresh token (contract 02 section 1.6). Nothing is stored. */
export async function mintRefreshToken(
  context: Context,
  tenant: Tenant,
  session: { readonly handle: string; readonly userId: string; readonly parentHash1: string | null; readonly antiCsrfToken: string | null },
): Promise<MintedRefreshToken> {
  const master = await context.keys.masterKey(tenant);
  const createdTime = context.now();
  const token = sealRefreshToken(
    {
      sessionHandle: session.handle,
      userId: session.userId,
      parentRefreshTokenHash1: session.parentHash1,
      nonce: refreshTokenNonce(context.randomId()),
      antiCsrfToken: session.antiCsrfToken,
      tenantId: tenant.tenantId,
    },
    master,
    (size) => context.randomBytes(size),
  );
  if (token.length > LIMITS.tokenChars) throw tooLarge();
  const own = hash1(token);
  return { token, expiry: createdTime + refreshTokenValidityMs(tenant), createdTime, hash1: own, hash2: hash2(own) };
}

/** Thrown where custom claims use names reserved for a token; refresh reports it as an outcome, all others as a 400. */
export class ProtectedClaimError extends Refusal<'bad-input'> {
  constructor() {
    super('bad-input', { text: PROTECTED_FIELD_MESSAGE });
  }
}

/** Claims within their limits never make a token too long, but ids, which have no limit, can. */
const tooLarge = (): Refusal => new Refusal('bad-input', { text: `A token must not be longer than ${LIMITS.tokenChars} characters` });

/**
 * Signs an access token in the sign lane. Ask for the key (`signingKey`) before the time: a new app's may still have to
 * be made, and no token begins before it. @throws ProtectedClaimError; Refusal for a token that is too large
 */
export async function mintAccessToken({ crypto }: Context, claims: AccessTokenClaims, key: SigningKey): Promise<TokenView> {
  const made = accessTokenInput(claims, key.kid);
  if (made.status === 'PROTECTED_FIELD') throw new ProtectedClaimError();
  if (made.status === 'TOO_LARGE') throw tooLarge();
  const signature = await crypto.signRs256(made.input, key.privateKey);
  return { token: joinAccessToken(claims.version, made.input, signature), expiry: made.expiryMs, createdTime: made.createdMs };
}

/** The key that signs now (contract 02 section 1.4). Where none is ready it waits for one, for up to seconds. */
export async function signingKey(context: Context, tenant: Tenant, useStaticKey: boolean): Promise<SigningKey> {
  const keys = await context.keys.current(tenant);
  const times = context.keys.times(tenant);
  const now = context.now();
  const key = useStaticKey ? staticSigningKey(keys.static, times, now) : dynamicSigningKey(keys.dynamic, times, now);
  if (!key) throw new Error('the app has no signing key although its keys were just made');
  return key;
}

/** When a new access token expires, ms: the override, or the configured life less jitter (contract 02 section 1.7). */
export function accessTokenExpiry(context: Context, tenant: Tenant, now: number, overrideMs: number | undefined): number {
  if (overrideMs !== undefined) return now + overrideMs;
  const { access_token_validity, access_token_validity_jitter } = tenant.appConfig;
  return now + Math.trunc(access_token_validity * 1000 * (1 - context.randomUnit() * access_token_validity_jitter));
}

/** Refuses an `accessTokenValidity` outside the configured life (contract 02 section 1.7, override rule). */
export function checkValidityOverride(tenant: Tenant, overrideMs: number | undefined): void {
  const limitMs = tenant.appConfig.access_token_validity * 1000;
  if (overrideMs === undefined || (overrideMs > 0 && overrideMs <= limitMs)) return;
  const text = `accessTokenValidity must be greater than 0 and at most the configured access_token_validity (${limitMs} ms)`;
  throw new Refusal('bad-input', { text });
}
