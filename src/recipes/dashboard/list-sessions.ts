import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import type { DashboardSessionRecord } from './records.ts';
import { sessionsOf } from './sessions.ts';

/** `GET /recipe/dashboard/user/sessions` (contract 05 section 5.6). */
export function listSessions(
  { store, tenant }: Context,
  { userId }: Commands['dashboard/list-sessions'],
): Promise<DashboardSessionRecord[]> {
  return store.read((reader) => sessionsOf(reader, tenant.app, userId));
}
