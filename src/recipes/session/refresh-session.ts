import { secretsEqual } from '../../crypto/constant-time.ts';
import { hash1, hash2, openRefreshToken, type RefreshTokenPayload } from '../../crypto/refresh-token.ts';
import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { retryWhileStale, type Stale } from '../retry-while-stale.ts';
import { type Identity, identityReads, resolveIdentity } from '../accounts/identity.ts';
import type { StartedSession } from './create-session.ts';
import { tenantOfApp } from './handle.ts';
import {
  decideLegacyRefresh,
  decideRotatingRefresh,
  type PresentedToken,
  type RefreshDecision,
  type ReuseSubtype,
  withCurrent,
} from './lineage.ts';
import { sessionKey, type SessionRecord, sessions } from '../session-records/records.ts';
import type { SigningKey } from '../signing-keys/signing-keys.ts';
import { endAfterTheft } from './theft.ts';
import {
  accessTokenExpiry,
  checkValidityOverride,
  type MintedRefreshToken,
  mintAccessToken,
  mintRefreshToken,
  ProtectedClaimError,
  refreshTokenValidityMs,
  signingKey,
} from './tokens.ts';

type Command = Commands['session/refresh-session'];

export type RefreshResult =
  | StartedSession
  | { readonly status: 'UNAUTHORISED'; readonly message: string; readonly recentTokenReuseSubtype?: ReuseSubtype }
  | {
      readonly status: 'TOKEN_THEFT_DETECTED';
      readonly session: { readonly handle: string; readonly userId: string; readonly recipeUserId: string };
      readonly recentTokenReuseSubtype?: ReuseSubtype;
    };

const SESSION_GONE: RefreshResult = { status: 'UNAUTHORISED', message: 'Session missing in db or has expired' };

/** What a refresh works on: the presented token and where its session stands. */
interface Presented {
  readonly command: Command;
  readonly tenant: Tenant;
  readonly payload: RefreshTokenPayload;
  readonly hash1: string;
  readonly token: PresentedToken;
}

/**
 * `POST /recipe/session/refresh` (contract 02 section 2.4). Snapshot read, then minting, then one transaction that
 * reads again: where decision, claims or kind of key changed meanwhile, the refresh starts again (docs/decisions/0014).
 */
export async function refreshSession(context: Context, command: Command): Promise<RefreshResult> {
  const opened = openRefreshToken(command.refreshToken, await context.keys.masterKey(context.tenant));
  if (opened.status !== 'OK') return opened;
  const { payload } = opened;
  if (command.enableAntiCsrf && payload.antiCsrfToken !== null && !secretsEqual(command.antiCsrfToken ?? '', payload.antiCsrfToken)) {
    return { status: 'UNAUTHORISED', message: 'Anti CSRF token missing, or not matching' };
  }
  const tenant = await tenantOfApp(context, payload.tenantId);
  checkValidityOverride(tenant, command.accessTokenValidity);
  const own = hash1(command.refreshToken);
  const parent = payload.parentRefreshTokenHash1;
  const token = { hash2: hash2(own), parentHash2: parent === null ? null : hash2(parent) };
  const presented: Presented = { command, tenant, payload, hash1: own, token };
  return retryWhileStale((isStrict) => attemptRefresh(context, presented, isStrict));
}

async function attemptRefresh(context: Context, presented: Presented, isStrict: boolean): Promise<RefreshResult | Stale> {
  const { tenant, payload, command } = presented;
  const { row, identity } = await readSession(context, tenant, payload);
  // Sessions of disabled users end at once; one may still be there where the process died in between.
  if (!row || !identity || identity.isDisabled || row.expiresAt < context.now()) return SESSION_GONE;
  const decision = decide(context, presented, row);
  if (decision.kind === 'reuse') return reportReuse(context, presented, identity);
  const useStaticKey = usesStaticKey(command, row);
  const antiCsrfToken = command.enableAntiCsrf ? context.randomId() : null;
  const parentHash1 = presented.hash1;
  const key = await signingKey(context, tenant, useStaticKey);
  const refreshToken = await mintRefreshToken(context, tenant, { handle: row.handle, userId: row.userId, parentHash1, antiCsrfToken });
  const accessToken = await mintForRow(context, presented, row, identity, refreshToken, antiCsrfToken, key);
  if (!accessToken) return { status: 'UNAUTHORISED', message: 'The user payload contains protected field' };
  const isOld = isStrict ? (now: SessionRecord) => now.claims !== row.claims || usesStaticKey(command, now) !== useStaticKey : () => false;
  if ((await writeDecision(context, presented, row, decision, refreshToken, isOld)) === 'stale') return 'stale';
  await context.activity.touch(context.store, tenant.app, identity.internalPrimaryId, context.now());
  return {
    status: 'OK',
    session: {
      handle: row.handle,
      userId: identity.known ? identity.userId : row.userId,
      recipeUserId: row.userId,
      userDataInJWT: row.claims,
      tenantId: tenant.tenantId,
    },
    accessToken,
    refreshToken,
    antiCsrfToken,
    ...(context.traits.legacySessions ? { idRefreshToken: { ...refreshToken, token: context.randomId() } } : {}),
  };
}

/**
 * The row and whom it belongs to, in one round for users without mapping and links. Nothing has to be of one state: the
 * row is compared when it is written, and whom it belongs to may change at any time after.
 */
async function readSession(
  { store }: Context,
  tenant: Tenant,
  payload: RefreshTokenPayload,
): Promise<{ readonly row?: SessionRecord; readonly identity?: Identity }> {
  return store.readShared(async (reader) => {
    const key = sessionKey(tenant, payload.sessionHandle);
    const [row, ...found] = await reader.getMany([{ collection: sessions, key }, ...identityReads(tenant.app, payload.userId)] as const);
    if (!row) return {};
    // The row's user id never changes, so it is the token's; a token that says otherwise is not ours to trust.
    if (row.userId !== payload.userId) return {};
    return { row, identity: await resolveIdentity(reader, tenant.app, row.userId, found) };
  });
}

function decide({ traits, now }: Context, { token, tenant }: Presented, row: SessionRecord): RefreshDecision {
  if (!traits.rotatingRefresh) return decideLegacyRefresh(row, token);
  return decideRotatingRefresh(row, token, tenant.appConfig.refresh_token_rotation_grace_period * 1000, now());
}

const usesStaticKey = (command: Command, row: SessionRecord): boolean =>
  command.useDynamicSigningKey === undefined ? row.useStaticKey : !command.useDynamicSigningKey;

async function mintForRow(
  context: Context,
  { tenant, hash1: parentHash1, command }: Presented,
  row: SessionRecord,
  identity: Identity,
  refreshToken: MintedRefreshToken,
  antiCsrfToken: string | null,
  key: SigningKey,
): Promise<StartedSession['accessToken'] | undefined> {
  const now = refreshToken.createdTime;
  const claims = {
    version: context.traits.accessTokenVersion,
    sessionHandle: row.handle,
    userId: identity.known ? identity.userId : row.userId,
    recipeUserId: row.userId,
    tenantId: tenant.tenantId,
    refreshTokenHash1: refreshToken.hash1,
    parentRefreshTokenHash1: context.traits.rotatingRefresh ? null : parentHash1,
    antiCsrfToken,
    claims: row.claims,
    expiryMs: accessTokenExpiry(context, tenant, now, command.accessTokenValidity),
    createdMs: now,
  };
  try {
    return await mintAccessToken(context, claims, key);
  } catch (error) {
    if (error instanceof ProtectedClaimError) return undefined;
    throw error;
  }
}

/** Writes the decision, unless the session is gone, the presented token no longer good, or the minted one outdated. */
async function writeDecision(
  context: Context,
  presented: Presented,
  before: SessionRecord,
  decision: RefreshDecision,
  minted: MintedRefreshToken,
  isOld: (row: SessionRecord) => boolean,
): Promise<'written' | Stale> {
  if (rowAfter(presented, before, decision, minted, minted.createdTime) === before) return 'written';
  return context.store.transact(async (tx) => {
    const row = await tx.get(sessions, sessions.key(before));
    if (!row || row.expiresAt < context.now()) return 'stale';
    const current = decide(context, presented, row);
    if (current.kind === 'reuse' || isOld(row)) return 'stale';
    const after = rowAfter(presented, row, current, minted, context.now());
    if (after !== row) await tx.put(sessions, after);
    return 'written';
  });
}

/** The row as the decision leaves it; the same object where nothing changes. */
function rowAfter(
  { token, tenant, command }: Presented,
  row: SessionRecord,
  decision: RefreshDecision,
  minted: MintedRefreshToken,
  now: number,
): SessionRecord {
  const useStaticKey = usesStaticKey(command, row);
  switch (decision.kind) {
    case 'sibling':
      return row.useStaticKey === useStaticKey ? row : { ...row, useStaticKey };
    case 'promote':
      return { ...withCurrent(row, token.hash2, now, now + refreshTokenValidityMs(tenant)), useStaticKey };
    case 'rotate':
      return {
        ...row,
        refreshHash: minted.hash2,
        previousRefreshHash: token.hash2,
        rotatedAt: now,
        expiresAt: minted.expiry,
        useStaticKey,
      };
    case 'rotate-again':
      return { ...row, refreshHash: minted.hash2, useStaticKey };
    case 'reuse':
      return row;
  }
}

/** Decides again in a transaction that, from CDI 5.6 on, deletes the row; then ends what the configured theft ends. */
async function reportReuse(context: Context, presented: Presented, identity: Identity): Promise<RefreshResult | Stale> {
  const { tenant, payload } = presented;
  const { rotatingRefresh } = context.traits;
  const found = await context.store.transact(async (tx) => {
    const row = await tx.get(sessions, sessionKey(tenant, payload.sessionHandle));
    if (!row || row.expiresAt < context.now()) return undefined;
    const decision = decide(context, presented, row);
    if (decision.kind !== 'reuse') return 'stale';
    if (rotatingRefresh) await tx.delete(sessions, sessions.key(row));
    const userId = identity.known ? identity.userId : row.userId;
    const details = { session: row.handle, recipeUserId: row.userId, subtype: decision.subtype };
    await recordEvent(tx, context, 'session.theft', { userId, details });
    return { row, subtype: decision.subtype };
  });
  if (found === undefined) return SESSION_GONE;
  if (found === 'stale') return 'stale';
  const { row, subtype } = found;
  const isSoft = rotatingRefresh && subtype !== 'STALE_LINEAGE' && tenant.appConfig.recent_token_reuse_behaviour === 'UNAUTHORISED';
  if (isSoft) return { status: 'UNAUTHORISED', message: 'refresh token reuse detected', recentTokenReuseSubtype: subtype };
  await endAfterTheft(context, tenant, row);
  return {
    status: 'TOKEN_THEFT_DETECTED',
    session: { handle: row.handle, userId: identity.known ? identity.userId : row.userId, recipeUserId: row.userId },
    ...(rotatingRefresh ? { recentTokenReuseSubtype: subtype } : {}),
  };
}
