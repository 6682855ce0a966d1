import type { Commands } from '../../generated/commands.ts';
import { findId } from '../accounts/find.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { endSessionsOfUser } from '../session/revoke.ts';
import { UNKNOWN_USER, type UnknownUser } from './unknown-user.ts';

/**
 * `POST /manage/v1/user/sign-out`: ends all sessions of a user, in all tenants. Sessions may stand under an id that is
 * nobody's here.
 */
export async function signOutUser(
  context: Context,
  { userId }: Commands['management/user-of-id'],
): Promise<UnknownUser | { readonly status: 'OK'; readonly endedSessions: number }> {
  const {
    store,
    tenant: { app },
  } = context;
  const isKnown = (await store.read((reader) => findId(reader, app, userId))) !== undefined;
  const endedSessions = await endSessionsOfUser(store, app, userId, (tx, { length: sessions }) =>
    recordEvent(tx, context, 'user.signed-out', { userId, details: { sessions } }),
  );
  return isKnown || endedSessions > 0 ? { status: 'OK', endedSessions } : UNKNOWN_USER;
}
