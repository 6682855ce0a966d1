import type { Store } from '../../store/store.ts';
import { dashboardSessions } from './records.ts';

/** Deletes at most `limit` dashboard sessions that expired before `now` (ms); answers whether there may be more (contract 05 section 1). */
export async function removeExpiredDashboardSessions(store: Store, now: number, limit: number): Promise<boolean> {
  const keys = await store.read((reader) => reader.keys(dashboardSessions, 'byExpiry', { prefix: [], until: [now], limit }));
  if (keys.length > 0) {
    await store.transact(async (tx) => {
      await tx.getMany(keys.map((key) => ({ collection: dashboardSessions, key })));
      for (const key of keys) await tx.delete(dashboardSessions, key);
    });
  }
  return keys.length === limit;
}
