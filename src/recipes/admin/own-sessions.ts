import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { type OperatorSessionRecord, operatorSessions } from '../operators/records.ts';
import { hasEnded, sessionsOf } from '../operators/sessions.ts';
import { signedInOf } from './signed-in.ts';

/** A session as it is shown, with nothing of its cookie. Times are ms since the epoch. */
export type ShownSession = Pick<OperatorSessionRecord, 'id' | 'createdAt' | 'usedAt' | 'expiresAt' | 'address'>;

/** What goes on of some sessions, the newest first. @param now ms since the epoch */
export function shownSessions(sessions: readonly OperatorSessionRecord[], now: number): readonly ShownSession[] {
  return sessions
    .filter((session) => !hasEnded(session, now))
    .map(({ id, createdAt, usedAt, expiresAt, address }) => ({ id, createdAt, usedAt, expiresAt, address }))
    .toSorted((a, b) => b.createdAt - a.createdAt);
}

/** `GET /manage/v1/operator/sessions`: those of the operator who asks, and which of them is this one. */
export async function listOwnSessions(context: Context): Promise<readonly (ShownSession & { readonly isThis: boolean })[]> {
  const { session } = signedInOf(context);
  const sessions = await context.store.read((reader) => sessionsOf(reader, session.app, session.userId));
  return shownSessions(sessions, context.now()).map((shown) => ({ ...shown, isThis: shown.id === session.id }));
}

/** `POST /manage/v1/operator/sessions/end`: ends one of them, or all but this one; answers how many ended. */
export async function endOwnSessions(context: Context, { id }: Commands['admin/end-own-sessions']): Promise<number> {
  const { app, userId, id: own } = signedInOf(context).session;
  return context.store.transact(async (tx) => {
    const sessions = await sessionsOf(tx, app, userId);
    const ending = sessions.filter((session) => (id === undefined ? session.id !== own : session.id === id));
    for (const session of ending) await tx.delete(operatorSessions, operatorSessions.key(session));
    if (ending.length > 0)
      await recordEvent(tx, context, 'operator.sessions-ended', { details: { operator: userId, sessions: ending.length } });
    return ending.length;
  });
}
