import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { type AssignmentRecord, assignments, type RoleRecord, roles } from './records.ts';

type Command = Commands['user-roles/assign-role'];

/** A role that exists, with its assignment to a user, if it has it. */
interface Found {
  readonly role: RoleRecord;
  readonly assignment: AssignmentRecord | undefined;
}

/** `PUT /recipe/user/role` (contract 05 section 2.7): whether the user had it already; `undefined`: unknown role. */
export function assignRole(context: Context, command: Command): Promise<boolean | undefined> {
  const { store, tenant } = context;
  return store.transact(async (tx) => {
    const found = await find(tx, tenant, command);
    if (!found) return undefined;
    const { role, assignment } = found;
    if (assignment) return true;
    const { app, tenant: number } = tenant;
    await tx.put(assignments, { app, tenant: number, userId: command.userId, role: role.name, roleId: role.id });
    await recordEvent(tx, context, 'user.role-assigned', { userId: command.userId, details: { role: role.name } });
    return false;
  });
}

/** `POST /recipe/user/role/remove` (contract 05 section 2.8): whether the user had it; `undefined`: unknown role. */
export function unassignRole(context: Context, command: Command): Promise<boolean | undefined> {
  const { store, tenant } = context;
  return store.transact(async (tx) => {
    const found = await find(tx, tenant, command);
    if (!found?.assignment) return found && false;
    await recordEvent(tx, context, 'user.role-removed', { userId: command.userId, details: { role: command.role } });
    return tx.delete(assignments, assignments.key(found.assignment));
  });
}

/** The role is read in the transaction that writes the assignment: were it removed meanwhile, the commit would fail. */
async function find(tx: Transaction, { app, tenant }: Tenant, { userId, role: name }: Command): Promise<Found | undefined> {
  const [role, assignment] = await tx.getMany([
    { collection: roles, key: [app, name] },
    { collection: assignments, key: [app, tenant, userId, name] },
  ]);
  return role && { role, assignment: assignment?.roleId === role.id ? assignment : undefined };
}
