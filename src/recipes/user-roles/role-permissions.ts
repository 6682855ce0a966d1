import type { Commands } from '../../generated/commands.ts';
import { type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import { roles } from './records.ts';

/** `GET /recipe/role/permissions` (contract 05 section 2.2); `undefined` for a role that does not exist. */
export function rolePermissions(
  { store, tenant }: Context,
  command: Commands['user-roles/role-permissions'],
): MaybePromise<readonly string[] | undefined> {
  return store.read((reader) => whenReady(reader.get(roles, [tenant.app, command.role]), (role) => role?.permissions));
}
