import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { dashboardSessions } from './records.ts';

/** `DELETE /recipe/dashboard/session` (contract 05 section 5.9). */
export function revokeSession(context: Context, { sessionId }: Commands['dashboard/revoke-session']): Promise<boolean> {
  const key = [context.tenant.app, sessionId] as const;
  return context.store.transact(async (tx) => {
    const session = await tx.get(dashboardSessions, key);
    if (session) await recordEvent(tx, context, 'operator.signed-out', { by: { type: 'operator', name: session.userId } });
    return tx.delete(dashboardSessions, key);
  });
}
