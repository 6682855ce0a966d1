import type { Commands } from '../../generated/commands.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { verifiedEmails } from './records.ts';

/** `GET /recipe/user/email/verify` (contract 03 section 3.3). The email is compared as sent, case included. */
export function isEmailVerified(
  { store, tenant }: Context,
  { userId, email }: Commands['email-verification/is-email-verified'],
): MaybePromise<boolean> {
  return whenReady(
    store.read((reader) => reader.get(verifiedEmails, [tenant.app, userId, email])),
    (row) => row !== undefined,
  );
}
