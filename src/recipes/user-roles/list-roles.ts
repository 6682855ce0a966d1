import type { Commands } from '../../generated/commands.ts';
import { allOf, mapPages, pagesOf } from '../../store/pages.ts';
import type { AppNumber, KeyOf, Noted, Pages, Reader, Store } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { roles } from './records.ts';

const nameIn = ({ key: [, name] }: Noted<KeyOf<typeof roles>>): string => name;

/** `GET /recipe/roles` (contract 05 section 2.6): the names of all roles of the app. */
export function listRoles({ store, tenant }: Context): Promise<Pages<readonly string[]>> {
  return store.readPages((reader, hold) => hold(roleNames(reader, tenant.app)));
}

/** The same, whoever asks, and all at once. */
export function roleNamesOf(store: Store, app: AppNumber): Promise<string[]> {
  return store.read((reader) => allOf(roleNames(reader, app)));
}

function roleNames(reader: Reader, app: AppNumber): AsyncIterable<readonly string[]> {
  const pages = pagesOf((page) => reader.pageOfKeys(roles, undefined, { prefix: [app], ...page }));
  return mapPages(pages, nameIn);
}

/** `GET /recipe/permission/roles` (contract 05 section 2.4): the names of the roles that have a permission. */
export function rolesWithPermission(
  { store, tenant }: Context,
  command: Commands['user-roles/roles-with-permission'],
): Promise<Pages<readonly string[]>> {
  const prefix = [tenant.app, command.permission] as const;
  return store.readPages((reader, hold) => {
    const pages = pagesOf((page) => reader.pageOfKeys(roles, 'byPermission', { prefix, ...page }));
    return hold(mapPages(pages, nameIn));
  });
}
