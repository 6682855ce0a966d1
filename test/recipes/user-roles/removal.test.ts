import { beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../../src/recipes/recipes.ts';
import { purgeRemovedRoles } from '../../../src/recipes/user-roles/purge-removed-roles.ts';
import { assignments, removedRoles } from '../../../src/recipes/user-roles/records.ts';
import { areRolesUsed, removeRolesInTenant, removeRolesOfUser } from '../../../src/recipes/user-roles/roles-of-user.ts';
import type { AppNumber } from '../../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

let core: InProcessCore;
let app: AppNumber;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
  app = appNumber(Number((await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' }))?.app));
});

const put = (role: string) => core.call('PUT', '/recipe/role', { role });
const remove = async (role: string) => (await core.call('POST', '/recipe/role/remove', { role })).body['didRoleExist'];
const give = async (userId: string, role: string, at = '') => (await core.call('PUT', `${at}/recipe/user/role`, { userId, role })).body;
const rolesOf = async (userId: string, at = '') => (await core.call('GET', `${at}/recipe/user/roles?userId=${userId}`)).body['roles'];
const usersWith = async (role: string, at = ''): Promise<unknown> => {
  const { body } = await core.call('GET', `${at}/recipe/role/users?role=${role}`);
  return body['users'] ?? body['status'];
};
const kept = () => core.services.store.read((reader) => reader.list(assignments, undefined, { prefix: [], limit: 10_000 }));
const due = () => core.services.store.read((reader) => reader.list(removedRoles, undefined, { prefix: [], limit: 10 }));
const isUsed = (userId: string) => core.services.store.read((reader) => areRolesUsed(reader, app, userId));

describe('a removed role', () => {
  test('is gone for all who had it, in all tenants, before its assignments are deleted', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    await put('r');
    await put('other');
    await give('u', 'r');
    await give('u', 'r', '/t1');
    await give('u', 'other');
    expect(await remove('r')).toBe(true);
    expect(await remove('r')).toBe(false);
    expect(await rolesOf('u')).toEqual(['other']);
    expect(await rolesOf('u', '/t1')).toEqual([]);
    expect(await usersWith('r')).toBe('UNKNOWN_ROLE_ERROR');
    expect(await kept()).toHaveLength(3);
  });

  test('that is made again does not bring old assignments back', async () => {
    await put('r');
    await give('old', 'r');
    await remove('r');
    await put('r');
    expect(await rolesOf('old')).toEqual([]);
    expect(await usersWith('r')).toEqual([]);
    expect((await core.call('POST', '/recipe/user/role/remove', { userId: 'old', role: 'r' })).body).toEqual({
      status: 'OK',
      didUserHaveRole: false,
    });
    expect(await give('old', 'r')).toEqual({ status: 'OK', didUserAlreadyHaveRole: false });
    await give('new', 'r');
    expect(await usersWith('r')).toEqual(['new', 'old']);
    while (await purgeRemovedRoles(core.services.store, 1));
    expect(await usersWith('r')).toEqual(['new', 'old']);
    expect(await rolesOf('old')).toEqual(['r']);
  });

  test('loses its assignments in bounded batches', async () => {
    await put('r');
    await put('other');
    const ids = Array.from({ length: 25 }, (_, at) => `u${at}`);
    for (const id of ids) await give(id, 'r');
    await give('u0', 'other');
    await remove('r');
    expect(await due()).toHaveLength(1);
    const left: number[] = [];
    while (await purgeRemovedRoles(core.services.store, 10)) left.push((await kept()).length);
    expect(left).toEqual([16, 6, 1]);
    expect(await due()).toEqual([]);
    expect(await rolesOf('u0')).toEqual(['other']);
    expect(await purgeRemovedRoles(core.services.store, 10)).toBe(false);
  });

  test('is looked after every minute', () => {
    expect(JOBS.find(({ name }) => name === 'removed-roles')?.everyMs).toBe(60_000);
  });
});

describe('roles of a user who goes', () => {
  test('count as use of the id while the roles and tenants exist', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    await put('r');
    expect(await isUsed('u')).toBe(false);
    await give('u', 'r', '/t1');
    expect(await isUsed('u')).toBe(true);
    expect(await isUsed('U')).toBe(false);
    await core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    expect(await isUsed('u')).toBe(false);
    await give('u', 'r');
    expect(await isUsed('u')).toBe(true);
    await remove('r');
    expect(await isUsed('u')).toBe(false);
  });

  test('go in one tenant alone when the user leaves it; what is left of removed roles does not count', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const tenant = tenantNumber(Number((await core.services.directory.find({ cud: '', appId: 'public', tenantId: 't1' }))?.tenant));
    const leave = () => core.services.store.transact((tx) => removeRolesInTenant(tx, app, tenant, 'u'));
    await put('r');
    await give('u', 'r');
    expect(await leave()).toBe(false);
    await give('u', 'r', '/t1');
    expect(await leave()).toBe(true);
    expect(await rolesOf('u', '/t1')).toEqual([]);
    expect(await rolesOf('u')).toEqual(['r']);
    await give('u', 'r', '/t1');
    await remove('r');
    expect(await leave()).toBe(false);
    expect(await kept()).toHaveLength(1);
  });

  test('are all removed, however many, and nobody else loses one', async () => {
    const names = Array.from({ length: 620 }, (_, at) => `role-${at}`);
    for (let at = 0; at < names.length; at += 100) {
      await Promise.all(
        names.slice(at, at + 100).map(async (name) => {
          await put(name);
          await give('u', name);
        }),
      );
    }
    await give('v', 'role-0');
    await core.services.store.transact((tx) => removeRolesOfUser(tx, app, 'u'));
    expect(await rolesOf('u')).toEqual([]);
    expect((await kept()).map(({ userId }) => userId)).toEqual(['v']);
  });
});
