import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { dashboardSessions, dashboardUsers } from './records.ts';

export type VerifySessionResult = { readonly status: 'INVALID_SESSION_ERROR' } | { readonly status: 'OK'; readonly email: string };

/** `POST /recipe/dashboard/session/verify` (contract 05 section 5.8); an expired session is none (contract 00). */
export function verifySession(context: Context, { sessionId }: Commands['dashboard/verify-session']): Promise<VerifySessionResult> {
  const { store, tenant } = context;
  return store.read(async (reader): Promise<VerifySessionResult> => {
    const session = await reader.get(dashboardSessions, [tenant.app, sessionId]);
    const isValid = session !== undefined && session.expiresAt >= context.now();
    const user = isValid ? await reader.get(dashboardUsers, [tenant.app, session.userId]) : undefined;
    return user ? { status: 'OK', email: user.email } : { status: 'INVALID_SESSION_ERROR' };
  });
}
