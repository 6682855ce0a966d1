import { hasProtectedClaim } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { authenticate } from './authenticate-token.ts';
import { checkClaims } from './claims.ts';
import type { SessionView } from './create-session.ts';
import { tenantOfApp } from './handle.ts';
import { sessions } from './records.ts';
import { mintAccessToken, ProtectedClaimError, signingKey, type TokenView } from './tokens.ts';

export type RegenerateResult =
  | { readonly status: 'OK'; readonly session: SessionView; readonly accessToken?: TokenView }
  | { readonly status: 'UNAUTHORISED'; readonly message: string };

type Stale = 'stale';
const ATTEMPTS = 10;
const GONE: RegenerateResult = { status: 'UNAUTHORISED', message: 'Session does not exist.' };

/**
 * `POST /recipe/session/regenerate` (contract 02 section 2.11). The token must be one of ours, but may have expired.
 * The token is minted over what the snapshot holds; the transaction starts it again where the row has changed.
 */
export async function regenerateSession(context: Context, command: Commands['session/regenerate-session']): Promise<RegenerateResult> {
  const authentic = await authenticate(context, command.accessToken);
  if ('message' in authentic) {
    if (authentic.status === 'MALFORMED') throw new Refusal('bad-input', { text: authentic.message });
    return { status: 'UNAUTHORISED', message: authentic.message };
  }
  const { token } = authentic;
  const tenant = await tenantOfApp(context, token.tenantId);
  const key = [tenant.app, tenant.tenant, token.sessionHandle];

  const attempt = async (): Promise<RegenerateResult | Stale> => {
    const before = await context.store.read((reader) => reader.get(sessions, key));
    if (!before || before.expiresAt <= context.now()) return GONE;
    const claims = command.userDataInJWT ?? before.claims;
    checkClaims('userDataInJWT', claims);
    if (context.traits.modernSessions && hasProtectedClaim(token.version, claims)) throw new ProtectedClaimError();
    const session: SessionView = {
      handle: token.sessionHandle,
      userId: token.userId,
      recipeUserId: token.recipeUserId,
      userDataInJWT: claims,
      tenantId: token.tenantId,
    };
    const signing = await signingKey(context, tenant, before.useStaticKey);
    const createdMs = context.now();
    const isExpired = token.expiryMs < createdMs;
    const accessToken = isExpired ? undefined : await mintAccessToken(context, { ...token, claims, createdMs }, signing);
    const outcome = await context.store.transact(async (tx) => {
      const row = await tx.get(sessions, key);
      if (!row || row.expiresAt <= context.now()) return 'gone';
      if (row.useStaticKey !== before.useStaticKey || (command.userDataInJWT === undefined && row.claims !== claims)) return 'stale';
      if (row.claims !== claims) await tx.put(sessions, { ...row, claims });
      return 'written';
    });
    if (outcome === 'stale') return 'stale';
    if (outcome === 'gone') return GONE;
    return { status: 'OK', session, ...(accessToken ? { accessToken } : {}) };
  };

  for (let tries = 0; tries < ATTEMPTS; tries++) {
    const result = await attempt();
    if (result !== 'stale') return result;
  }
  throw new Error('the session changed during every attempt to regenerate its token');
}
