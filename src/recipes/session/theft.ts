import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { endSessionsOfUser } from './revoke.ts';
import type { SessionRecord } from '../session-records/records.ts';
import { sessions } from '../session-records/records.ts';

/**
 * Ends what a theft ends (contract 00, Token theft): all sessions of the user, the one session, or what the reference
 * ends, which is nothing below CDI 5.6. From 5.6 on the refresh transaction has already deleted the session's own row.
 */
export async function endAfterTheft(context: Context, tenant: Tenant, session: SessionRecord): Promise<void> {
  const policy = tenant.appConfig.token_theft_revokes;
  if (policy === 'reference') return;
  if (policy === 'session') {
    await context.store.transact((tx) => tx.delete(sessions, sessions.key(session)));
    return;
  }
  await endSessionsOfUser(context.store, tenant.app, session.userId);
}
