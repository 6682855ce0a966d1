import { createHash } from 'node:crypto';
import { secretsEqual } from '../../crypto/constant-time.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import { type OperatorRecord, operators, type OperatorSessionRecord, operatorSessions } from './records.ts';

/** Its prefix has browsers keep it to this host, all paths of it, and TLS. */
export const OPERATOR_COOKIE = '__Host-watchword';

/** A session ends when it was not used for so long, and in any case so long after the sign-in. */
export const IDLE_MS = 30 * 60_000;
export const LIFE_MS = 12 * 3_600_000;
/** Times of use are kept to this: a page that asks for something each second shall not write each second. */
const TOUCH_EVERY_MS = 60_000;
/** Sessions that one operator has at a time; a further one ends the oldest. */
export const MOST_SESSIONS = 20;
const TOKEN_BYTES = 32;

/** Who a cookie belongs to. */
export interface SignedIn {
  readonly session: OperatorSessionRecord;
  readonly operator: OperatorRecord;
  /** What changes must bring along beside the cookie; it tells nothing about the cookie. */
  readonly csrfToken: string;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** The same for one cookie always, so that it need not be kept. */
export const csrfTokenOf = (token: string): string => sha256(`csrf ${token}`);

/** Whether a change that a browser asks for comes from a page that was told the token of this session. */
export const hasCsrfToken = ({ csrfToken }: SignedIn, sent: string | undefined): boolean =>
  sent !== undefined && secretsEqual(csrfToken, sent);

/** Whose session a token is, if it is one that goes on. @param now ms since the epoch */
export function findSignedIn(reader: Reader, app: AppNumber, token: string, now: number): MaybePromise<SignedIn | undefined> {
  return whenReady(reader.get(operatorSessions, [app, sha256(token)]), (session) => {
    if (!session || hasEnded(session, now)) return undefined;
    return whenReady(
      reader.get(operators, [app, session.userId]),
      (operator) => operator && { session, operator, csrfToken: csrfTokenOf(token) },
    );
  });
}

/**
 * Whether a session is over, though its record may still be there. One that was used long after now is from before the
 * clock was set back: it shall not go on until that time has come again.
 */
export function hasEnded({ usedAt, expiresAt }: OperatorSessionRecord, now: number): boolean {
  return now >= expiresAt || now >= usedAt + IDLE_MS || now < usedAt - IDLE_MS;
}

/** Notes that a session is used, once a minute. */
export async function touchSession(store: Store, session: OperatorSessionRecord, now: number): Promise<void> {
  if (now < session.usedAt + TOUCH_EVERY_MS) return;
  await store.transact(async (tx) => {
    const current = await tx.get(operatorSessions, operatorSessions.key(session));
    if (current && now >= current.usedAt + TOUCH_EVERY_MS) await tx.put(operatorSessions, { ...current, usedAt: now });
  });
}

/** What a new session is made of. */
export interface NewSession extends Pick<OperatorSessionRecord, 'app' | 'userId' | 'id' | 'address'> {
  readonly randomBytes: (size: number) => Buffer;
  /** ms since the epoch */
  readonly now: number;
}

/** A session that begins, with the token that goes to the browser. */
export function newSession({ randomBytes, now, ...facts }: NewSession): { readonly token: string; readonly record: OperatorSessionRecord } {
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  return { token, record: { ...facts, digest: sha256(token), createdAt: now, usedAt: now, expiresAt: now + LIFE_MS } };
}

/** The sessions of an operator, those too that have ended and are not removed yet. */
export function sessionsOf(reader: Reader, app: AppNumber, userId: string): MaybePromise<OperatorSessionRecord[]> {
  return reader.list(operatorSessions, 'byUser', { prefix: [app, userId], limit: 2 * MOST_SESSIONS });
}

/** Keeps a session that begins. @param before the one of the same browser, which it takes the place of */
export async function beginSession(tx: Transaction, record: OperatorSessionRecord, before?: OperatorSessionRecord): Promise<void> {
  const kept = await sessionsOf(tx, record.app, record.userId);
  const tooOld = kept.toSorted((a, b) => a.createdAt - b.createdAt).slice(0, Math.max(0, kept.length + 1 - MOST_SESSIONS));
  for (const session of before ? [...tooOld, before] : tooOld) await tx.delete(operatorSessions, operatorSessions.key(session));
  await tx.insert(operatorSessions, record);
}

/** Ends all sessions of an operator, in the caller's transaction; answers how many. */
export function endSessionsOf(tx: Transaction, app: AppNumber, userId: string): Promise<number> {
  return deleteUnder(tx, operatorSessions, 'byUser', [app, userId]);
}

/** Forgets what was granted to a dashboard user that is removed, in the caller's transaction. */
export async function forgetOperator(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await Promise.all([endSessionsOf(tx, app, userId), tx.delete(operators, [app, userId])]);
}
