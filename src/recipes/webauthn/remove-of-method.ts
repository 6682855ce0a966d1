import { deleteUnder } from '../../store/delete-under.ts';
import type { AppNumber, Transaction } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import { recoveryTokens, webauthnCredentials } from './records.ts';

/** Removes the passkeys and recovery tokens of an id that goes, in the caller's transaction. */
export async function removeWebauthnOf(tx: Transaction, app: AppNumber, id: InternalUserId): Promise<void> {
  await Promise.all([deleteUnder(tx, webauthnCredentials, 'byUser', [app, id]), deleteUnder(tx, recoveryTokens, 'byUser', [app, id])]);
}
