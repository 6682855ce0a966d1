import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { dashboardSessions } from './records.ts';

/** `DELETE /recipe/dashboard/session` (contract 05 section 5.9). */
export function revokeSession({ store, tenant }: Context, { sessionId }: Commands['dashboard/revoke-session']): Promise<boolean> {
  return store.transact((tx) => tx.delete(dashboardSessions, [tenant.app, sessionId]));
}
