import { removeExpired } from '../../store/remove-expired.ts';
import type { Store } from '../../store/store.ts';
import { dashboardSessions } from './records.ts';

/** Deletes at most `limit` dashboard sessions that expired before `now` (ms); answers whether there may be more (contract 05 section 1). */
export async function removeExpiredDashboardSessions(store: Store, now: number, limit: number): Promise<boolean> {
  return (await removeExpired(store, dashboardSessions, now, limit)) === limit;
}
