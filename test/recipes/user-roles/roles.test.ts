import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessAnswer, type InProcessCallOptions, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const UNKNOWN = { status: 'UNKNOWN_ROLE_ERROR' };
const OK = { status: 'OK' };

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

const put = (role: unknown, permissions?: unknown): Promise<InProcessAnswer> => core.call('PUT', '/recipe/role', { role, permissions });
const permissionsOf = async (role: string): Promise<unknown> => {
  const { body } = await core.call('GET', `/recipe/role/permissions?role=${encodeURIComponent(role)}`);
  return Array.isArray(body['permissions']) ? body['permissions'].toSorted() : body;
};
const give = async (userId: string, role: string, at = '') => (await core.call('PUT', `${at}/recipe/user/role`, { userId, role })).body;
const rolesOf = async (userId: string, at = ''): Promise<unknown> => {
  const { body } = await core.call('GET', `${at}/recipe/user/roles?userId=${encodeURIComponent(userId)}`);
  return Array.isArray(body['roles']) ? body['roles'].toSorted() : body;
};
const usersWith = async (role: string, at = ''): Promise<unknown> => {
  const { body } = await core.call('GET', `${at}/recipe/role/users?role=${encodeURIComponent(role)}`);
  return Array.isArray(body['users']) ? body['users'].toSorted() : body;
};
const addTenant = (tenantId: string) => core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId });

describe('roles and permissions', () => {
  test('PUT makes a role once and adds permissions', async () => {
    expect((await put(' admin ', [' read ', 'read', 'write'])).body).toEqual({ status: 'OK', createdNewRole: true });
    expect((await put('admin', ['delete'])).body).toEqual({ status: 'OK', createdNewRole: false });
    expect((await put('admin')).body).toEqual({ status: 'OK', createdNewRole: false });
    expect(await permissionsOf('admin')).toEqual(['delete', 'read', 'write']);
    expect(await permissionsOf(' admin ')).toEqual(['delete', 'read', 'write']);
    expect(await permissionsOf('Admin')).toEqual(UNKNOWN);
  });

  test('permissions are taken away one by one or all at once', async () => {
    const take = async (permissions?: readonly string[], role = 'r') =>
      (await core.call('POST', '/recipe/role/permissions/remove', { role, permissions })).body;
    await put('r', ['a', 'b', 'c']);
    expect(await take([' a ', 'never'])).toEqual(OK);
    expect(await permissionsOf('r')).toEqual(['b', 'c']);
    expect(await take([])).toEqual(OK);
    expect(await permissionsOf('r')).toEqual(['b', 'c']);
    expect(await take()).toEqual(OK);
    expect(await permissionsOf('r')).toEqual([]);
    expect(await take(['a'], 'none')).toEqual(UNKNOWN);
  });

  test('roles are found by permission, and no longer once it is taken away', async () => {
    const having = async (permission: string) =>
      (await core.call('GET', `/recipe/permission/roles?permission=${permission}`)).body['roles'];
    await put('one', ['p']);
    await put('two', ['p', 'q']);
    expect(await having('p')).toEqual(['one', 'two']);
    expect(await having('%20q%20')).toEqual(['two']);
    expect(await having('none')).toEqual([]);
    await core.call('POST', '/recipe/role/permissions/remove', { role: 'one', permissions: ['p'] });
    await core.call('POST', '/recipe/role/remove', { role: 'two' });
    expect(await having('p')).toEqual([]);
  });

  test('all roles of the app, however many', async () => {
    expect((await core.call('GET', '/recipe/roles')).body).toEqual({ status: 'OK', roles: [] });
    const names = Array.from({ length: 1203 }, (_, at) => `role-${at}`);
    for (let at = 0; at < names.length; at += 100) await Promise.all(names.slice(at, at + 100).map((name) => put(name, ['shared'])));
    const { roles } = (await core.call('GET', '/recipe/roles')).body as { roles: string[] };
    expect(roles.toSorted()).toEqual(names.toSorted());
    const shared = (await core.call('GET', '/recipe/permission/roles?permission=shared')).body as { roles: string[] };
    expect(shared.roles.toSorted()).toEqual(names.toSorted());
    await Promise.all(names.slice(0, 50).map((name) => give('many', name)));
    expect(await rolesOf('many')).toHaveLength(50);
  });

  test('names of any kind are told apart', async () => {
    const names = ['a', 'A', 'ä', 'a\u0308', '😀', 'a/b', 'x'.repeat(255), '\u{1f600}'.repeat(120), '__proto__', 'a\u0000b'];
    for (const name of names) expect((await put(name, [name])).body, name).toEqual({ status: 'OK', createdNewRole: true });
    for (const name of names) expect(await permissionsOf(name), name).toEqual([name]);
    expect(((await core.call('GET', '/recipe/roles')).body['roles'] as string[]).toSorted()).toEqual(names.toSorted());
  });

  test('an existing role keeps its permissions unless the app says that PUT replaces them', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1', coreConfig: { role_put_replaces_permissions: true } });
    const at = '/appid-a1/recipe/role';
    const shown = async () =>
      ((await core.call('GET', `${at}/permissions?role=r`)).body['permissions'] as readonly string[] | undefined)?.toSorted();
    await core.call('PUT', at, { role: 'r', permissions: ['a', 'b'] });
    expect((await core.call('PUT', at, { role: 'r', permissions: ['c'] })).body).toEqual({ status: 'OK', createdNewRole: false });
    expect(await shown()).toEqual(['c']);
    await core.call('POST', `${at}/permissions`, { role: 'r', permissions: ['d'] });
    expect(await shown()).toEqual(['c', 'd']);
    await core.call('PUT', at, { role: 'r' });
    expect(await shown()).toEqual([]);
  });
});

describe('who has a role', () => {
  test('is kept by tenant, and by app not at all', async () => {
    await addTenant('t1');
    await put('r');
    expect(await give('u', ' r ', '/t1')).toEqual({ status: 'OK', didUserAlreadyHaveRole: false });
    expect(await give('u', 'r', '/t1')).toEqual({ status: 'OK', didUserAlreadyHaveRole: true });
    expect(await rolesOf('u')).toEqual([]);
    expect(await rolesOf('u', '/t1')).toEqual(['r']);
    expect(await usersWith('r')).toEqual([]);
    expect(await usersWith('r', '/t1')).toEqual(['u']);
    const take = async (at = '') => (await core.call('POST', `${at}/recipe/user/role/remove`, { userId: 'u', role: 'r' })).body;
    expect(await take()).toEqual({ status: 'OK', didUserHaveRole: false });
    expect(await take('/t1')).toEqual({ status: 'OK', didUserHaveRole: true });
    expect(await take('/t1')).toEqual({ status: 'OK', didUserHaveRole: false });
    expect(await usersWith('r', '/t1')).toEqual([]);
  });

  test('user ids of any form are kept as they are', async () => {
    await put('r');
    const ids = ['', ' ', 'a', 'A', 'a ', 'ä', 'a\u0308', '\u0000', '😀', 'x'.repeat(1000), `${'x'.repeat(1000)}y`, '__proto__'];
    for (const id of ids) expect(await give(id, 'r'), id).toEqual({ status: 'OK', didUserAlreadyHaveRole: false });
    for (const id of ids) expect(await rolesOf(id), id).toEqual(['r']);
    expect(await usersWith('r')).toEqual(ids.toSorted());
  });

  test('roles that do not exist', async () => {
    expect(await give('u', 'none')).toEqual(UNKNOWN);
    expect((await core.call('POST', '/recipe/user/role/remove', { userId: 'u', role: 'none' })).body).toEqual(UNKNOWN);
    expect(await usersWith('none')).toEqual(UNKNOWN);
    expect(await rolesOf('nobody')).toEqual([]);
  });
});

describe('refusals', () => {
  const invalid = (field: string): string => `Field name '${field}' is invalid in JSON input`;
  const empty = (field: string): string => `Field name '${field}' cannot be an empty String`;
  const missing = (field: string): string => `Field name '${field}' is missing in GET request`;
  const BLANK = "Field name 'permissions' cannot contain an empty string";

  test.each<[method: string, path: string, body: object | undefined, text: string]>([
    ['PUT', '/recipe/role', {}, invalid('role')],
    ['PUT', '/recipe/role', { role: 5 }, invalid('role')],
    ['PUT', '/recipe/role', { role: null }, invalid('role')],
    ['PUT', '/recipe/role', { role: ' \t', permissions: 'x' }, empty('role')],
    ['PUT', '/recipe/role', { role: 'r', permissions: null }, invalid('permissions')],
    ['PUT', '/recipe/role', { role: 'r', permissions: 'x' }, invalid('permissions')],
    ['PUT', '/recipe/role', { role: 'r', permissions: ['', 1] }, invalid('permissions')],
    ['PUT', '/recipe/role', { role: 'r', permissions: ['a', ' '] }, BLANK],
    ['PUT', '/recipe/role', { role: 'r'.repeat(256) }, "Field name 'role' must not hold more than 255 characters"],
    [
      'PUT',
      '/recipe/role',
      { role: 'r', permissions: ['p'.repeat(256)] },
      "Field name 'permissions' must not hold more than 255 characters",
    ],
    [
      'PUT',
      '/recipe/role',
      { role: 'r', permissions: Array.from({ length: 5001 }, (_, at) => `p${at}`) },
      'A role must not have more than 5000 permissions',
    ],
    ['POST', '/recipe/role/permissions', { role: 'r', permissions: [''] }, BLANK],
    ['GET', '/recipe/role/permissions', undefined, missing('role')],
    ['GET', '/recipe/role/permissions?role=+', undefined, empty('role')],
    ['POST', '/recipe/role/permissions/remove', {}, invalid('role')],
    ['POST', '/recipe/role/permissions/remove', { role: 'r', permissions: null }, invalid('permissions')],
    ['POST', '/recipe/role/permissions/remove', { role: 'none', permissions: [' '] }, BLANK],
    ['POST', '/recipe/role/permissions/remove', undefined, 'Invalid Json Input'],
    ['GET', '/recipe/permission/roles', undefined, missing('permission')],
    ['GET', '/recipe/permission/roles?permission=', undefined, empty('permission')],
    ['POST', '/recipe/role/remove', { role: ' ' }, empty('role')],
    ['POST', '/recipe/role/remove', {}, invalid('role')],
    ['PUT', '/recipe/user/role', { role: 'r' }, invalid('userId')],
    ['PUT', '/recipe/user/role', { userId: 'u' }, invalid('role')],
    ['PUT', '/recipe/user/role', { userId: 'u', role: '' }, empty('role')],
    ['POST', '/recipe/user/role/remove', { userId: 1, role: '' }, invalid('userId')],
    ['GET', '/recipe/user/roles', undefined, missing('userId')],
    ['GET', '/recipe/role/users', undefined, missing('role')],
    ['GET', '/recipe/role/users?role=', undefined, empty('role')],
    ['DELETE', '/recipe/role', undefined, invalid('role')],
    ['DELETE', '/recipe/role?role=%20', undefined, empty('role')],
    ['DELETE', '/recipe/user/role?role=r', undefined, invalid('userId')],
    ['DELETE', '/recipe/role/permissions', { role: 'r', permissions: ['', 'a'] }, BLANK],
  ])('%s %s %j', async (method, path, body, text) => {
    expect(await core.call(method, path, body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('permissions that come in several calls may not exceed the limit either', async () => {
    const some = (from: number): string[] => Array.from({ length: 3000 }, (_, at) => `p${from + at}`);
    expect((await put('r', some(0))).status).toBe(200);
    expect((await put('r', some(3000))).status).toBe(400);
    expect(await permissionsOf('r')).toHaveLength(3000);
    expect((await put('r', some(2000))).status).toBe(200);
  });

  test('endpoints of the app refuse other tenants from CDI 5.0 on, and ignore them before; fields are complained of first', async () => {
    const APP_ONLY: readonly [method: string, path: string, body?: object][] = [
      ['PUT', '/recipe/role', { role: 'r' }],
      ['POST', '/recipe/role/permissions', { role: 'r' }],
      ['GET', '/recipe/role/permissions?role=r'],
      ['POST', '/recipe/role/permissions/remove', { role: 'r' }],
      ['DELETE', '/recipe/role/permissions?role=r'],
      ['GET', '/recipe/permission/roles?permission=p'],
      ['GET', '/recipe/roles'],
      ['POST', '/recipe/role/remove', { role: 'r' }],
      ['DELETE', '/recipe/role?role=r'],
    ];
    const forbidden = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
    for (const [method, path, body] of APP_ONLY) {
      expect(await core.call(method, `/ghost${path}`, body), path).toEqual(forbidden);
      expect((await core.call(method, `/ghost${path}`, body, { cdi: '4.0' })).status, path).toBe(200);
      expect((await core.call(method, `/appid-none${path}`, body)).status, path).toBe(400);
    }
    expect((await core.call('PUT', '/ghost/recipe/role', {})).status).toBe(400);
    const noTenant: InProcessCallOptions = { cdi: '4.0' };
    expect((await core.call('GET', '/ghost/recipe/user/roles?userId=u', undefined, noTenant)).body['text']).toBe(
      'AppId or tenantId not found => Tenant with the following connectionURIDomain, appId and tenantId combination not found: (, public, ghost)\n',
    );
  });
});

describe('aliases', () => {
  test('DELETE /recipe/role takes its parameter from the body or the query', async () => {
    await put('one');
    await put('two');
    expect((await core.call('DELETE', '/recipe/role', { role: ' one ' })).body).toEqual({ status: 'OK', didRoleExist: true });
    expect((await core.call('DELETE', '/recipe/role?role=+two+')).body).toEqual({ status: 'OK', didRoleExist: true });
    expect((await core.call('DELETE', '/recipe/role?role=two')).body).toEqual({ status: 'OK', didRoleExist: false });
    expect((await core.call('DELETE', '/recipe/role?role=two', { role: 'three' })).body).toEqual({ status: 'OK', didRoleExist: false });
  });

  test('POST and DELETE /recipe/role/permissions', async () => {
    const at = '/recipe/role/permissions';
    expect((await core.call('POST', at, { role: 'r', permissions: ['a', 'b', 'c', 'd'] })).body).toEqual({
      status: 'OK',
      createdNewRole: true,
    });
    expect((await core.call('POST', at, { role: 'r', permissions: ['e'] })).body).toEqual({ status: 'OK', createdNewRole: false });
    expect((await core.call('DELETE', at, { role: 'r', permissions: ['a'] })).body).toEqual(OK);
    expect((await core.call('DELETE', `${at}?role=r&permissions=b,%20c`)).body).toEqual(OK);
    expect(await permissionsOf('r')).toEqual(['d', 'e']);
    expect((await core.call('DELETE', `${at}?role=r`)).body).toEqual(OK);
    expect(await permissionsOf('r')).toEqual([]);
    expect((await core.call('DELETE', `${at}?role=none`)).body).toEqual(UNKNOWN);
  });

  test('DELETE /recipe/user/role', async () => {
    await addTenant('t1');
    await put('r');
    await give('u', 'r', '/t1');
    expect((await core.call('DELETE', '/recipe/user/role?userId=u&role=r')).body).toEqual({ status: 'OK', didUserHaveRole: false });
    expect((await core.call('DELETE', '/t1/recipe/user/role?userId=u&role=r')).body).toEqual({ status: 'OK', didUserHaveRole: true });
    await give('u', 'r');
    expect((await core.call('DELETE', '/recipe/user/role', { userId: 'u', role: 'r' })).body).toEqual({
      status: 'OK',
      didUserHaveRole: true,
    });
    expect((await core.call('DELETE', '/recipe/user/role?userId=u&role=none')).body).toEqual(UNKNOWN);
  });
});
