import { deleteUnder } from '../../store/delete-under.ts';
import type { Key, Reader, Transaction } from '../../store/store.ts';
import { type DashboardSessionRecord, dashboardSessions } from './records.ts';

/** Sessions in one look at the store; whoever has more is gone through page by page. */
const PAGE = 500;

/** All sessions of a dashboard user, expired ones that are still kept too. */
export async function sessionsOf(reader: Reader, app: number, userId: string): Promise<DashboardSessionRecord[]> {
  const all: DashboardSessionRecord[] = [];
  let from: Key = [app, userId];
  for (;;) {
    const page = await reader.list(dashboardSessions, 'byUser', { prefix: [app, userId], from, limit: PAGE + 1 });
    all.push(...page.slice(0, PAGE));
    const next = page[PAGE];
    if (!next) return all;
    from = [app, userId, ...dashboardSessions.key(next)];
  }
}

/** Removes all sessions of a dashboard user, in the caller's transaction. */
export async function removeSessionsOf(tx: Transaction, app: number, userId: string): Promise<void> {
  await deleteUnder(tx, dashboardSessions, 'byUser', [app, userId]);
}
