import type { Transaction } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { type OperatorRecord, type OperatorSessionRecord, operatorSessions } from '../operators/records.ts';
import { csrfTokenOf, endSessionsOf, newSession, type SignedIn } from '../operators/sessions.ts';

/** A session under another cookie, and whose it is now. */
export interface Renewed {
  readonly token: string;
  readonly signedIn: SignedIn;
}

/** Ends all sessions of an operator and gives this browser a new one, which lives as long as the old one would have. */
export async function renewSession(
  tx: Transaction,
  context: Context,
  old: OperatorSessionRecord,
  operator: OperatorRecord,
): Promise<Renewed> {
  const { app, userId, address, createdAt, expiresAt } = old;
  const { randomBytes } = context;
  const { token, record } = newSession({ app, userId, id: context.randomId(), address, randomBytes, now: context.now() });
  const session = { ...record, createdAt, expiresAt };
  await endSessionsOf(tx, app, userId);
  await tx.insert(operatorSessions, session);
  return { token, signedIn: { session, operator, csrfToken: csrfTokenOf(token) } };
}
