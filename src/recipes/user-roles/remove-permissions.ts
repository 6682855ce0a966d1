import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { normalisedPermissions } from './permissions.ts';
import { roles } from './records.ts';

/** `POST /recipe/role/permissions/remove` (contract 05 section 2.3): those listed, or all; whether the role exists. */
export function removePermissions(context: Context, command: Commands['user-roles/remove-permissions']): Promise<boolean> {
  const { store, tenant } = context;
  const doomed = command.permissions && new Set(normalisedPermissions(command.permissions));
  return store.transact(async (tx) => {
    const role = await tx.get(roles, [tenant.app, command.role]);
    if (!role) return false;
    const permissions = doomed ? role.permissions.filter((permission) => !doomed.has(permission)) : [];
    await tx.put(roles, { ...role, permissions });
    await recordEvent(tx, context, 'role.permissions-removed', { details: { role: command.role } });
    return true;
  });
}
