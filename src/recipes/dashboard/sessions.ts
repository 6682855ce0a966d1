import { deleteUnder } from '../../store/delete-under.ts';
import type { AppNumber, Transaction } from '../../store/store.ts';
import { dashboardSessions } from './records.ts';

/** Removes all sessions of a dashboard user, in the caller's transaction. */
export async function removeSessionsOf(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await deleteUnder(tx, dashboardSessions, 'byUser', [app, userId]);
}
