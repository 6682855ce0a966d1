import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { type LoginRecipe, RECIPE_BITS } from '../../../src/recipes/accounts/records.ts';
import { ListingWorld } from './listing-world.ts';

let world: ListingWorld;
beforeEach(async () => {
  world = await ListingWorld.open();
});

const T = 1_700_000_000_000;
const tokenOf = (text: string) => Buffer.from(text).toString('base64');

describe('GET /users: order and pages', () => {
  const recipe = fc.constantFrom<LoginRecipe>('emailpassword', 'thirdparty', 'passwordless', 'webauthn');
  const someone = fc.record({
    recipe,
    at: fc.integer({ min: 0, max: 3 }),
    tenant: fc.constantFrom('public', 't1'),
    linkTo: fc.integer({ min: 0, max: 60 }),
  });

  test('each user comes exactly once, under ties, in both orders, with every filter', { timeout: 60_000 }, async () => {
    const property = fc.asyncProperty(fc.array(someone, { minLength: 1, maxLength: 24 }), async (people) => {
      const own = await ListingWorld.open();
      await own.addTenant('t1');
      const made: { id: string; recipe: LoginRecipe; at: number; tenant: string; primary: string }[] = [];
      for (const { recipe: name, at, tenant, linkTo } of people) {
        const id = await own.join(name, T + at, {}, tenant);
        const primary = made[linkTo]?.primary;
        // The last to join is linked to an earlier one, whose time then is the user's.
        if (primary !== undefined) await own.link(primary, id);
        made.push({ id, recipe: name, at, tenant, primary: primary ?? id });
      }
      for (const [includeRecipeIds, timeJoinedOrder, limit, tenant] of QUESTIONS) {
        const bits = includeRecipeIds.split(',').reduce((sum, each) => sum | (RECIPE_BITS[each as LoginRecipe] ?? 0), 0);
        const times = new Map<string, number>();
        for (const { primary, at } of made) times.set(primary, Math.min(at, times.get(primary) ?? at));
        const listed = made.filter((one) => one.tenant === tenant && (includeRecipeIds === '' || (bits & RECIPE_BITS[one.recipe]) !== 0));
        const expected = [...new Set(listed.map(({ primary }) => primary))].toSorted((a, b) => {
          const byTime = (times.get(a) ?? 0) - (times.get(b) ?? 0);
          return (timeJoinedOrder === 'DESC' ? -byTime : byTime) || (a < b ? 1 : -1);
        });
        const query = { ...(includeRecipeIds !== '' && { includeRecipeIds }), timeJoinedOrder, limit };
        expect(await own.everyPage(query, tenant === 'public' ? '' : '/t1')).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 12, seed: 4 });
  });
  const QUESTIONS = ['', 'emailpassword', 'thirdparty,passwordless', 'webauthn,session'].flatMap((filter) =>
    ['ASC', 'DESC'].flatMap((order) =>
      [1, 3, 100].flatMap((limit) => ['public', 't1'].map((tenant) => [filter, order, limit, tenant] as const)),
    ),
  );

  test('thousands who joined in one millisecond', { timeout: 30_000 }, async () => {
    const ids: string[] = [];
    for (let n = 0; n < 1200; n++) ids.push(await world.join('emailpassword', T));
    const descending = ids.toSorted().toReversed();
    const [first, last] = [await world.join('thirdparty', T - 1), await world.join('thirdparty', T + 1)];
    expect(await world.everyPage({ limit: 500 })).toEqual([first, ...descending, last]);
    expect(await world.everyPage({ limit: 499, timeJoinedOrder: 'DESC' })).toEqual([last, ...descending, first]);
    // The page that ends within the tie.
    expect(await world.ids({ limit: 3 })).toEqual([first, ...descending.slice(0, 2)]);
  });

  test('the next page begins with the user in the token', async () => {
    const ids = [await world.join('emailpassword', T), await world.join('thirdparty', T + 1), await world.join('passwordless', T + 2)];
    const { nextPaginationToken = '', users } = await world.page({ limit: 2 });
    expect(users.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    expect(Buffer.from(nextPaginationToken, 'base64').toString()).toBe(`${ids[2]};${T + 2}`);
    expect(await world.page({ limit: 2, paginationToken: nextPaginationToken })).toMatchObject({ users: [{ id: ids[2] }] });
    expect(await world.page({ limit: 3 })).not.toHaveProperty('nextPaginationToken');
  });

  test('a token is a place, whoever stands there', async () => {
    const [a, b, c] = [
      await world.join('emailpassword', T),
      await world.join('emailpassword', T),
      await world.join('emailpassword', T + 5),
    ];
    const [greater = '', less = ''] = [a, b].toSorted().toReversed();
    const token = (await world.page({ limit: 1 })).nextPaginationToken ?? '';
    await world.core.call('POST', '/user/remove', { userId: less });
    expect(await world.ids({ paginationToken: token })).toEqual([c]);
    expect(await world.ids({ paginationToken: token, timeJoinedOrder: 'DESC' }), 'whatever the order was').toEqual([]);
    expect(await world.ids({ paginationToken: tokenOf(`zzz;${T}`) })).toEqual([greater, c]);
    expect(await world.ids({ paginationToken: tokenOf(`;${T}`) })).toEqual([c]);
    expect(await world.ids({ paginationToken: tokenOf(`x;${T + 3}`), timeJoinedOrder: 'DESC' })).toEqual([greater]);
    expect(await world.ids({ paginationToken: tokenOf(`x;${T + 9}`) })).toEqual([]);
    expect(await world.ids({ paginationToken: tokenOf('x;-9223372036854775808') })).toEqual([greater, c]);
    expect(await world.ids({ paginationToken: tokenOf('x;9223372036854775807') })).toEqual([]);
    expect(await world.ids({ paginationToken: tokenOf(`${'é'.repeat(400)};+${T}`) })).toEqual([greater, c]);
    expect(await world.ids({ paginationToken: tokenOf(`x;${T + 1};;`) }), 'empty parts at the end do not count').toEqual([c]);
    expect(await world.ids({ paginationToken: tokenOf(`x;${T + 1}`).replace(/=+$/, '') }), 'padding may be left out').toEqual([c]);
  });

  test('filters see the login methods of the tenant alone, elements the whole user', async () => {
    await world.addTenant('t1');
    const [here, there] = [await world.join('emailpassword', T + 9), await world.join('thirdparty', T, {}, 't1')];
    await world.link(here, there);
    expect(await world.ids({ includeRecipeIds: 'thirdparty' })).toEqual([]);
    expect(await world.ids({ includeRecipeIds: 'thirdparty' }, '/t1')).toEqual([here]);
    expect((await world.page()).users).toMatchObject([{ id: here, timeJoined: T, tenantIds: ['t1', 'public'] }]);
  });

  test('a user whose own method is gone is listed under its id, mapped ids are external', async () => {
    const [primary, member] = [await world.join('emailpassword', T), await world.join('thirdparty', T + 1)];
    await world.link(primary, member);
    await world.core.call('POST', '/user/remove', { userId: primary, removeAllLinkedAccounts: false });
    await world.map(primary, 'external');
    expect((await world.page()).users).toMatchObject([{ id: 'external', timeJoined: T + 1, loginMethods: [{ recipeUserId: member }] }]);
    await world.map(await world.join('emailpassword', T + 2), 'other');
    const { nextPaginationToken = '' } = await world.page({ limit: 1 });
    expect(Buffer.from(nextPaginationToken, 'base64').toString(), 'tokens hold internal ids').not.toContain('other');
  });
});

describe('GET /users: refusals', () => {
  test.each([
    [{ includeRecipeIds: 'emailpassword, Nonsense' }, 'Unknown recipe ID: Nonsense'],
    [{ limit: 'ten' }, "Field name 'limit' must be an int in the GET request"],
    [{ limit: '' }, "Field name 'limit' must be an int in the GET request"],
    [{ limit: '1.5' }, "Field name 'limit' must be an int in the GET request"],
    [{ limit: '2147483648' }, "Field name 'limit' must be an int in the GET request"],
    [{ limit: '0' }, 'limit must a positive integer with min value 1'],
    [{ limit: '-1' }, 'limit must a positive integer with min value 1'],
    [{ limit: '501' }, 'max limit allowed is 500'],
    [{ limit: '501', email: ' ; ' }, 'max limit allowed is 500'],
    [{ limit: '0', email: 'a' }, 'limit must a positive integer with min value 1'],
    [{ timeJoinedOrder: 'asc' }, 'timeJoinedOrder can be either ASC OR DESC'],
    [{ timeJoinedOrder: '' }, 'timeJoinedOrder can be either ASC OR DESC'],
    [{ paginationToken: '' }, 'invalid pagination token'],
    [{ paginationToken: 'nonsense' }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a') }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a;') }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a;b') }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a;1;2') }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a;1.5') }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('a;9223372036854775808') }, 'invalid pagination token'],
    [{ paginationToken: ` ${tokenOf('abc;12')}` }, 'invalid pagination token'],
    [{ paginationToken: tokenOf('abc;12'), email: 'a' }, undefined],
    [{ paginationToken: 'nonsense', email: 'a' }, 'invalid pagination token'],
    [{ email: Array.from({ length: 101 }, (_, n) => `${n}x`).join(';') }, 'max search terms allowed are 100'],
  ])('%j', async (query, text) => {
    if (text === undefined) expect((await world.get('/users', query)).status).toBe(200);
    else expect(await world.refusal(query)).toBe(`400 ${text}`);
  });

  test('in the order of the contract', async () => {
    const all = { includeRecipeIds: 'nonsense', limit: 'x', timeJoinedOrder: 'x', paginationToken: 'x' };
    expect(await world.refusal(all, '/ghost')).toBe('400 Unknown recipe ID: nonsense');
    const { includeRecipeIds: _, ...known } = all;
    expect(await world.refusal(known, '/ghost')).toContain('(, public, ghost)');
    expect(await world.refusal(known)).toContain("'limit'");
    expect(await world.refusal({ ...known, limit: '501' })).toContain('timeJoinedOrder');
    expect(await world.refusal({ limit: '501', paginationToken: 'x' })).toBe('400 max limit allowed is 500');
    expect(await world.refusal({ limit: '500', paginationToken: 'x' })).toBe('400 invalid pagination token');
  });

  test('recipe ids in either case, and of recipes without users', async () => {
    const id = await world.join('emailpassword', T);
    expect(await world.ids({ includeRecipeIds: 'EmailPassword' })).toEqual([id]);
    expect(await world.ids({ includeRecipeIds: '' })).toEqual([id]);
    expect(await world.ids({ includeRecipeIds: ' , ' })).toEqual([id]);
    const others =
      'session,emailverification,jwt,usermetadata,userroles,useridmapping,dashboard,totp,multitenancy,accountlinking,mfa,oauth,webauthn';
    expect(await world.ids({ includeRecipeIds: others })).toEqual([]);
    for (const wrong of ['__proto__', 'constructor', 'toString']) {
      expect(await world.refusal({ includeRecipeIds: wrong })).toBe(`400 Unknown recipe ID: ${wrong}`);
    }
  });
});

describe('GET /users: shapes', () => {
  const JOINED = [
    ['emailpassword', { email: 'a@x' }],
    ['thirdparty', { email: 'b@x', provider: 'google' }],
    ['passwordless', { phoneNumber: '+1' }],
  ] as const;

  test.each(['2.7', '2.8', '2.21', '3.0', '3.1'])('at CDI %s an element tells the recipe beside the user', async (cdi) => {
    const ids = [];
    for (const [at, [recipe, contact]] of JOINED.entries()) ids.push(await world.join(recipe, T + at, contact));
    const tenantIds = cdi.startsWith('3') ? { tenantIds: ['public'] } : {};
    const { body } = await world.get('/users', {}, cdi);
    expect(body['users']).toEqual([
      { recipeId: 'emailpassword', user: { id: ids[0], timeJoined: T, ...tenantIds, email: 'a@x' } },
      {
        recipeId: 'thirdparty',
        user: { id: ids[1], timeJoined: T + 1, ...tenantIds, email: 'b@x', thirdParty: { id: 'google', userId: expect.any(String) } },
      },
      { recipeId: 'passwordless', user: { id: ids[2], timeJoined: T + 2, ...tenantIds, phoneNumber: '+1' } },
    ]);
  });

  test.each(['4.0', '5.0', '5.2', '5.3', '5.6'])('at CDI %s it is the user', async (cdi) => {
    const [first, second] = [await world.join('passwordless', T, { phoneNumber: '+1' }), await world.join('emailpassword', T + 1)];
    await world.link(second, first);
    const { body } = await world.get('/users', {}, cdi);
    const [user] = body['users'] as object[];
    expect(user).toMatchObject({ id: second, isPrimaryUser: true, loginMethods: [{ recipeUserId: first }, { recipeUserId: second }] });
    expect(Object.hasOwn(user ?? {}, 'webauthn')).toBe(cdi.startsWith('5.3') || cdi === '5.6');
  });

  test('the oldest method of a linked user is what old callers see', async () => {
    const [primary, older] = [await world.join('emailpassword', T + 1), await world.join('thirdparty', T)];
    await world.link(primary, older);
    expect((await world.get('/users', {}, '3.0')).body['users']).toMatchObject([{ recipeId: 'thirdparty', user: { id: older } }]);
  });
});
