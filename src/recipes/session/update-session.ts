import { hasProtectedClaim } from '../../crypto/access-token.ts';
import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { checkClaims } from './claims.ts';
import { tenantIdOfHandle, tenantOfApp } from './handle.ts';
import { sessionKey, type SessionRecord, sessions } from '../session-records/records.ts';
import { ProtectedClaimError } from './tokens.ts';

type Change = Partial<Pick<SessionRecord, 'data' | 'claims'>>;

/** Replaces data or claims, and nothing else, of a session that has not expired; answers whether there was one. */
async function replace(context: Context, tenant: Tenant, sessionHandle: string, change: Change): Promise<boolean> {
  return context.store.transact(async (tx) => {
    const row = await tx.get(sessions, sessionKey(tenant, sessionHandle));
    if (!row || row.expiresAt <= context.now()) return false;
    await tx.put(sessions, { ...row, ...change });
    return true;
  });
}

/** `PUT /recipe/session/data` (contract 02 section 2.8) */
export async function putSessionData(context: Context, command: Commands['session/put-session-data']): Promise<boolean> {
  const tenant = await tenantOfApp(context, tenantIdOfHandle(command.sessionHandle));
  return replace(context, tenant, command.sessionHandle, { data: command.userDataInDatabase });
}

/** `PUT /recipe/jwt/data` (contract 02 section 2.10): the claims of the next token; no token is minted. */
export async function putJwtData(context: Context, command: Commands['session/put-jwt-data']): Promise<boolean> {
  const { traits } = context;
  const tenant = await tenantOfApp(context, tenantIdOfHandle(command.sessionHandle));
  checkClaims('userDataInJWT', command.userDataInJWT);
  if (traits.modernSessions && hasProtectedClaim(traits.accessTokenVersion, command.userDataInJWT)) throw new ProtectedClaimError();
  return replace(context, tenant, command.sessionHandle, { claims: command.userDataInJWT });
}
