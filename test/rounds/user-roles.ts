import { plain, type Scenario } from './scenario.ts';

/** The endpoints of roles. */
export const USER_ROLES_ROUNDS: readonly Scenario[] = [
  plain(1, 'PUT /recipe/role', { role: 'r', permissions: ['p'] }),
  plain(1, 'POST /recipe/role/permissions', { role: 'r' }),
  plain(1, 'GET /recipe/role/permissions?role=r'),
  plain(1, 'POST /recipe/role/permissions/remove', { role: 'r' }),
  plain(1, 'DELETE /recipe/role/permissions?role=r'),
  plain(1, 'GET /recipe/permission/roles?permission=p'),
  plain(1, 'GET /recipe/roles'),
  plain(1, 'PUT /recipe/user/role', { userId: 'u', role: 'r' }),
  plain(2, 'GET /recipe/user/roles?userId=u'),
  plain(2, 'GET /recipe/role/users?role=r'),
  plain(1, 'POST /recipe/user/role/remove', { userId: 'u', role: 'r' }),
  plain(1, 'DELETE /recipe/user/role?userId=u&role=r'),
  plain(1, 'POST /recipe/role/remove', { role: 'r' }),
  plain(1, 'DELETE /recipe/role?role=r'),
];
