import { hasProtectedClaim } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { retryWhileStale, type Stale } from '../retry-while-stale.ts';
import { authenticate } from './authenticate-token.ts';
import { checkClaims } from './claims.ts';
import { type SessionView, sessionOf } from './create-session.ts';
import { tenantOfApp } from './handle.ts';
import { sessionKey, sessions } from '../session-records/records.ts';
import { mintAccessToken, ProtectedClaimError, signingKey, type TokenView } from './tokens.ts';

export type RegenerateResult =
  | { readonly status: 'OK'; readonly session: SessionView; readonly accessToken?: TokenView }
  | { readonly status: 'UNAUTHORISED'; readonly message: string };

const GONE: RegenerateResult = { status: 'UNAUTHORISED', message: 'Session does not exist.' };

/**
 * `POST /recipe/session/regenerate` (contract 02 section 2.11). The token must be one of ours, but may have expired.
 * The new one is minted over the snapshot. Only where the caller sends claims does a transaction follow, which writes
 * them and starts again where the kind of key has changed (docs/decisions/0014).
 */
export async function regenerateSession(context: Context, command: Commands['session/regenerate-session']): Promise<RegenerateResult> {
  const authentic = await authenticate(context, command.accessToken);
  if ('message' in authentic) {
    if (authentic.status === 'MALFORMED') throw new Refusal('bad-input', { text: authentic.message });
    return { status: 'UNAUTHORISED', message: authentic.message };
  }
  const { token } = authentic;
  const tenant = await tenantOfApp(context, token.tenantId);
  const key = sessionKey(tenant, token.sessionHandle);

  return retryWhileStale(async (isStrict): Promise<RegenerateResult | Stale> => {
    const before = await context.store.read((reader) => reader.get(sessions, key));
    if (!before || before.expiresAt <= context.now()) return GONE;
    const claims = command.userDataInJWT ?? before.claims;
    checkClaims('userDataInJWT', claims);
    if (context.traits.modernSessions && hasProtectedClaim(token.version, claims)) throw new ProtectedClaimError();
    const session = sessionOf({ token }, claims);
    const signing = await signingKey(context, tenant, before.useStaticKey);
    const createdMs = context.now();
    const isExpired = token.expiryMs < createdMs;
    const accessToken = isExpired ? undefined : await mintAccessToken(context, { ...token, claims, createdMs }, signing);
    const regenerated: RegenerateResult = { status: 'OK', session, ...(accessToken ? { accessToken } : {}) };
    // The claims are the row's own, so that nothing is to be written: the answer is that of the moment of the snapshot.
    if (command.userDataInJWT === undefined) return regenerated;
    return context.store.transact(async (tx) => {
      const row = await tx.get(sessions, key);
      if (!row || row.expiresAt <= context.now()) return GONE;
      if (isStrict && row.useStaticKey !== before.useStaticKey) return 'stale';
      if (row.claims !== claims) await tx.put(sessions, { ...row, claims });
      return regenerated;
    });
  });
}
