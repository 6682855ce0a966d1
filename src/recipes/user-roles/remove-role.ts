import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { removedRoles, roles } from './records.ts';

/**
 * `POST /recipe/role/remove` (contract 05 section 2.5): answers whether the role existed. All its assignments are out
 * of sight at once, however many; `purgeRemovedRoles` deletes them.
 */
export function removeRole(context: Context, command: Commands['user-roles/remove-role']): Promise<boolean> {
  const { store, tenant } = context;
  const { app } = tenant;
  return store.transact(async (tx) => {
    const role = await tx.get(roles, [app, command.role]);
    if (!role) return false;
    await tx.delete(roles, [app, command.role]);
    await tx.insert(removedRoles, { app, roleId: role.id });
    await recordEvent(tx, context, 'role.removed', { details: { role: command.role } });
    return true;
  });
}
