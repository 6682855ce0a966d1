import type { Commands } from '../../generated/commands.ts';
import type { AppNumber, Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { externalIds } from '../accounts/find.ts';
import { membersOf, methodById } from '../accounts/login-methods.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import type { ResetTokenRecord } from './records.ts';
import { spendResetToken } from './reset-tokens.ts';

export type ConsumeResetTokenResult =
  | { readonly status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' }
  /** The id is external where mapped. */
  | { readonly status: 'OK'; readonly userId: string; readonly email: string };

/** `POST /recipe/user/password/reset/token/consume` (contract 03 section 2.4). A token is good in the whole app. */
export function consumeResetToken(
  context: Context,
  command: Commands['email-password/consume-reset-token'],
): Promise<ConsumeResetTokenResult> {
  const { store, tenant, now } = context;
  const { app } = tenant;
  return store.transact(async (tx) => {
    const token = await spendResetToken(tx, app, command.token, now());
    const email = token && (await emailOf(tx, token));
    if (token === undefined || email === undefined) return { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' };
    const userId = await externalIdOf(tx, app, token.userId);
    await recordEvent(tx, context, 'password.reset-token-used', { userId });
    return { status: 'OK', userId, email };
  });
}

/** The id as answers show it. */
export async function externalIdOf(reader: Reader, app: AppNumber, internalId: InternalUserId): Promise<string> {
  return (await externalIds(reader, app, [internalId])).get(internalId) ?? internalId;
}

/** The email kept with a token; for old tokens without one, that of a user whose only login is email/password. */
async function emailOf(reader: Reader, { app, userId, email }: ResetTokenRecord): Promise<string | undefined> {
  if (email !== null) return email;
  const method = await methodById(reader, app, userId);
  const members = await membersOf(reader, app, method?.primaryUserId ?? userId);
  const [only] = members;
  return members.length === 1 && only?.recipe === 'emailpassword' ? (only.email ?? undefined) : undefined;
}
