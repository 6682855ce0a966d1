import type { Commands } from '../../generated/commands.ts';
import { setDisabled } from '../accounts/disable.ts';
import type { Context } from '../context.ts';
import { endSessionsOfUser } from '../session/revoke.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

type Command = Commands['management/user-of-id'];

/**
 * `POST /manage/v1/user/disable`: the user cannot sign in any more, and all sessions end. Those that are made meanwhile
 * see the mark, or are there when the sessions are looked for. To call it again ends what an interrupted call left.
 */
export async function disableUser(
  { store, tenant: { app } }: Context,
  { userId }: Command,
): Promise<UnknownUser | { readonly status: 'OK'; readonly endedSessions: number }> {
  if (!(await store.transact((tx) => setDisabled(tx, app, userId, true)))) return UNKNOWN_USER;
  return { status: 'OK', endedSessions: await endSessionsOfUser(store, app, userId) };
}

/** `POST /manage/v1/user/enable`: the user may sign in again. */
export async function enableUser(
  { store, tenant: { app } }: Context,
  { userId }: Command,
): Promise<UnknownUser | { readonly status: 'OK' }> {
  return (await store.transact((tx) => setDisabled(tx, app, userId, false))) ? { status: 'OK' } : UNKNOWN_USER;
}
