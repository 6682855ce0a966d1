import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, Session, startApp } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

const load = createRequire(import.meta.url);
const UserRoles: typeof import('supertokens-node/recipe/userroles/index.js') = load('supertokens-node/recipe/userroles');

/** The published Node SDK, unmodified: roles of users, and the claims it puts into their sessions. */
let core: RunningCore;
let app: ExpressApp;

beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url, undefined, [UserRoles.init()]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

test('roles, permissions and who has them', async () => {
  expect(await UserRoles.createNewRoleOrAddPermissions('writer', ['write'])).toEqual({ status: 'OK', createdNewRole: true });
  expect(await UserRoles.createNewRoleOrAddPermissions('writer', ['read'])).toEqual({ status: 'OK', createdNewRole: false });
  expect(await UserRoles.getPermissionsForRole('writer')).toEqual({ status: 'OK', permissions: ['write', 'read'] });
  await UserRoles.createNewRoleOrAddPermissions('reader', ['read']);
  expect(await UserRoles.getRolesThatHavePermission('read')).toEqual({ status: 'OK', roles: ['reader', 'writer'] });
  expect(await UserRoles.getAllRoles()).toEqual({ status: 'OK', roles: ['reader', 'writer'] });
  expect(await UserRoles.removePermissionsFromRole('writer', ['read'])).toEqual({ status: 'OK' });
  expect(await UserRoles.getPermissionsForRole('writer')).toEqual({ status: 'OK', permissions: ['write'] });

  expect(await UserRoles.addRoleToUser('public', 'u1', 'writer')).toEqual({ status: 'OK', didUserAlreadyHaveRole: false });
  expect(await UserRoles.addRoleToUser('public', 'u1', 'writer')).toEqual({ status: 'OK', didUserAlreadyHaveRole: true });
  expect(await UserRoles.addRoleToUser('public', 'u1', 'none')).toEqual({ status: 'UNKNOWN_ROLE_ERROR' });
  expect(await UserRoles.getRolesForUser('public', 'u1')).toEqual({ status: 'OK', roles: ['writer'] });
  expect(await UserRoles.getUsersThatHaveRole('public', 'writer')).toEqual({ status: 'OK', users: ['u1'] });
  expect(await UserRoles.getUsersThatHaveRole('public', 'none')).toEqual({ status: 'UNKNOWN_ROLE_ERROR' });
  expect(await UserRoles.removeUserRole('public', 'u1', 'writer')).toEqual({ status: 'OK', didUserHaveRole: true });
  expect(await UserRoles.removeUserRole('public', 'u1', 'writer')).toEqual({ status: 'OK', didUserHaveRole: false });

  expect(await UserRoles.deleteRole('writer')).toEqual({ status: 'OK', didRoleExist: true });
  expect(await UserRoles.deleteRole('writer')).toEqual({ status: 'OK', didRoleExist: false });
  expect(await UserRoles.getPermissionsForRole('writer')).toEqual({ status: 'UNKNOWN_ROLE_ERROR' });
});

test('roles of a tenant stay in it', async () => {
  await cdiClient(core.url).put('/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
  await UserRoles.createNewRoleOrAddPermissions('local', []);
  await UserRoles.addRoleToUser('t1', 'u2', 'local');
  expect(await UserRoles.getRolesForUser('t1', 'u2')).toEqual({ status: 'OK', roles: ['local'] });
  expect(await UserRoles.getRolesForUser('public', 'u2')).toEqual({ status: 'OK', roles: [] });
});

test('a session carries roles and permissions as claims, and fetches them again', async () => {
  const front = new FrontEnd(app.url, 'header');
  const made = await front.signUp('roles@example.com', 'correct-horse-1');
  const { id } = made.body['user'] as { readonly id: string };
  expect((await front.get('/me')).body['claims']).toMatchObject({ 'st-role': { v: [] }, 'st-perm': { v: [] } });

  await UserRoles.createNewRoleOrAddPermissions('editor', ['edit', 'publish']);
  await UserRoles.addRoleToUser('public', id, 'editor');
  const [handle = ''] = await Session.getAllSessionHandlesForUser(id);
  expect(await Session.fetchAndSetClaim(handle, UserRoles.UserRoleClaim)).toBe(true);
  expect(await Session.fetchAndSetClaim(handle, UserRoles.PermissionClaim)).toBe(true);
  const { claims } = (await front.get('/me/checked')).body as { claims: Record<string, { v: string[] }> };
  expect(claims['st-role']?.v).toEqual(['editor']);
  expect(claims['st-perm']?.v.toSorted()).toEqual(['edit', 'publish']);

  await UserRoles.deleteRole('editor');
  const again = new FrontEnd(app.url, 'header');
  await again.signIn('roles@example.com', 'correct-horse-1');
  expect((await again.get('/me')).body['claims']).toMatchObject({ 'st-role': { v: [] }, 'st-perm': { v: [] } });
});
