import type { Commands } from '../../generated/commands.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Pages } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type DashboardSessionRecord, dashboardSessions } from './records.ts';

/** `GET /recipe/dashboard/user/sessions` (contract 05 section 5.6): all that are kept, even expired ones. */
export function listSessions(
  { store, tenant: { app } }: Context,
  { userId }: Commands['dashboard/list-sessions'],
): Promise<Pages<readonly DashboardSessionRecord[]>> {
  const prefix = [app, userId] as const;
  return store.readPages((reader, hold) => hold(pagesOf((page) => reader.page(dashboardSessions, 'byUser', { prefix, ...page }))));
}
