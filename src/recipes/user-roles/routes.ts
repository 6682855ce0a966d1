import type { Pages } from '../../store/store.ts';
import { listAnswer } from '../list-answer.ts';
import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { assignRole, unassignRole } from './assign-role.ts';
import { listRoles, rolesWithPermission } from './list-roles.ts';
import { checkNewRole, refuseBlankPermissions } from './permissions.ts';
import { addPermissions, type PutRoleResult, putRole } from './put-role.ts';
import { removePermissions } from './remove-permissions.ts';
import { removeRole } from './remove-role.ts';
import { rolePermissions } from './role-permissions.ts';
import { rolesOfUser } from './roles-of-user.ts';
import { usersWithRole } from './users-with-role.ts';

const UNKNOWN_ROLE: Answer = { json: { status: 'UNKNOWN_ROLE_ERROR' } };

const putAnswer = ({ createdNewRole }: PutRoleResult): Answer => ({ json: { status: 'OK', createdNewRole } });
const removedAnswer = (didRoleExist: boolean): Answer => ({ json: { status: 'OK', didRoleExist } });
const rolesAnswer = (roles: Pages<readonly string[]>): Answer => listAnswer('roles', roles, String);
const knownAnswer = (isKnown: boolean): Answer => (isKnown ? { json: { status: 'OK' } } : UNKNOWN_ROLE);
const takenAnswer = (didUserHaveRole: boolean | undefined): Answer =>
  didUserHaveRole === undefined ? UNKNOWN_ROLE : { json: { status: 'OK', didUserHaveRole } };

const ROLES: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/recipe/role',
    scope: 'app',
    input: 'user-roles/put-role',
    summary: 'Make a role, or add permissions to one',
    tells: ['role.written'],
    early: checkNewRole,
    run: putRole,
    view: putAnswer,
  }),
  route({
    method: 'POST',
    path: '/recipe/role/permissions',
    scope: 'app',
    input: 'user-roles/put-role',
    summary: 'Add permissions to a role, which is made where it does not exist',
    tells: ['role.written'],
    early: checkNewRole,
    run: addPermissions,
    view: putAnswer,
  }),
  route({
    method: 'GET',
    path: '/recipe/role/permissions',
    scope: 'app',
    input: 'user-roles/role-permissions',
    summary: 'The permissions of a role',
    run: rolePermissions,
    view: (permissions) => (permissions ? { json: { status: 'OK', permissions } } : UNKNOWN_ROLE),
  }),
  route({
    method: 'POST',
    path: '/recipe/role/permissions/remove',
    scope: 'app',
    input: 'user-roles/remove-permissions',
    summary: 'Take permissions, or all of them, from a role',
    tells: ['role.permissions-removed'],
    early: refuseBlankPermissions,
    run: removePermissions,
    view: knownAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/role/permissions',
    scope: 'app',
    input: 'user-roles/delete-permissions',
    response: 'user-roles/remove-permissions',
    summary: 'The same under another method',
    tells: ['role.permissions-removed'],
    early: refuseBlankPermissions,
    run: removePermissions,
    view: knownAnswer,
  }),
  route({
    method: 'GET',
    path: '/recipe/permission/roles',
    scope: 'app',
    input: 'user-roles/roles-with-permission',
    response: 'user-roles/list-roles',
    summary: 'The roles that have a permission',
    run: rolesWithPermission,
    view: rolesAnswer,
  }),
  route({
    method: 'POST',
    path: '/recipe/role/remove',
    scope: 'app',
    input: 'user-roles/remove-role',
    summary: 'Remove a role from the app and from all who have it',
    tells: ['role.removed'],
    run: removeRole,
    view: removedAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/role',
    scope: 'app',
    input: 'user-roles/delete-role',
    response: 'user-roles/remove-role',
    summary: 'The same under another method',
    tells: ['role.removed'],
    run: removeRole,
    view: removedAnswer,
  }),
  route({
    method: 'GET',
    path: '/recipe/roles',
    scope: 'app',
    response: 'user-roles/list-roles',
    summary: 'All roles of the app',
    run: listRoles,
    view: rolesAnswer,
  }),
];

const ASSIGNMENTS: readonly Route[] = [
  route({
    method: 'PUT',
    path: '/recipe/user/role',
    scope: 'tenant',
    input: 'user-roles/assign-role',
    summary: 'Give a user a role in the tenant',
    tells: ['user.role-assigned'],
    run: assignRole,
    view: (didUserAlreadyHaveRole) =>
      didUserAlreadyHaveRole === undefined ? UNKNOWN_ROLE : { json: { status: 'OK', didUserAlreadyHaveRole } },
  }),
  route({
    method: 'POST',
    path: '/recipe/user/role/remove',
    scope: 'tenant',
    input: 'user-roles/assign-role',
    response: 'user-roles/unassign-role',
    summary: 'Take a role of the tenant from a user',
    tells: ['user.role-removed'],
    run: unassignRole,
    view: takenAnswer,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/user/role',
    scope: 'tenant',
    input: 'user-roles/delete-assignment',
    response: 'user-roles/unassign-role',
    summary: 'The same under another method',
    tells: ['user.role-removed'],
    run: unassignRole,
    view: takenAnswer,
  }),
  route({
    method: 'GET',
    path: '/recipe/user/roles',
    scope: 'tenant',
    input: 'user-roles/roles-of-user',
    response: 'user-roles/list-roles',
    summary: 'The roles of a user in the tenant',
    run: rolesOfUser,
    view: rolesAnswer,
  }),
  route({
    method: 'GET',
    path: '/recipe/role/users',
    scope: 'tenant',
    input: 'user-roles/users-with-role',
    summary: 'The users who have a role in the tenant',
    run: usersWithRole,
    view: (users) => (users ? listAnswer('users', users, String) : UNKNOWN_ROLE),
  }),
];

export const ROUTES: readonly Route[] = [...ROLES, ...ASSIGNMENTS];
