import { type Recorder, recordEvent } from '../audit/record-event.ts';
import type { Transaction } from '../../store/store.ts';
import type { LoginMethodRecord } from './records.ts';

type Contacts = Pick<LoginMethodRecord, 'email' | 'phoneNumber'>;

/** Tells of a login method with another email or phone number, but neither of them. @param userId as callers know it */
export async function recordContactChange(
  tx: Transaction,
  recorder: Recorder,
  userId: string,
  before: Contacts,
  after: Contacts,
): Promise<void> {
  if (before.email !== after.email) await recordEvent(tx, recorder, 'user.email-changed', { userId });
  if (before.phoneNumber !== after.phoneNumber) await recordEvent(tx, recorder, 'user.phone-changed', { userId });
}
