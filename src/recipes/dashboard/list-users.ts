import type { Key } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type DashboardUserRecord, dashboardUsers } from './records.ts';

/** Users in one look at the store. */
const PAGE = 500;

/** `GET /recipe/dashboard/users` (contract 05 section 5.5), by the time they joined, then by id. */
export function listUsers({ store, tenant: { app } }: Context): Promise<DashboardUserRecord[]> {
  return store.read(async (reader) => {
    const all: DashboardUserRecord[] = [];
    let from: Key = [app];
    for (;;) {
      const page = await reader.list(dashboardUsers, 'byTimeJoined', { prefix: [app], from, limit: PAGE + 1 });
      all.push(...page.slice(0, PAGE));
      const next = page[PAGE];
      if (!next) return all;
      from = [app, next.timeJoined, ...dashboardUsers.key(next)];
    }
  });
}
