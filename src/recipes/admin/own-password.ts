import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { proveUser } from '../dashboard/prove-user.ts';
import { changePassword } from '../dashboard/update-user.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import { operators } from '../operators/records.ts';
import { Refusal } from '../refusal.ts';
import { factsOf, type SignedInFacts } from './operator-facts.ts';
import { renewSession } from './renew-session.ts';
import { signedInOf } from './signed-in.ts';

export type ChangePasswordResult =
  | { readonly status: 'INVALID_CREDENTIALS_ERROR' }
  | { readonly status: 'PASSWORD_WEAK_ERROR'; readonly message: string }
  | Changed;

/** Something changed for the operator who asks, and this browser got another cookie. */
export interface Changed {
  readonly status: 'OK';
  readonly facts: SignedInFacts;
  readonly token: string;
}

/** Whether the operator who asks knows the password, by the limits of a sign-in. */
export async function provesPassword(context: Context, password: string): Promise<boolean> {
  const { session } = signedInOf(context);
  const user = await context.store.read((reader) => findUser(reader, session.app, { userId: session.userId }));
  if (!user) return false;
  const proven = await proveUser(context, { email: user.email, password }, context.browser?.address, async ({ id }) => ({
    status: 'OK',
    id,
  }));
  return proven?.id === user.id;
}

/** `POST /manage/v1/operator/password`: sets one's own password, which ends all other sessions. */
export async function changeOwnPassword(context: Context, command: Commands['admin/change-password']): Promise<ChangePasswordResult> {
  const { session } = signedInOf(context);
  const { app, userId } = session;
  if (!(await provesPassword(context, command.password))) return { status: 'INVALID_CREDENTIALS_ERROR' };
  return changePassword(context, userId, command.newPassword, async (tx) => {
    const operator = await tx.get(operators, [app, userId]);
    if (!operator) throw new Refusal('signed-out');
    const { token, signedIn } = await renewSession(tx, context, session, operator);
    const facts = await factsOf(context, tx, signedIn);
    if (!facts) throw new Refusal('signed-out');
    return { status: 'OK', facts, token };
  });
}
