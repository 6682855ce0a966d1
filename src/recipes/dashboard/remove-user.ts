import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { guardOperator } from '../operators/guard.ts';
import { forgetOperator } from '../operators/sessions.ts';
import { dashboardUsers } from './records.ts';
import { removeSessionsOf } from './sessions.ts';
import { findUser } from './user-lookup.ts';

/** `DELETE /recipe/dashboard/user` (contract 05 section 5.4): whether the user existed; the sessions go too. */
export function removeUser(context: Context, { userId, email }: Commands['dashboard/remove-user']): Promise<boolean> {
  const { store, tenant } = context;
  return store.transact(async (tx) => {
    const user = await findUser(tx, tenant.app, { userId, email });
    if (!user) return false;
    await guardOperator(tx, tenant.app, user.id, context.scopes);
    await tx.delete(dashboardUsers, dashboardUsers.key(user));
    await Promise.all([forgetOperator(tx, tenant.app, user.id), removeSessionsOf(tx, tenant.app, user.id)]);
    await recordEvent(tx, context, 'operator.removed', { details: { operator: user.id } });
    return true;
  });
}
