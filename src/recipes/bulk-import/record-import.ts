import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Transaction } from '../../store/store.ts';
import { type Recorder, recordEvent } from '../audit/record-event.ts';
import { type ImportedUser, mainMethodOf } from './imported-user.ts';

/** Tells of a user who was imported, in the same transaction. */
export function recordImport(tx: Transaction, recorder: Recorder, user: ImportedUser): MaybePromise<void> {
  return recordEvent(tx, recorder, 'user.imported', { userId: user.externalUserId ?? mainMethodOf(user.loginMethods).superTokensUserId });
}
