import type { Traits } from '../../cdi/traits.ts';
import { quote, stringifyAnswer } from '../../json/answer.ts';
import { type JsonValue, RawJson } from '../../json/free-form.ts';
import type { Context } from '../context.ts';
import type { Answer } from '../route.ts';
import { type SessionView, sessionOf, type StartedSession } from './create-session.ts';
import type { FoundSession } from './get-session.ts';
import type { Handshake } from './handshake.ts';
import type { LegacyKeyInfo } from './legacy-key-info.ts';
import type { RefreshResult } from './refresh-session.ts';
import type { RegenerateResult } from './regenerate-session.ts';
import type { TokenView } from './tokens.ts';
import type { VerifiedToken } from '../session-records/verified-tokens.ts';
import type { VerifyResult } from './verify-session.ts';

type JsonMembers = { readonly [name: string]: JsonValue };

export const SESSION_MISSING: Answer = { json: { status: 'UNAUTHORISED', message: 'Session does not exist.' } };

function sessionMembers(session: SessionView, traits: Traits): JsonMembers {
  return {
    handle: session.handle,
    userId: session.userId,
    recipeUserId: traits.accountLinking ? session.recipeUserId : undefined,
    userDataInJWT: new RawJson(session.userDataInJWT),
    tenantId: traits.tenants ? session.tenantId : undefined,
  };
}

const tokenMembers = ({ token, expiry, createdTime }: TokenView): JsonMembers => ({ token, expiry, createdTime });

const keyMembers = (keys: LegacyKeyInfo | undefined): JsonMembers =>
  keys === undefined
    ? {}
    : {
        jwtSigningPublicKey: keys.jwtSigningPublicKey,
        jwtSigningPublicKeyExpiryTime: keys.jwtSigningPublicKeyExpiryTime,
        jwtSigningPublicKeyList: keys.jwtSigningPublicKeyList?.map((key) => ({ ...key })),
      };

export function startedView(started: StartedSession, { traits }: Context): Answer {
  return {
    json: {
      status: 'OK',
      session: sessionMembers(started.session, traits),
      accessToken: tokenMembers(started.accessToken),
      refreshToken: tokenMembers(started.refreshToken),
      antiCsrfToken: started.antiCsrfToken ?? undefined,
      idRefreshToken: started.idRefreshToken && tokenMembers(started.idRefreshToken),
      ...keyMembers(started.legacyKeys),
    },
  };
}

export function refreshView(result: RefreshResult, context: Context): Answer {
  switch (result.status) {
    case 'OK':
      return startedView(result, context);
    case 'UNAUTHORISED':
      return { json: { status: result.status, message: result.message, recentTokenReuseSubtype: result.recentTokenReuseSubtype } };
    case 'TOKEN_THEFT_DETECTED':
      return { json: { status: result.status, session: result.session, recentTokenReuseSubtype: result.recentTokenReuseSubtype } };
  }
}

export function verifyView(result: VerifyResult, { traits, repeated }: Context): Answer {
  if (result.status !== 'OK') return { json: { status: result.status, message: result.message, ...keyMembers(result.legacyKeys) } };
  const { verified, claims, accessToken, payloadUpdateAvailable, legacyKeys } = result;
  if (traits.accountLinking && accessToken === undefined && payloadUpdateAvailable === undefined) {
    if (!repeated) return { jsonBytes: Buffer.from(plainVerifyAnswer(verified)) };
    return repeated.answer ?? repeated.keepAnswer(plainVerifyAnswer(verified));
  }
  return {
    json: {
      status: 'OK',
      session: sessionMembers(sessionOf(verified, claims), traits),
      accessToken: accessToken && tokenMembers(accessToken),
      payloadUpdateAvailable,
      ...keyMembers(legacyKeys),
    },
  };
}

/** The answer most verifications get; it says nothing but what the token says, so it is kept with the request. */
function plainVerifyAnswer({ token }: VerifiedToken): string {
  const claims = stringifyAnswer(new RawJson(token.claims));
  return (
    `{"status":"OK","session":{"handle":${quote(token.sessionHandle)},"userId":${quote(token.userId)}` +
    `,"recipeUserId":${quote(token.recipeUserId)},"userDataInJWT":${claims},"tenantId":${quote(token.tenantId)}}}\n`
  );
}

export function regenerateView(result: RegenerateResult, { traits }: Context): Answer {
  if (result.status !== 'OK') return { json: { status: result.status, message: result.message } };
  const accessToken = result.accessToken && tokenMembers(result.accessToken);
  return { json: { status: 'OK', session: sessionMembers(result.session, traits), accessToken } };
}

export function foundSessionView(found: FoundSession | undefined, { traits }: Context): Answer {
  if (!found) return SESSION_MISSING;
  const { row, userId, tenantId } = found;
  return {
    json: {
      sessionHandle: row.handle,
      userId,
      recipeUserId: traits.accountLinking ? row.userId : undefined,
      userDataInDatabase: new RawJson(row.data),
      expiry: row.expiresAt,
      userDataInJWT: new RawJson(row.claims),
      timeCreated: row.createdAt,
      tenantId: traits.tenants ? tenantId : undefined,
      status: 'OK',
    },
  };
}

export function handshakeView(result: Handshake): Answer {
  const { legacyKeys, accessTokenBlacklistingEnabled, accessTokenValidity, refreshTokenValidity } = result;
  return { json: { status: 'OK', ...keyMembers(legacyKeys), accessTokenBlacklistingEnabled, accessTokenValidity, refreshTokenValidity } };
}
