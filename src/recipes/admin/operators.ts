import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import { operators } from '../operators/records.ts';
import type { OperatorRole } from '../operators/roles.ts';
import { endSessionsOf, sessionsOf } from '../operators/sessions.ts';
import { type ShownSession, shownSessions } from './own-sessions.ts';

/** More than a core has: they are people who are let in one by one. */
const MOST_OPERATORS = 1_000;

/** An operator as it is shown. Times are ms since the epoch. */
export interface ShownOperator {
  readonly userId: string;
  readonly email: string;
  readonly role: OperatorRole;
  readonly grantedAt: number;
  readonly hasTotp: boolean;
  readonly sessions: readonly ShownSession[];
}

/** `GET /manage/v1/operators`: everybody with a role, by email, with their sessions. */
export function listOperators({ store, tenant, now }: Context): Promise<readonly ShownOperator[]> {
  return store.read(async (reader) => {
    const records = await reader.list(operators, undefined, { prefix: [tenant.app], limit: MOST_OPERATORS });
    const shown = await Promise.all(
      records.map(async ({ app, userId, role, grantedAt, totp }) => {
        const [user, sessions] = await Promise.all([findUser(reader, app, { userId }), sessionsOf(reader, app, userId)]);
        const facts = { userId, role, grantedAt, hasTotp: totp !== undefined, sessions: shownSessions(sessions, now()) };
        return user && { ...facts, email: user.email };
      }),
    );
    return shown.filter((one) => one !== undefined).toSorted((a, b) => (a.email < b.email ? -1 : 1));
  });
}

const operatorOf = async (reader: Reader, { tenant }: Context, email: string) => {
  const user = await findUser(reader, tenant.app, { email });
  return user && reader.get(operators, [tenant.app, user.id]);
};

/** `POST /manage/v1/operators/sessions/end`: ends all sessions of an operator; undefined where there is none. */
export function endSessions(context: Context, { email }: Commands['admin/end-sessions']): Promise<number | undefined> {
  return context.store.transact(async (tx) => {
    const operator = await operatorOf(tx, context, email);
    if (!operator) return undefined;
    const ended = await endSessionsOf(tx, operator.app, operator.userId);
    if (ended > 0) await recordEvent(tx, context, 'operator.sessions-ended', { details: { operator: operator.userId, sessions: ended } });
    return ended;
  });
}

/** `POST /manage/v1/operators/totp/remove`: for who lost the device; undefined where there is no such operator. */
export function removeTotpOf(context: Context, { email }: Commands['admin/remove-totp-of']): Promise<boolean | undefined> {
  return context.store.transact(async (tx) => {
    const operator = await operatorOf(tx, context, email);
    if (!operator) return undefined;
    const { totp, newTotp: _shown, ...others } = operator;
    if (!totp) return false;
    await tx.put(operators, others);
    await endSessionsOf(tx, operator.app, operator.userId);
    await recordEvent(tx, context, 'operator.totp-removed', { details: { operator: operator.userId } });
    return true;
  });
}
