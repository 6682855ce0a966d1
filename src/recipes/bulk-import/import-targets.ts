import type { AppNumber, Reader, TenantNumber } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { tenantNumbers } from '../tenants/tenant-numbers.ts';
import { roleIds } from '../user-roles/give-roles.ts';
import type { ImportedUser } from './imported-user.ts';
import { noTenantText } from './validate-method.ts';

/** The tenants and roles that users are imported into, as one transaction found them: read once for all its users. */
export interface ImportTargets {
  /** Number of the app. */
  readonly app: AppNumber;
  /** ms since the epoch. */
  readonly now: number;
  /** Numbers of tenants by id. */
  readonly tenants: ReadonlyMap<string, TenantNumber>;
  /** Ids of roles by name. */
  readonly roles: ReadonlyMap<string, string>;
}

/**
 * Reads what these users, and no others, can be imported into with `importUser`, in the same transaction.
 * @param app any tenant of the app @param now ms since the epoch
 */
export async function readTargets(reader: Reader, app: Tenant, users: readonly ImportedUser[], now: number): Promise<ImportTargets> {
  const given = users.flatMap((user) => user.userRoles ?? []);
  const tenantIds = new Set(users.flatMap((user) => user.loginMethods.flatMap((method) => method.tenantIds)));
  for (const { tenantIds: ids } of given) for (const id of ids) tenantIds.add(id);
  const names = [...new Set(given.map(({ role }) => role))];
  const [tenants, roles] = await Promise.all([tenantNumbers(reader, app, [...tenantIds]), roleIds(reader, app.app, names)]);
  return { app: app.app, now, tenants, roles };
}

/**
 * What is wrong with a user that was valid once, in the words of the validation (contract 05 section 6.11): its roles
 * and tenants that were removed meanwhile. A user with such errors must not be given to `importUser`.
 */
export function staleErrors({ tenants, roles }: ImportTargets, { userRoles = [], loginMethods }: ImportedUser): string[] {
  const errors: string[] = [];
  const complain = (tenantIds: readonly string[], place: string): void => {
    for (const id of tenantIds) if (!tenants.has(id)) errors.push(`Invalid tenantId: ${id}${place}`);
  };
  for (const { role, tenantIds } of userRoles) {
    if (!roles.has(role)) errors.push(`Role ${role} does not exist.`);
    complain(tenantIds, ' for a user role.');
  }
  for (const { tenantIds, recipeId } of loginMethods) complain(tenantIds, ` for ${recipeId} recipe.`);
  for (const method of loginMethods) if (!method.tenantIds.some((id) => tenants.has(id))) errors.push(noTenantText(method));
  return errors;
}
