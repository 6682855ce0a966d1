import { defineCollection } from '../../store/collection.ts';
import type { AppNumber, TenantNumber } from '../../store/store.ts';

/** A role of an app with its permissions (contract 05 section 1). */
export interface RoleRecord {
  readonly app: AppNumber;
  readonly name: string;
  /** Random. Assignments name it, so those of a removed role count for nothing, even when its name is used again. */
  readonly id: string;
  /** Distinct, in no particular order. */
  readonly permissions: readonly string[];
}

export const roles = defineCollection({
  id: 22,
  name: 'roles',
  scope: 'app',
  format: 1,
  fields: { app: 1, name: 2, id: 3, permissions: 4 },
  key: (r: RoleRecord) => [r.app, r.name],
  indexes: {
    byPermission: { id: 1, keys: (r) => r.permissions.map((permission) => [r.app, permission] as const) },
  },
});

/** That a user has a role in a tenant; true only while the role has the id that stands here. */
export interface AssignmentRecord {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  /** As the caller sent it; such a user need not exist. */
  readonly userId: string;
  /** Name of the role. */
  readonly role: string;
  readonly roleId: string;
}

export const assignments = defineCollection({
  id: 23,
  name: 'role_assignments',
  scope: 'tenant',
  format: 1,
  fields: { app: 1, tenant: 2, userId: 3, role: 4, roleId: 5 },
  key: (a: AssignmentRecord) => [a.app, a.tenant, a.userId, a.role],
  indexes: {
    byUser: { id: 1, keys: (a) => [[a.app, a.userId]] },
    byRole: { id: 2, keys: (a) => [[a.app, a.roleId, a.tenant]] },
  },
});

/** The id of a removed role whose assignments are still to be deleted. */
export interface RemovedRoleRecord {
  readonly app: AppNumber;
  readonly roleId: string;
}

export const removedRoles = defineCollection({
  id: 31,
  name: 'removed_roles',
  scope: 'app',
  format: 1,
  fields: { app: 1, roleId: 2 },
  key: (r: RemovedRoleRecord) => [r.app, r.roleId],
});
