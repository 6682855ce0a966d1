import type { Commands } from '../../generated/commands.ts';
import { setDisabled } from '../accounts/disable.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { endSessionsOfUser } from '../session/revoke.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

type Command = Commands['management/user-of-id'];

/**
 * `POST /manage/v1/user/disable`: the user cannot sign in any more, and all sessions end. Those that are made meanwhile
 * see the mark, or are there when the sessions are looked for. To call it again ends what an interrupted call left.
 */
export async function disableUser(
  context: Context,
  { userId }: Command,
): Promise<UnknownUser | { readonly status: 'OK'; readonly endedSessions: number }> {
  if (!(await mark(context, userId, true))) return UNKNOWN_USER;
  return { status: 'OK', endedSessions: await endSessionsOfUser(context.store, context.tenant.app, userId) };
}

/** `POST /manage/v1/user/enable`: the user may sign in again. */
export async function enableUser(context: Context, { userId }: Command): Promise<UnknownUser | { readonly status: 'OK' }> {
  return (await mark(context, userId, false)) ? { status: 'OK' } : UNKNOWN_USER;
}

/** Whether there is such a user. */
function mark(context: Context, userId: string, isDisabled: boolean): Promise<boolean> {
  return context.store.transact(async (tx) => {
    const isKnown = await setDisabled(tx, context.tenant.app, userId, isDisabled);
    if (isKnown) await recordEvent(tx, context, isDisabled ? 'user.disabled' : 'user.enabled', { userId });
    return isKnown;
  });
}
