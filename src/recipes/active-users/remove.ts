import type { AppNumber, Transaction } from '../../store/store.ts';
import { lastActive } from './records.ts';

/** Forgets when the user with this id was last active, in the caller's transaction. */
export async function removeLastActive(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await tx.delete(lastActive, [app, userId]);
}
