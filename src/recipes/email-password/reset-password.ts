import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { changeLoginMethod, methodById } from '../accounts/login-methods.ts';
import { externalIdOf } from './consume-reset-token.ts';
import { hashParameters } from './hash-parameters.ts';
import { resetTokens } from './records.ts';
import { refuseBlocked } from './refuse-blocked.ts';
import { hashOfResetToken, spendResetToken } from './reset-tokens.ts';
import { forgetFailures } from './sign-in-failures.ts';

type Command = Commands['email-password/reset-password'];

export type ResetPasswordResult =
  | { readonly status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' }
  /** The id is external where mapped. */
  | { readonly status: 'OK'; readonly userId: string };

const INVALID: ResetPasswordResult = { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' };

/** Checks that come after all three fields have been read. */
export function checkResetPassword({ method, newPassword }: Command): void {
  if (method !== 'token') throw new Refusal('bad-input', { text: 'Unsupported method for password reset' });
  if (newPassword === '') throw new Refusal('bad-input', { text: 'Password cannot be an empty string' });
}

/**
 * `POST /recipe/user/password/reset` (contract 03 section 2.5): consumes a token and sets its user's password in one
 * transaction. An unknown token costs no hash; the token is looked up again when the hash is made. A
 * password that is refused leaves the token as it was.
 */
export async function resetPassword(context: Context, { token, newPassword }: Command): Promise<ResetPasswordResult> {
  const { store, crypto, tenant, now } = context;
  const { app } = tenant;
  const known = await store.read((reader) => reader.get(resetTokens, [app, hashOfResetToken(token)]));
  if (!known) return INVALID;
  refuseBlocked(context, newPassword);
  const passwordHash = await crypto.hashPassword(newPassword, hashParameters(tenant.config));
  const reset = await store.transact(async (tx) => {
    const spent = await spendResetToken(tx, app, token, now());
    if (!spent) return undefined;
    const method = await methodById(tx, app, spent.userId);
    const own = method?.recipe === 'emailpassword' ? method : undefined;
    if (own) await changeLoginMethod(tx, own, { passwordHash });
    const userId = await externalIdOf(tx, app, spent.userId);
    await recordEvent(tx, context, 'password.reset-token-used', { userId });
    if (own) await recordEvent(tx, context, 'password.changed', { userId, details: { by: 'reset-token' } });
    return { method: own, userId };
  });
  if (!reset) return INVALID;
  if (reset.method) await forgetFailures(context, reset.method);
  return { status: 'OK', userId: reset.userId };
}
