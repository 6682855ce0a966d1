import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { dashboardUsers } from './records.ts';
import { removeSessionsOf } from './sessions.ts';
import { findUser } from './user-lookup.ts';

/** `DELETE /recipe/dashboard/user` (contract 05 section 5.4): whether the user existed; the sessions go too. */
export function removeUser({ store, tenant }: Context, { userId, email }: Commands['dashboard/remove-user']): Promise<boolean> {
  return store.transact(async (tx) => {
    const user = await findUser(tx, tenant.app, { userId, email });
    if (!user) return false;
    await tx.delete(dashboardUsers, dashboardUsers.key(user));
    await removeSessionsOf(tx, tenant.app, user.id);
    return true;
  });
}
