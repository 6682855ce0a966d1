import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { removeTokens } from './lookups.ts';

/** `POST /recipe/user/email/verify/token/remove` (contract 03 section 3.4): ends tokens of an email in this tenant. */
export async function removeVerificationTokens(
  { store, tenant }: Context,
  command: Commands['email-verification/remove-verification-tokens'],
): Promise<void> {
  const email = normaliseEmail(command.email);
  await store.transact((tx) => removeTokens(tx, [tenant.app, command.userId, tenant.tenant, email]));
}
