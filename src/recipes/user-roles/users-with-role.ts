import type { Commands } from '../../generated/commands.ts';
import { mapPages, pagesOf } from '../../store/pages.ts';
import type { Pages } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { assignments, roles } from './records.ts';

/** `GET /recipe/role/users` (contract 05 section 2.10): ids of users, as sent; `undefined` for an unknown role. */
export function usersWithRole(
  { store, tenant }: Context,
  command: Commands['user-roles/users-with-role'],
): Promise<Pages<readonly string[]> | undefined> {
  const { app } = tenant;
  return store.readPages(async (reader, hold) => {
    const role = await reader.get(roles, [app, command.role]);
    if (!role) return undefined;
    const prefix = [app, role.id, tenant.tenant] as const;
    const pages = pagesOf((page) => reader.pageOfKeys(assignments, 'byRole', { prefix, ...page }));
    return hold(mapPages(pages, ({ key: [, , userId] }) => userId));
  });
}
