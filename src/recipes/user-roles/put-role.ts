import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { normalisedPermissions, refuseTooManyPermissions } from './permissions.ts';
import { roles } from './records.ts';

type Command = Commands['user-roles/put-role'];

/** Whether a role was made, or one that existed got its permissions. */
export interface PutRoleResult {
  readonly createdNewRole: boolean;
}

/**
 * `PUT /recipe/role` (contract 05 section 2.1): makes a role, or adds permissions to one that exists. Under the option
 * `role_put_replaces_permissions` those of an existing role are replaced (contract 00). @throws Refusal
 */
export function putRole(context: Context, command: Command): Promise<PutRoleResult> {
  return writeRole(context, command, context.tenant.appConfig.role_put_replaces_permissions);
}

/** `POST /recipe/role/permissions` (contract 00, aliases): adds, whatever the option says. @throws Refusal */
export function addPermissions(context: Context, command: Command): Promise<PutRoleResult> {
  return writeRole(context, command, false);
}

async function writeRole(context: Context, command: Command, replaces: boolean): Promise<PutRoleResult> {
  const { store, tenant, randomId } = context;
  const { app } = tenant;
  const name = command.role;
  const given = normalisedPermissions(command.permissions);
  const id = randomId();
  return store.transact(async (tx) => {
    const known = await tx.get(roles, [app, name]);
    const kept = replaces ? [] : (known?.permissions ?? []);
    const permissions = [...new Set([...kept, ...given])];
    refuseTooManyPermissions(permissions);
    await tx.put(roles, { app, name, id: known?.id ?? id, permissions });
    await recordEvent(tx, context, 'role.written', { details: { role: name } });
    return { createdNewRole: known === undefined };
  });
}
