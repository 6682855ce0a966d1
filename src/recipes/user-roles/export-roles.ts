import { toJsonText } from '../../json/free-form.ts';
import type { Reader } from '../../store/store.ts';
import type { Exported, Origin } from '../user-data.ts';
import { rolesInAllTenants } from './roles-of-user.ts';

/** `userRoles` of an export. An import gives roles in tenants of the user only, so those in others stay behind. */
export async function exportRoles(reader: Reader, { tenant, directory, tenantIds }: Origin, userId: string): Promise<Exported | undefined> {
  const tenantsOf = new Map<string, string[]>();
  const losses: 'role-elsewhere'[] = [];
  for await (const page of rolesInAllTenants(reader, tenant.app, userId)) {
    for (const assignment of page) {
      const tenantId = await directory.tenantIdOf(reader, tenant.app, assignment.tenant);
      if (tenantId === undefined) continue;
      if (tenantIds.has(tenantId)) tenantsOf.set(assignment.role, [...(tenantsOf.get(assignment.role) ?? []), tenantId]);
      else losses.push('role-elsewhere');
    }
  }
  if (tenantsOf.size === 0) return losses.length === 0 ? undefined : { members: {}, losses };
  return { members: { userRoles: toJsonText([...tenantsOf].map(([role, ids]) => ({ role, tenantIds: ids }))) }, losses };
}
