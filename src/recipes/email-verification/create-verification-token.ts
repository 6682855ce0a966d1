import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { verificationTokens, verifiedEmails } from './records.ts';
import { hashOfVerificationToken, newVerificationToken } from './tokens.ts';

export type CreateVerificationTokenResult =
  | { readonly status: 'EMAIL_ALREADY_VERIFIED_ERROR' }
  | { readonly status: 'OK'; readonly token: string };

/** `POST /recipe/user/email/verify/token` (contract 03 section 3.1). Any user id will do; older tokens stay valid. */
export async function createVerificationToken(
  { store, tenant, now, randomBytes }: Context,
  command: Commands['email-verification/create-verification-token'],
): Promise<CreateVerificationTokenResult> {
  const { userId } = command;
  const email = normaliseEmail(command.email);
  const token = newVerificationToken(randomBytes);
  const record = {
    app: tenant.app,
    tenant: tenant.tenant,
    tokenHash: hashOfVerificationToken(token),
    userId,
    email,
    expiresAt: now() + tenant.config.email_verification_token_lifetime,
  };
  return store.transact(async (tx) => {
    if (await tx.get(verifiedEmails, [tenant.app, userId, email])) return { status: 'EMAIL_ALREADY_VERIFIED_ERROR' };
    await tx.insert(verificationTokens, record);
    return { status: 'OK', token };
  });
}
