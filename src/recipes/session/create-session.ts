import type { AccessTokenClaims } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import type { JsonText } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import { accountOf } from '../accounts/account.ts';
import { Refusal } from '../refusal.ts';
import { checkClaims } from './claims.ts';
import { newHandle } from './handle.ts';
import { type LegacyKeyInfo, legacyKeyInfo } from './legacy-key-info.ts';
import { sessions } from '../session-records/records.ts';
import { accessTokenExpiry, checkValidityOverride, mintAccessToken, mintRefreshToken, signingKey, type TokenView } from './tokens.ts';

/** A session as create, verify, refresh and regenerate show it. */
export interface SessionView {
  readonly handle: string;
  readonly userId: string;
  readonly recipeUserId: string;
  readonly userDataInJWT: JsonText;
  readonly tenantId: string;
}

/** The session that a token names, with other claims. */
export const sessionOf = ({ token }: { readonly token: AccessTokenClaims }, claims: SessionView['userDataInJWT']): SessionView => ({
  handle: token.sessionHandle,
  userId: token.userId,
  recipeUserId: token.recipeUserId,
  userDataInJWT: claims,
  tenantId: token.tenantId,
});

/** A session with freshly minted tokens. */
export interface StartedSession {
  readonly status: 'OK';
  readonly session: SessionView;
  readonly accessToken: TokenView;
  readonly refreshToken: TokenView;
  readonly antiCsrfToken: string | null;
  readonly idRefreshToken?: TokenView;
  readonly legacyKeys?: LegacyKeyInfo;
}

/**
 * `POST /recipe/session` (contract 02 section 2.1): tokens are minted first, then one transaction stores the row,
 * unless the user is disabled by then: whoever disables users revokes afterwards, and finds the rows of before.
 */
export async function createSession(context: Context, command: Commands['session/create-session']): Promise<StartedSession> {
  const { store, tenant, traits, activity } = context;
  checkValidityOverride(tenant, command.accessTokenValidity);
  checkClaims('userDataInJWT', command.userDataInJWT);
  const useStaticKey = traits.modernSessions ? command.useDynamicSigningKey === false : !tenant.appConfig.access_token_signing_key_dynamic;
  const { identity, isDisabledIn } = await store.readShared((reader) => accountOf(reader, tenant.app, command.userId));
  const handle = newHandle(context.randomId(), context.now(), tenant.tenantId);
  const antiCsrfToken = command.enableAntiCsrf ? context.randomId() : null;
  const key = await signingKey(context, tenant, useStaticKey);
  const refreshToken = await mintRefreshToken(context, tenant, { handle, userId: identity.recipeUserId, parentHash1: null, antiCsrfToken });
  const now = refreshToken.createdTime;
  const claims = {
    version: traits.accessTokenVersion,
    sessionHandle: handle,
    userId: identity.userId,
    recipeUserId: identity.recipeUserId,
    tenantId: tenant.tenantId,
    refreshTokenHash1: refreshToken.hash1,
    parentRefreshTokenHash1: null,
    antiCsrfToken,
    claims: command.userDataInJWT,
    expiryMs: accessTokenExpiry(context, tenant, now, command.accessTokenValidity),
    createdMs: now,
  };
  const accessToken = await mintAccessToken(context, claims, key);
  const isActivityDue = activity.claim(tenant.app, identity.internalPrimaryId, now);
  const active = await store.transact(async (tx) => {
    if (await isDisabledIn(tx)) throw new Refusal('bad-input', { text: 'The user is disabled' });
    await tx.insert(sessions, {
      app: tenant.app,
      tenant: tenant.tenant,
      handle,
      userId: identity.recipeUserId,
      refreshHash: refreshToken.hash2,
      previousRefreshHash: null,
      rotatedAt: null,
      data: command.userDataInDatabase,
      claims: command.userDataInJWT,
      createdAt: now,
      expiresAt: refreshToken.expiry,
      useStaticKey,
    });
    return isActivityDue ? activity.record(tx, tenant.app, identity.internalPrimaryId, now) : undefined;
  });
  activity.written(active);
  const legacyKeys = await legacyKeyInfo(context, tenant);
  return {
    status: 'OK',
    session: {
      handle,
      userId: identity.userId,
      recipeUserId: identity.recipeUserId,
      userDataInJWT: command.userDataInJWT,
      tenantId: tenant.tenantId,
    },
    accessToken,
    refreshToken,
    antiCsrfToken,
    ...(traits.legacySessions ? { idRefreshToken: { ...refreshToken, token: context.randomId() } } : {}),
    ...(legacyKeys ? { legacyKeys } : {}),
  };
}
