import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { type FoundId, findId } from '../accounts/find.ts';
import { membersOf } from '../accounts/login-methods.ts';
import { requireEmailPassword } from './enabled.ts';
import { resetTokens } from './records.ts';
import { hashOfResetToken, newResetToken } from './reset-tokens.ts';

export type CreateResetTokenResult = { readonly status: 'UNKNOWN_USER_ID_ERROR' } | { readonly status: 'OK'; readonly token: string };

/**
 * `POST /recipe/user/password/reset/token` (contract 03 section 2.3). From CDI 4.0 on any login method may have one,
 * with any email, kept as sent. `email` is checked only after the user is found, so the verb guards its scope itself.
 */
export async function createResetToken(
  context: Context,
  command: Commands['email-password/create-reset-token'],
): Promise<CreateResetTokenResult> {
  const { address, traits, directory, store, now } = context;
  const tenant = await SCOPES.tenant(address, traits, directory);
  requireEmailPassword({ traits, tenant });
  const token = newResetToken(context.randomBytes);
  const expiresAt = now() + tenant.config.password_reset_token_lifetime;
  return store.transact(async (tx) => {
    const found = await findId(tx, tenant.app, command.userId);
    if (!found) return { status: 'UNKNOWN_USER_ID_ERROR' };
    context.checkLate();
    const email = traits.accountLinking ? command.email : await emailOfOnlyMethod(tx, tenant.app, found);
    if (email === undefined) return { status: 'UNKNOWN_USER_ID_ERROR' };
    await tx.insert(resetTokens, { app: tenant.app, tokenHash: hashOfResetToken(token), userId: found.internalId, email, expiresAt });
    await recordEvent(tx, context, 'password.reset-token-created', { userId: command.userId, at: tenant });
    return { status: 'OK', token };
  });
}

/** Before CDI 4.0: the email of a user with an email/password login and no other login method. */
async function emailOfOnlyMethod(reader: Reader, app: AppNumber, found: FoundId): Promise<string | undefined> {
  const methods = await membersOf(reader, app, found.primaryUserId);
  if (methods.length > 1) throw new Refusal('bad-input', { text: 'Please use CDI version >= 4.0' });
  const [only] = methods;
  return only?.recipe === 'emailpassword' ? (only.email ?? undefined) : undefined;
}
