import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';
import { Calls } from '../email-password/calls.ts';

let calls: Calls;
beforeEach(async () => {
  calls = new Calls(await openInProcessCore('5.4'));
});

const add = (thirdPartyUserId: string, email: string, tenant?: string) =>
  calls.add({ recipe: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId, email }, tenant);
const get = (path: string, query: object, cdi = '5.4', rid = 'thirdparty') =>
  checkedCall(calls.core, 'GET', `${path}?${new URLSearchParams({ ...query })}`, undefined, { cdi, rid });

describe('GET /recipe/user with rid thirdparty', () => {
  const user = async (query: object, cdi?: string, at = '') => (await get(`${at}/recipe/user`, query, cdi)).body;

  test('by id shows that login method alone', async () => {
    const [primary, own] = [await calls.signUp('a@x'), await add('g1', 'b@x')];
    await calls.link(primary, own);
    await calls.map(own, 'external');
    for (const userId of [own, 'external']) {
      expect(await user({ userId })).toMatchObject({
        status: 'OK',
        user: {
          id: 'external',
          isPrimaryUser: true,
          emails: ['b@x'],
          loginMethods: [{ recipeUserId: 'external', recipeId: 'thirdparty' }],
        },
      });
    }
    for (const userId of [primary, 'nobody', '']) expect(await user({ userId })).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('by account shows the whole user of the tenant', async () => {
    await calls.addTenant('t1');
    const primary = await calls.signUp('a@x');
    calls.core.clock.now += 1;
    await calls.link(primary, await add('g1', 'b@x'));
    const pair = { thirdPartyId: 'google', thirdPartyUserId: 'g1' };
    expect(await user(pair)).toMatchObject({ status: 'OK', user: { id: primary, emails: ['a@x', 'b@x'] } });
    const unknown = { status: 'UNKNOWN_THIRD_PARTY_USER_ERROR' };
    expect(await user(pair, '5.4', '/t1')).toEqual(unknown);
    expect(await user({ ...pair, thirdPartyId: 'Google' })).toEqual(unknown);
    expect(await user({ thirdPartyId: '', thirdPartyUserId: '' })).toEqual(unknown);
  });

  test.each(['2.7', '2.21', '3.0', '4.0', '5.3'])('at CDI %s', async (cdi) => {
    const id = await add('g1', 'b@x');
    const old = { id, email: 'b@x', timeJoined: expect.any(Number), thirdParty: { id: 'google', userId: 'g1' } };
    for (const query of [{ userId: id }, { thirdPartyId: 'google', thirdPartyUserId: 'g1' }]) {
      const found = await user(query, cdi);
      if (cdi.startsWith('2')) expect(found).toEqual({ status: 'OK', user: old });
      else if (cdi === '3.0') expect(found).toEqual({ status: 'OK', user: { ...old, tenantIds: ['public'] } });
      else expect(found).toMatchObject({ status: 'OK', user: { id, loginMethods: [{ recipeUserId: id }] } });
    }
  });

  const ONLY_ONE = 'Please provide only one of userId or (thirdPartyId & thirdPartyUserId)\n';
  const ONE = 'Please provide one of userId or (thirdPartyId & thirdPartyUserId)\n';
  test.each([
    [{}, ONE],
    [{ thirdPartyId: 'a' }, ONE],
    [{ thirdPartyUserId: 'a' }, ONE],
    [{ userId: 'a', thirdPartyId: 'a' }, ONLY_ONE],
    [{ userId: 'a', thirdPartyUserId: 'a' }, ONLY_ONE],
    [{ userId: 'a', thirdPartyId: 'a', thirdPartyUserId: 'a' }, ONLY_ONE],
  ])('refuses %j, before anything is looked for', async (query, text) => {
    for (const at of ['', '/ghost']) expect(await get(`${at}/recipe/user`, query)).toEqual({ status: 400, body: { text } });
  });

  test('by id belongs to the app, by account to the tenant', async () => {
    await calls.addTenant('t1');
    const id = await add('g1', 'b@x');
    const pair = { thirdPartyId: 'google', thirdPartyUserId: 'g1' };
    expect(await get('/t1/recipe/user', { userId: id })).toMatchObject({ status: 403 });
    expect((await get('/ghost/recipe/user', { userId: id }, '4.0')).body).toMatchObject({ status: 'OK' });
    expect(await get('/ghost/recipe/user', pair)).toMatchObject({ status: 400 });
  });

  test('cannot be written', async () => {
    const body = { userId: 'x', recipeUserId: 'x', email: 'y@x' };
    const answer = await calls.core.call('PUT', '/recipe/user', body, { rid: 'thirdparty' });
    expect(answer).toEqual({ status: 405, body: { text: 'Method not supported\n' } });
  });
});

describe('GET /recipe/users/by-email', () => {
  const users = async (email: string, cdi?: string, at = '') =>
    (await get(`${at}/recipe/users/by-email`, { email }, cdi)).body['users'] as { id: string }[];

  test('lists each user with a third-party login and the email once, oldest first', async () => {
    await calls.addTenant('t1');
    const step = async (thirdPartyUserId: string, email: string, tenant?: string) => {
      calls.core.clock.now += 1;
      return add(thirdPartyUserId, email, tenant);
    };
    const [a, b, c] = [await step('g1', 'a@x'), await step('g2', 'a@x'), await step('g3', 'a@x')];
    await calls.link(c, a);
    await calls.signUp('a@x');
    await step('g4', 'b@x');
    await step('g5', 'a@x', 't1');
    expect((await users(' A@X ')).map(({ id }) => id)).toEqual([c, b]);
    expect(await users('nobody@x')).toEqual([]);
    expect(await users('a@x', '5.4', '/t1')).toHaveLength(1);
  });

  test('finds whoever has the email here by another recipe, and a third-party login with it elsewhere', async () => {
    await calls.addTenant('t1');
    const [here, there] = [await calls.signUp('a@x'), await add('g1', 'a@x', 't1')];
    expect(await users('a@x')).toEqual([]);
    await calls.link(here, there);
    expect((await users('a@x')).map(({ id }) => id)).toEqual([here]);
  });

  test.each(['2.8', '3.0', '4.0', '5.2', '5.3'])('at CDI %s', async (cdi) => {
    const id = await add('g1', 'a@x');
    const [user] = await users('a@x', cdi);
    const old = { id, email: 'a@x', timeJoined: expect.any(Number), thirdParty: { id: 'google', userId: 'g1' } };
    if (cdi === '2.8') expect(user).toEqual(old);
    else if (cdi === '3.0') expect(user).toEqual({ ...old, tenantIds: ['public'] });
    else expect(Object.hasOwn(user ?? {}, 'webauthn')).toBe(cdi === '5.3');
  });

  test('needs an email and a tenant', async () => {
    const missing = { status: 400, body: { text: "Field name 'email' is missing in GET request\n" } };
    for (const at of ['', '/ghost']) expect(await get(`${at}/recipe/users/by-email`, {})).toEqual(missing);
    expect((await get('/ghost/recipe/users/by-email', { email: 'a@x' })).body['text']).toContain('(, public, ghost)');
  });
});
