import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../normalise.ts';
import { type DashboardSessionRecord, type DashboardUserRecord, dashboardSessions, dashboardUsers } from './records.ts';
import { proveUser } from './prove-user.ts';

export type SignInResult = { readonly status: 'INVALID_CREDENTIALS_ERROR' } | { readonly status: 'OK'; readonly sessionId: string };

const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

const REFUSED: SignInResult = { status: 'INVALID_CREDENTIALS_ERROR' };

/**
 * `POST /recipe/dashboard/signin` (contract 05 section 5.7). Over a limit of failures every password is answered like a
 * wrong one, at the same cost.
 */
export async function signIn(context: Context, { email, password }: Commands['dashboard/sign-in']): Promise<SignInResult> {
  const result = await proveUser(context, { email: normaliseEmail(email), password }, context.endUserAddress, (user) =>
    beginSession(context, user),
  );
  return result ?? REFUSED;
}

async function beginSession(context: Context, { app, id: userId, passwordHash }: DashboardUserRecord): Promise<SignInResult> {
  const createdAt = context.now();
  const expiresAt = createdAt + SESSION_LIFE_MS;
  const session: DashboardSessionRecord = { app, id: context.randomId(), userId, createdAt, expiresAt };
  return context.store.transact(async (tx) => {
    const current = await tx.get(dashboardUsers, [app, userId]);
    // A change of the password ends sessions; one that was checked against the old password must not begin after it.
    if (current?.passwordHash !== passwordHash) return REFUSED;
    await tx.insert(dashboardSessions, session);
    await recordEvent(tx, context, 'operator.signed-in', { by: { type: 'operator', name: userId } });
    return { status: 'OK', sessionId: session.id };
  });
}
