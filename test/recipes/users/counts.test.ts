import { beforeEach, describe, expect, test } from 'vitest';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { ListingWorld } from './listing-world.ts';

let world: ListingWorld;
beforeEach(async () => {
  world = await ListingWorld.open();
});

const T = 1_700_000_000_000;

describe('GET /users/count', () => {
  const count = async (query: object = {}, cdi?: string) => (await world.get('/users/count', query, cdi)).body;
  const inTenant = async (at: string, query = '') => (await world.core.call('GET', `${at}/users/count${query}`)).body['count'];
  const text = async (path: string, cdi = '5.4') => (await world.core.call('GET', path, undefined, { cdi })).body['text'];

  test('counts users, not login methods, by recipe and tenant', async () => {
    await world.addTenant('t1');
    const [a, b] = [await world.join('emailpassword', T), await world.join('thirdparty', T)];
    const [c] = [await world.join('passwordless', T, {}, 't1'), await world.join('emailpassword', T, {}, 't1')];
    expect(await count()).toEqual({ status: 'OK', count: 2 });
    expect(await inTenant('/t1')).toBe(2);
    expect(await count({ includeAllTenants: 'TRUE' })).toEqual({ status: 'OK', count: 4 });
    await world.link(a, b, c);
    expect(await count()).toEqual({ status: 'OK', count: 1 });
    expect(await inTenant('/t1')).toBe(2);
    expect(await count({ includeAllTenants: 'true' })).toEqual({ status: 'OK', count: 2 });
    const by = async (includeRecipeIds: string) => (await count({ includeRecipeIds }))['count'];
    expect([await by('thirdparty'), await by('passwordless'), await by('thirdparty,passwordless'), await by('mfa')]).toEqual([1, 0, 1, 0]);
    expect((await count({ includeRecipeIds: 'passwordless', includeAllTenants: 'true' }))['count']).toBe(1);
    expect((await count({ includeRecipeIds: 'EMAILPASSWORD', includeAllTenants: 'true' }))['count']).toBe(2);
  });

  test('a user in no tenant counts nowhere', async () => {
    const [id, { app }] = [await world.join('emailpassword', T), await world.tenant()];
    const { loginMethods } = await import('../../../src/recipes/accounts/records.ts');
    const { settleUser } = await import('../../../src/recipes/accounts/login-methods.ts');
    await world.transact(async (tx) => {
      const method = await tx.get(loginMethods, [app, asInternal(id)]);
      if (method) await tx.put(loginMethods, { ...method, tenants: [] });
      await settleUser(tx, app, asInternal(id));
    });
    expect(await count()).toEqual({ status: 'OK', count: 0 });
    expect(await count({ includeAllTenants: 'true' })).toEqual({ status: 'OK', count: 0 });
    expect((await count({ includeRecipeIds: 'emailpassword', includeAllTenants: 'true' }))['count']).toBe(0);
    expect(await world.ids()).toEqual([]);
  });

  test('an approximate count is exact, and says so from CDI 5.6 on', async () => {
    await world.join('emailpassword', T);
    const told = { status: 'OK', count: 1, approximate: false, asOf: T };
    expect(await count({ allowApproximate: 'True' }, '5.6')).toEqual(told);
    expect(await count({ allowApproximate: 'true', includeAllTenants: 'true' }, '5.6')).toEqual(told);
    for (const [query, cdi] of [
      [{ allowApproximate: 'true' }, '5.5'],
      [{ allowApproximate: 'yes' }, '5.6'],
      [{}, '5.6'],
    ] as const) {
      expect(await count(query, cdi)).toEqual({ status: 'OK', count: 1 });
    }
  });

  test('refuses in the order of the contract', async () => {
    expect(await text('/ghost/users/count?includeRecipeIds=a&includeAllTenants=true')).toBe('Unknown recipe ID: a\n');
    expect(await text('/ghost/users/count')).toContain('(, public, ghost)');
    expect(await text('/ghost/users/count?includeAllTenants=true')).toBe('Only public tenantId can call this app specific API\n');
    expect(await text('/appid-none/users/count?includeAllTenants=true')).toContain('(, none, public)');
    expect((await world.core.call('GET', '/ghost/users/count?includeAllTenants=true', undefined, { cdi: '4.0' })).body['count']).toBe(0);
  });
});

describe('GET /users/count/active', () => {
  const active = (query: string, at = '', cdi = '5.4') => world.core.call('GET', `${at}/users/count/active${query}`, undefined, { cdi });

  test('counts users active at or after a time', async () => {
    for (const n of [0, 1, 2]) {
      world.core.clock.now = T + n * 1000;
      await world.signUp(`${n}@x`);
    }
    const since = async (time: number) => (await active(`?since=${time}`)).body['count'];
    expect([await since(0), await since(T), await since(T + 1), await since(T + 2000), await since(T + 2001)]).toEqual([3, 3, 2, 1, 0]);
    expect(await since(Number.MAX_SAFE_INTEGER)).toBe(0);
    const flags = (await world.core.call('GET', '/ee/featureflag')).body as { usageStats: { maus: number[] } };
    expect(flags.usageStats.maus).toEqual(Array.from({ length: 31 }, () => 3));
    world.core.clock.now = T + 86_400_000 + 1500;
    const later = (await world.core.call('GET', '/ee/featureflag')).body as { usageStats: { maus: number[] } };
    expect(later.usageStats.maus).toEqual([1, ...Array.from({ length: 30 }, () => 3)]);
  });

  test.each([
    ['', "Field name 'since' is missing in GET request"],
    ['?since=x', "Field name 'since' must be a long in the GET request"],
    ['?since=', "Field name 'since' must be a long in the GET request"],
    ['?since=1.5', "Field name 'since' must be a long in the GET request"],
    ['?since=9223372036854775808', "Field name 'since' must be a long in the GET request"],
    ['?since=-1', "'since' query parameter must be >= 0"],
  ])('refuses %j before it looks at the tenant', async (query, text) => {
    for (const at of ['', '/ghost', '/appid-none']) expect(await active(query, at)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('belongs to the app', async () => {
    expect(await active('?since=0', '/t1')).toMatchObject({ status: 403 });
    expect(await active('?since=0', '/t1', '4.0')).toMatchObject({ status: 200 });
    expect((await active('?since=0', '/appid-none')).body['text']).toContain('(, none, public)');
  });
});

describe('GET /user/search/tags', () => {
  test('is the same everywhere', async () => {
    for (const path of ['', '/ghost', '/appid-none', '/appid-none/ghost']) {
      expect(await world.core.call('GET', `${path}/user/search/tags`)).toEqual({
        status: 200,
        body: { status: 'OK', tags: ['email', 'phone', 'provider'] },
      });
    }
    expect((await world.core.call('GET', '/ghost/user/search/tags', undefined, { cdi: '2.20' })).status).toBe(404);
  });
});
