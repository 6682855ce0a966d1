import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { verifiedEmails } from './records.ts';

/** `POST /recipe/user/email/verify/remove` (contract 03 section 3.5): the email counts as unverified again. */
export async function unverifyEmail(context: Context, command: Commands['email-verification/unverify-email']): Promise<void> {
  const { store, tenant } = context;
  const email = normaliseEmail(command.email);
  await store.transact(async (tx) => {
    const wasVerified = await tx.delete(verifiedEmails, [tenant.app, command.userId, email]);
    if (wasVerified) await recordEvent(tx, context, 'email.unverified', { userId: command.userId });
  });
}
