import type { Commands } from '../../generated/commands.ts';
import { deleteUnder } from '../../store/delete-under.ts';
import { mapPages, pagesOf } from '../../store/pages.ts';
import type { AppNumber, KeyOf, Leading, Pages, Reader, TenantNumber, Transaction } from '../../store/store.ts';
import type { Context } from '../context.ts';
import { existingTenants } from '../tenants/tenant-exists.ts';
import { type AssignmentRecord, assignments, roles } from './records.ts';

/** `GET /recipe/user/roles` (contract 05 section 2.9): the names of the roles that a user has in the tenant. */
export function rolesOfUser({ store, tenant }: Context, command: Commands['user-roles/roles-of-user']): Promise<Pages<readonly string[]>> {
  const prefix = [tenant.app, tenant.tenant, command.userId] as const;
  return store.readPages((reader, hold) => hold(mapPages(living(reader, inTenant(reader, prefix)), ({ role }) => role)));
}

/** Whether a user id has a role in any tenant of the app; it may be an internal or an external id. */
export async function areRolesUsed(reader: Reader, app: AppNumber, userId: string): Promise<boolean> {
  for await (const page of rolesInAllTenants(reader, app, userId)) {
    const tenants = page.map(({ tenant }) => tenant);
    if ((await existingTenants(reader, app, tenants)).size > 0) return true;
  }
  return false;
}

/** The roles of a user id in all tenants of the app, and in removed ones whose data are there still. */
export function rolesInAllTenants(reader: Reader, app: AppNumber, userId: string): AsyncGenerator<readonly AssignmentRecord[]> {
  const pages = pagesOf((page) => reader.page(assignments, 'byUser', { prefix: [app, userId], ...page }));
  return living(reader, pages);
}

/** Takes all roles of a user id away, in all tenants of the app. */
export async function removeRolesOfUser(tx: Transaction, app: AppNumber, userId: string): Promise<void> {
  await deleteUnder(tx, assignments, 'byUser', [app, userId]);
}

/** Takes all roles of a user id in one tenant away; answers whether it had any. */
export async function removeRolesInTenant(tx: Transaction, app: AppNumber, tenant: TenantNumber, userId: string): Promise<boolean> {
  const prefix = [app, tenant, userId] as const;
  let hadAny = false;
  for await (const page of living(tx, inTenant(tx, prefix))) hadAny ||= page.length > 0;
  await deleteUnder(tx, assignments, undefined, prefix);
  return hadAny;
}

/** Every assignment of a user in a tenant. */
function inTenant(reader: Reader, prefix: Leading<KeyOf<typeof assignments>>): AsyncGenerator<readonly AssignmentRecord[]> {
  return pagesOf((page) => reader.page(assignments, undefined, { prefix, ...page }));
}

/** Those whose role was not removed since. */
async function* living(reader: Reader, pages: AsyncIterable<readonly AssignmentRecord[]>): AsyncGenerator<readonly AssignmentRecord[]> {
  for await (const page of pages) {
    const found = await reader.getMany(page.map(({ app, role }) => ({ collection: roles, key: [app, role] as const })));
    yield page.filter(({ roleId }, at) => found[at]?.id === roleId);
  }
}
