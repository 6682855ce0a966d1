import type { Commands } from '../../generated/commands.ts';
import type { Key } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { collect, pagesOf } from './pages.ts';
import { roles } from './records.ts';

const nameIn = (key: Key): string => String(key[1]);

/** `GET /recipe/roles` (contract 05 section 2.6): the names of all roles of the app. */
export function listRoles({ store, tenant }: Pick<Context, 'store' | 'tenant'>): Promise<string[]> {
  return store.read((reader) => {
    const pages = pagesOf(
      [tenant.app],
      (range) => reader.keys(roles, undefined, range),
      (key) => key,
    );
    return collect(pages, nameIn);
  });
}

/** `GET /recipe/permission/roles` (contract 05 section 2.4): the names of the roles that have a permission. */
export function rolesWithPermission({ store, tenant }: Context, command: Commands['user-roles/roles-with-permission']): Promise<string[]> {
  const prefix = [tenant.app, command.permission];
  return store.read((reader) => {
    const pages = pagesOf(
      prefix,
      (range) => reader.keys(roles, 'byPermission', range),
      (key) => [...prefix, ...key],
    );
    return collect(pages, nameIn);
  });
}
