import { sha256Hex } from '../../crypto/digests.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import type { AppNumber, Transaction } from '../../store/store.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import { type ResetTokenRecord, resetTokens } from './records.ts';

/** Random bytes of a reset token. */
const TOKEN_BYTES = 48;

/** A new reset token: base64 of lower-case hex of random bytes, 128 letters and digits (contract 03 section 1.4). */
export function newResetToken(randomBytes: (size: number) => Buffer): string {
  return Buffer.from(randomBytes(TOKEN_BYTES).toString('hex')).toString('base64');
}

/** The form in which a reset token is kept and found. */
export const hashOfResetToken = (token: string): string => sha256Hex(token);

/**
 * Uses up a token and every other reset token of its user (contract 03 section 2.4). Answers what was kept with it;
 * `undefined` for an unknown token, and for an expired one, which uses up the others too.
 */
export async function spendResetToken(tx: Transaction, app: AppNumber, token: string, now: number): Promise<ResetTokenRecord | undefined> {
  const record = await tx.get(resetTokens, [app, hashOfResetToken(token)]);
  if (!record) return undefined;
  await deleteUnder(tx, resetTokens, 'byUser', [app, record.userId], resetTokens.key(record));
  return record.expiresAt >= now ? record : undefined;
}

/** Deletes every reset token of a user id that is removed, in the caller's transaction. */
export async function removeResetTokens(tx: Transaction, app: AppNumber, userId: InternalUserId): Promise<void> {
  await deleteUnder(tx, resetTokens, 'byUser', [app, userId]);
}
