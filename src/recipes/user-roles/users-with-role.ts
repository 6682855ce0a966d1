import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { collect, pagesOf } from './pages.ts';
import { assignments, roles } from './records.ts';

/**
 * `GET /recipe/role/users` (contract 05 section 2.10): the ids of the users that have a role in the tenant, as they were sent;
 * `undefined` for a role that does not exist.
 */
export function usersWithRole({ store, tenant }: Context, command: Commands['user-roles/users-with-role']): Promise<string[] | undefined> {
  const { app } = tenant;
  return store.read(async (reader) => {
    const role = await reader.get(roles, [app, command.role]);
    if (!role) return undefined;
    const prefix = [app, role.id, tenant.tenant];
    const pages = pagesOf(
      prefix,
      (range) => reader.keys(assignments, 'byRole', range),
      (key) => [...prefix, ...key],
    );
    return collect(pages, (key) => String(key[2]));
  });
}
