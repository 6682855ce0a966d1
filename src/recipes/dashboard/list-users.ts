import { pagesOf } from '../../store/pages.ts';
import type { Pages } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type DashboardUserRecord, dashboardUsers } from './records.ts';

/** `GET /recipe/dashboard/users` (contract 05 section 5.5), by the time they joined, then by id. */
export function listUsers({ store, tenant: { app } }: Context): Promise<Pages<readonly DashboardUserRecord[]>> {
  return store.readPages((reader, hold) =>
    hold(pagesOf((page) => reader.page(dashboardUsers, 'byTimeJoined', { prefix: [app], ...page }))),
  );
}
