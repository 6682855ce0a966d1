import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { removeTokens, verifyEmailOf } from './lookups.ts';
import { verificationTokens } from './records.ts';
import { hashOfVerificationToken } from './tokens.ts';

type Command = Commands['email-verification/verify-email'];

export type VerifyEmailResult =
  | { readonly status: 'EMAIL_VERIFICATION_INVALID_TOKEN_ERROR' }
  | { readonly status: 'OK'; readonly userId: string; readonly email: string };

const INVALID = { status: 'EMAIL_VERIFICATION_INVALID_TOKEN_ERROR' } as const;

/** A token is the only way to verify; refused before the tenant is looked for. */
export function checkVerifyCommand({ method }: Command): void {
  if (method !== 'token') throw new Refusal('bad-input', { text: 'Unsupported method for email verification' });
}

/** `POST /recipe/user/email/verify` (contract 03 section 3.2). Any token, even expired, ends all for its email here. */
export function verifyEmail(context: Context, command: Command): Promise<VerifyEmailResult> {
  const { store, tenant, now } = context;
  const { app, tenant: number } = tenant;
  const tokenHash = hashOfVerificationToken(command.token);
  const time = now();
  return store.transact(async (tx) => {
    const token = await tx.get(verificationTokens, [app, number, tokenHash]);
    if (!token) return INVALID;
    const { userId, email, expiresAt } = token;
    const isLive = expiresAt >= time;
    const verified = isLive && verifyEmailOf(tx, context, { app, userId, email });
    await Promise.all([removeTokens(tx, [app, userId, number, email], token), verified]);
    return isLive ? { status: 'OK', userId, email } : INVALID;
  });
}
