import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { createUser, type CreateUserResult } from '../dashboard/create-user.ts';
import { findUser } from '../dashboard/user-lookup.ts';
import { type OperatorRecord, operators } from '../operators/records.ts';
import { isRole, OPERATOR_ROLES, type OperatorRole } from '../operators/roles.ts';
import { endSessionsOf, forgetOperator } from '../operators/sessions.ts';
import { Refusal } from '../refusal.ts';

/** @throws Refusal */
function roleOf(text: string): OperatorRole {
  if (!isRole(text)) throw new Refusal('bad-input', { text: `role must be one of ${OPERATOR_ROLES.join(', ')}` });
  return text;
}

export type GrantResult = { readonly status: 'UNKNOWN_USER_ERROR' } | { readonly status: 'OK'; readonly before: OperatorRole | null };

/** `POST /manage/v1/operators/grant`: gives a dashboard user a role, in the place of any other; sessions end. */
export function grant(context: Context, { email, role }: Commands['admin/grant']): Promise<GrantResult> {
  const granted = roleOf(role);
  return context.store.transact(async (tx): Promise<GrantResult> => {
    const user = await findUser(tx, context.tenant.app, { email });
    return user ? { status: 'OK', before: await keep(tx, context, user.id, granted) } : { status: 'UNKNOWN_USER_ERROR' };
  });
}

/** Keeps a role; answers the one before. */
async function keep(tx: Transaction, context: Context, userId: string, role: OperatorRole): Promise<OperatorRole | null> {
  const { app } = context.tenant;
  const before: OperatorRecord | undefined = await tx.get(operators, [app, userId]);
  if (before?.role === role) return role;
  await tx.put(operators, { ...before, app, userId, role, grantedAt: context.now() });
  await endSessionsOf(tx, app, userId);
  await recordEvent(tx, context, 'operator.granted', { details: { operator: userId, role } });
  return before?.role ?? null;
}

/** `POST /manage/v1/operators/revoke`: takes the role away, and the TOTP with it; answers whether there was one. */
export function revoke(context: Context, { email }: Commands['admin/revoke']): Promise<boolean> {
  const { app } = context.tenant;
  return context.store.transact(async (tx) => {
    const user = await findUser(tx, app, { email });
    if (!user || !(await tx.get(operators, [app, user.id]))) return false;
    await forgetOperator(tx, app, user.id);
    await recordEvent(tx, context, 'operator.revoked', { details: { operator: user.id } });
    return true;
  });
}

/** `POST /manage/v1/operators/add`: makes a dashboard user with a role. */
export function addOperator(context: Context, { email, password, role }: Commands['admin/add-operator']): Promise<CreateUserResult> {
  const granted = roleOf(role);
  return createUser(context, { email, password }, async (tx, userId) => {
    await keep(tx, context, userId, granted);
  });
}
