import type { MaybePromise, Read, Transaction } from '../../store/store.ts';
import { type VerifiedEmailRecord, verifiedEmails } from './records.ts';

/** The read that tells whether a user has verified an email; the id is the external one of mapped users. */
export function verifiedEmail(app: number, userId: string, email: string): Read<VerifiedEmailRecord> {
  return { collection: verifiedEmails, key: [app, userId, email] };
}

/** Marks an email of a user as verified, in the caller's transaction. */
export function markEmailVerified(tx: Transaction, app: number, userId: string, email: string): MaybePromise<string | undefined> {
  return tx.put(verifiedEmails, { app, userId, email });
}
