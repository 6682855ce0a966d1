import { claimsAsSigned } from '../../crypto/access-token.ts';
import { EXPIRED_MESSAGE, INCOMPLETE_MESSAGE } from '../../crypto/access-token-reading.ts';
import { secretsEqual } from '../../crypto/constant-time.ts';
import { hash2 } from '../../crypto/refresh-token.ts';
import type { Commands } from '../../generated/commands.ts';
import { jsonEqual } from '../../json/equality.ts';
import type { JsonText } from '../../json/free-form.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Seen } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { authenticate, type NotAuthentic } from './authenticate-token.ts';
import { tenantOfApp } from './handle.ts';
import { type LegacyKeyInfo, legacyKeyInfo } from './legacy-key-info.ts';
import { holdsLineage, withCurrent } from './lineage.ts';
import { sessionKey, type SessionRecord, sessions } from '../session-records/records.ts';
import { mintAccessToken, refreshTokenValidityMs, signingKey, type TokenView } from './tokens.ts';
import type { TokenLineage, VerifiedToken } from '../session-records/verified-tokens.ts';

type Command = Commands['session/verify-session'];

export type VerifyResult = (
  | {
      readonly status: 'OK';
      readonly verified: VerifiedToken;
      /** The token's claims, or the row's where a new token carries them. */
      readonly claims: JsonText;
      readonly accessToken?: TokenView;
      readonly payloadUpdateAvailable?: boolean;
    }
  | { readonly status: 'UNAUTHORISED' | 'TRY_REFRESH_TOKEN'; readonly message: string }
) & { readonly legacyKeys?: LegacyKeyInfo };

const tryRefresh = (message: string): VerifyResult => ({ status: 'TRY_REFRESH_TOKEN', message });
const unauthorised = (message: string): VerifyResult => ({ status: 'UNAUTHORISED', message });
const ok = (verified: VerifiedToken): VerifyResult => ({ status: 'OK', verified, claims: verified.token.claims });

const EXPIRED = tryRefresh(EXPIRED_MESSAGE);
const WITHOUT_ANTI_CSRF = tryRefresh(INCOMPLETE_MESSAGE);
const ANTI_CSRF_FAILED = tryRefresh('anti-csrf check failed');
const ENDED = unauthorised('Either the session has ended or has been blacklisted');
const MISSING = unauthorised('Session missing in db');
const ROTATED_OUT = unauthorised('rotated-out token branch; refresh required');

/**
 * `POST /recipe/session/verify` (contract 02 section 2.3). The hot path of the product: while the token was seen before
 * and the store answers at once, no promise is made.
 */
export function verifySession(context: Context, command: Command): MaybePromise<VerifyResult> {
  const result = whenReady(authenticate(context, command.accessToken), (authentic) => verifyAuthentic(context, command, authentic));
  return context.traits.legacySessions ? withLegacyKeys(context, result) : result;
}

async function withLegacyKeys(context: Context, pending: MaybePromise<VerifyResult>): Promise<VerifyResult> {
  const result = await pending;
  if (result.status === 'UNAUTHORISED') return result;
  const legacyKeys = await legacyKeyInfo(context, context.tenant);
  return legacyKeys ? { ...result, legacyKeys } : result;
}

function verifyAuthentic(context: Context, command: Command, authentic: VerifiedToken | NotAuthentic): MaybePromise<VerifyResult> {
  if ('message' in authentic) return tryRefresh(authentic.message);
  if (isExpired(authentic, context.now())) return EXPIRED;
  const mustCheckAntiCsrf = command.doAntiCsrfCheck && command.enableAntiCsrf;
  if (mustCheckAntiCsrf && authentic.token.antiCsrfToken === null) return WITHOUT_ANTI_CSRF;
  const own = context.tenant;
  const tenant = authentic.tenantId === own.tenantId ? own : tenantOfApp(context, authentic.tenantId);
  return whenReady(tenant, (found) => {
    if (mustCheckAntiCsrf && !secretsEqual(command.antiCsrfToken ?? '', authentic.token.antiCsrfToken ?? '')) return ANTI_CSRF_FAILED;
    return checkSession(context, command, authentic, found);
  });
}

/** Only in its last second does a token have to be asked for its exact expiry. */
function isExpired({ expirySeconds, token }: VerifiedToken, nowMs: number): boolean {
  return expirySeconds * 1000 < nowMs && token.expiryMs < nowMs;
}

function checkSession(context: Context, command: Command, verified: VerifiedToken, tenant: Tenant): MaybePromise<VerifyResult> {
  const { traits } = context;
  const checkDatabase = traits.modernSessions ? command.checkDatabase : tenant.appConfig.access_token_blacklisting;
  if (!checkDatabase) {
    if (traits.rotatingRefresh || !verified.hasParent) return ok(verified);
    return promoteAndRemint(context, verified, tenant, false);
  }
  return whenReady(readRow(context, verified, tenant), (row) => {
    if (!row) return ENDED;
    if (traits.rotatingRefresh) return verifyLineage(verified, row.record);
    if (!verified.hasParent && verified.rowHasSameClaims) return ok(verified);
    return promoteAndRemint(context, verified, tenant, !verified.rowHasSameClaims);
  });
}

/** The row, compared with the token only when its bytes have changed since this token was last verified. */
function readRow({ store }: Context, verified: VerifiedToken, tenant: Tenant): MaybePromise<Seen<SessionRecord> | undefined> {
  // A tenant that was removed and made again has another number, and none of its old sessions.
  const seen = verified.rowTenant === tenant.tenant ? verified.row : undefined;
  return whenReady(
    store.readShared((reader) =>
      seen ? reader.getAgain(sessions, seen) : reader.getSeen(sessions, sessionKey(tenant, verified.token.sessionHandle)),
    ),
    (row) => {
      if (row && row !== seen) {
        verified.row = row;
        verified.rowTenant = tenant.tenant;
        verified.rowHasSameClaims = jsonEqual(claimsAsSigned(verified.token.version, row.record.claims), verified.token.claims);
      }
      return row;
    },
  );
}

/** CDI 5.6: nothing is written or minted; the token must belong to the living lineage. */
function verifyLineage(verified: VerifiedToken, row: SessionRecord): VerifyResult {
  const { refreshHash2, parentHash2 } = lineageOf(verified);
  if (!holdsLineage(row, refreshHash2, parentHash2)) return ROTATED_OUT;
  return { status: 'OK', verified, claims: verified.token.claims, payloadUpdateAvailable: !verified.rowHasSameClaims };
}

function lineageOf(verified: VerifiedToken): TokenLineage {
  const { refreshTokenHash1, parentRefreshTokenHash1: parent } = verified.token;
  verified.lineage ??= { refreshHash2: hash2(refreshTokenHash1), parentHash2: parent === null ? null : hash2(parent) };
  return verified.lineage;
}

/**
 * Below CDI 5.6, the first use of a refreshed token makes its refresh token current; the answer carries a token without
 * parent and with the row's claims (contract 02 section 2.3, legacy flow, step 3).
 */
async function promoteAndRemint(context: Context, verified: VerifiedToken, tenant: Tenant, needsUpdate: boolean): Promise<VerifyResult> {
  const { token } = verified;
  const { refreshHash2, parentHash2 } = lineageOf(verified);
  const found = await context.store.transact(async (tx) => {
    const row = await tx.get(sessions, sessionKey(tenant, token.sessionHandle));
    if (!row) return undefined;
    if (parentHash2 === null || row.refreshHash !== parentHash2) {
      return { row, isMintDue: needsUpdate || row.refreshHash === refreshHash2 };
    }
    const now = context.now();
    const promoted = withCurrent(row, refreshHash2, now, now + refreshTokenValidityMs(tenant));
    await tx.put(sessions, promoted);
    return { row: promoted, isMintDue: true };
  });
  if (!found) return MISSING;
  if (!found.isMintDue) return ok(verified);
  const { row } = found;
  const key = await signingKey(context, tenant, token.version !== '1' && row.useStaticKey);
  const now = context.now();
  const expiryMs = now + tenant.appConfig.access_token_validity * 1000;
  const claims = { ...token, parentRefreshTokenHash1: null, claims: row.claims, createdMs: now, expiryMs };
  const accessToken = await mintAccessToken(context, claims, key);
  return { status: 'OK', verified, claims: row.claims, accessToken };
}
