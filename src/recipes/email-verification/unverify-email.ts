import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { verifiedEmails } from './records.ts';

/** `POST /recipe/user/email/verify/remove` (contract 03 section 3.5): the email counts as unverified again. */
export async function unverifyEmail({ store, tenant }: Context, command: Commands['email-verification/unverify-email']): Promise<void> {
  const email = normaliseEmail(command.email);
  await store.transact((tx) => tx.delete(verifiedEmails, [tenant.app, command.userId, email]));
}
