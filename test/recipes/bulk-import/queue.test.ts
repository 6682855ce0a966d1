import { beforeEach, describe, expect, test } from 'vitest';
import { queueEntries } from '../../../src/recipes/bulk-import/records.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const person = (name: string, more: object = {}): object => ({
  ...more,
  loginMethods: [
    { recipeId: 'emailpassword', email: `${name}@example.com`, plainTextPassword: 'a good password 1', timeJoinedInMSSinceEpoch: 5 },
  ],
});

let core: InProcessCore;
const add = (users: unknown, path = '/bulk-import/users'): Promise<InProcessAnswer> => core.call('POST', path, { users });
const list = (query = ''): Promise<InProcessAnswer> => core.call('GET', `/bulk-import/users${query}`);
const idsOf = (answer: InProcessAnswer): string[] => (answer.body['users'] as { id: string }[]).map(({ id }) => id);

beforeEach(async () => {
  core = await openInProcessCore('5.3');
});

test('nothing is kept for an app that was removed while its upload waited', async () => {
  await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a' });
  const { uploads, directory } = core.services;
  const place = await directory.find({ cud: '', appId: 'a', tenantId: 'public' });
  if (!place) throw new Error('there is no app a');
  const take = (waitedMs: number) => {
    const body = new Uint8Array(new TextEncoder().encode(JSON.stringify({ users: [person('a')] })));
    return uploads.takeUpload(body, { roles: [], tenantIds: ['public'], hasSignerKey: false, now: core.clock.now - waitedMs }, place);
  };
  const count = () => core.services.store.read((reader) => reader.count(queueEntries, undefined, { prefix: [place.app] }));
  expect((await take(60_000)).kind).toBe('users');
  expect(await count()).toBe(1);
  await core.call('POST', '/recipe/multitenancy/app/remove', { appId: 'a' });
  expect(await take(60_000)).toEqual({ kind: 'gone' });
  expect(await count()).toBe(1);
});

describe('adding', () => {
  test('answers every user with its ids, in the order in which they were sent', async () => {
    await core.call('PUT', '/recipe/role', { role: 'admin', permissions: [] });
    const given = [
      { externalUserId: ' q1 ', ...person('Q1'), userRoles: [{ role: 'admin', tenantIds: ['public'] }] },
      { loginMethods: [{ recipeId: 'thirdparty', email: 't@example.com', thirdPartyId: 'google', thirdPartyUserId: 'g1' }] },
      { loginMethods: [{ recipeId: 'passwordless', phoneNumber: '+49 151 23456789' }] },
    ];
    const { status, body } = await add(given);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        status: 'OK',
        users: [
          { status: 'NEW', userId: 'q1', loginMethods: [{ recipeId: 'emailpassword', tenants: ['public'], email: 'q1@example.com' }] },
          { loginMethods: [{ recipeId: 'thirdparty', email: 't@example.com', thirdpartyId: 'google', thirdpartyUserId: 'g1' }] },
          { loginMethods: [{ recipeId: 'passwordless', email: null, phoneNumber: '+4915123456789' }] },
        ],
      },
    });
    for (const user of body['users'] as { id: string; loginMethods: { userId: string }[] }[]) {
      expect(user.id).toMatch(UUID);
      expect(user.loginMethods[0]?.userId).toBe(user.id);
    }
    expect(idsOf(await list()).toSorted()).toEqual((body['users'] as { id: string }[]).map(({ id }) => id).toSorted());
  });

  test('of a user with several login methods, the primary one gives the id, else the oldest', async () => {
    const method = (name: string, more: object): object => ({ recipeId: 'passwordless', email: `${name}@example.com`, ...more });
    const { body } = await add([
      { loginMethods: [method('a', { timeJoinedInMSSinceEpoch: 1 }), method('b', { isPrimary: true })] },
      { loginMethods: [method('c', { timeJoinedInMSSinceEpoch: 9 }), method('d', { timeJoinedInMSSinceEpoch: 2 })] },
    ]);
    const users = body['users'] as { id: string; loginMethods: { userId: string; email: string }[] }[];
    expect(users.map(({ id, loginMethods }) => loginMethods.find(({ userId }) => userId === id)?.email)).toEqual([
      'b@example.com',
      'd@example.com',
    ]);
  });

  test('nobody is no fault, whatever the app', async () => {
    expect(await add([])).toEqual({ status: 200, body: { status: 'OK' } });
    expect(await add([], '/appid-nowhere/bulk-import/users')).toEqual({ status: 200, body: { status: 'OK' } });
    expect((await add([person('a')], '/appid-nowhere/bulk-import/users')).body['text']).toMatch(/^AppId or tenantId not found/);
  });

  test('what is wrong with a user is told after what is wrong with the address', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const roleless = { ...person('a'), userRoles: ['nobody'] };
    for (const user of [{}, roleless, person('a')]) {
      expect((await add([user], '/appid-nowhere/bulk-import/users')).body['text']).toMatch(/^AppId or tenantId not found/);
      expect(await add([user], '/t1/bulk-import/users')).toMatchObject({ status: 403 });
    }
    const tooMany = await add(
      Array.from({ length: 10_001 }, () => ({})),
      '/appid-nowhere/bulk-import/users',
    );
    expect(tooMany.body['text']).toBe('{"error":"You can only add 10000 users at a time."}\n');
  });

  test('10,001 users are too many', async () => {
    const { status, body } = await add(Array.from({ length: 10_001 }, () => ({})));
    expect(status).toBe(400);
    expect(body['text']).toBe('{"error":"You can only add 10000 users at a time."}\n');
  });

  test('of 10,000 users half are wrong: each is named, and none is kept', async () => {
    const { status, body } = await add(Array.from({ length: 10_000 }, (_, n) => (n % 2 === 0 ? person(`u${n}`) : {})));
    const told = JSON.parse(String(body['text'])) as { error: string; users: { index: number; errors: string[] }[] };
    expect(status).toBe(400);
    expect(told.error).toBe('Data has missing or invalid fields. Please check the users field for more details.');
    expect(told.users).toHaveLength(5000);
    expect(told.users[2499]).toEqual({ index: 4999, errors: ['loginMethods is required.'] });
    expect((await core.call('GET', '/bulk-import/users/count')).body).toEqual({ status: 'OK', count: 0 });
  });

  test.each([
    ['no list', { users: 'x' }, "Field name 'users' is invalid in JSON input\n"],
    ['nothing', {}, "Field name 'users' is invalid in JSON input\n"],
  ])('%s', async (_, sent, text) => {
    expect(await core.call('POST', '/bulk-import/users', sent)).toEqual({ status: 400, body: { text } });
  });

  test('users that are no objects, and JSON that nests deep', async () => {
    expect(
      JSON.parse(String((await add([1, null, [], person('a')])).body['text'])).users.map(({ index }: { index: number }) => index),
    ).toEqual([0, 1, 2]);
    const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });
    expect((await add([person('a', { userMetadata: nested(70) })])).body).toEqual({ text: 'Invalid Json Input\n' });
    expect((await add([person('a', { userMetadata: nested(50) })])).status).toBe(200);
  });
});

describe('looking', () => {
  test('entries are shown as they are kept, newest first', async () => {
    await add([{ ...person('a'), externalUserId: 'x', userMetadata: { a: null, b: { c: null, d: 1.5 } } }]);
    core.clock.now += 10;
    await add([person('b')]);
    const { body } = await list();
    const [second, first] = body['users'] as { [name: string]: unknown }[];
    expect(second).toMatchObject({ createdAt: core.clock.now, loginMethods: [{ email: 'b@example.com' }] });
    expect(first).toEqual({
      id: expect.stringMatching(UUID),
      externalUserId: 'x',
      userMetadata: { b: { d: 1.5 } },
      loginMethods: [
        {
          tenantIds: ['public'],
          isVerified: false,
          isPrimary: false,
          timeJoinedInMSSinceEpoch: 5,
          recipeId: 'emailpassword',
          email: 'a@example.com',
          plainTextPassword: 'a good password 1',
          superTokensUserId: first?.['id'],
        },
      ],
      status: 'NEW',
      createdAt: core.clock.now - 10,
      updatedAt: core.clock.now - 10,
    });
    expect(body['nextPaginationToken']).toBeUndefined();
  });

  test('pages, with entries of one moment ordered by id', async () => {
    await add(Array.from({ length: 12 }, (_, n) => person(`u${n}`)));
    const whole = idsOf(await list());
    expect(whole).toEqual(whole.toSorted().toReversed());
    const seen: string[] = [];
    for (let query = '?limit=5'; ; ) {
      const page = await list(query);
      seen.push(...idsOf(page));
      const token = page.body['nextPaginationToken'];
      if (token === undefined) break;
      expect(Buffer.from(String(token), 'base64').toString()).toBe(`${whole[seen.length]};${core.clock.now}`);
      query = `?limit=5&paginationToken=${encodeURIComponent(String(token))}`;
    }
    expect(seen).toEqual(whole);
  });

  test('pages end early where users bring much metadata, and miss nobody', async () => {
    const filler = 'x'.repeat(1_900_000);
    for (let n = 0; n < 11; n++) await add([person(`u${n}`, { userMetadata: { filler } })]);
    const seen: string[] = [];
    const lengths: number[] = [];
    for (let query = '?'; ; ) {
      const page = await list(query);
      lengths.push(idsOf(page).length);
      seen.push(...idsOf(page));
      const token = page.body['nextPaginationToken'];
      if (token === undefined) break;
      query = `?paginationToken=${encodeURIComponent(String(token))}`;
    }
    expect(lengths).toEqual([4, 4, 3]);
    expect(new Set(seen).size).toBe(11);
  }, 60_000);

  test.each([
    ['?limit=501', 'Max limit allowed is 500'],
    ['?limit=0', 'limit must a positive integer with min value 1'],
    ['?limit=0&status=x', 'limit must a positive integer with min value 1'],
    ['?status=new', 'Invalid value for status. Pass one of NEW, PROCESSING, or FAILED!'],
    ['?paginationToken=x', 'invalid pagination token'],
  ])('%s is refused', async (query, text) => {
    expect(await list(query)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('nothing is ever shown as being worked on', async () => {
    await add([person('a'), person('b')]);
    const counts = await Promise.all(
      ['', '?status=NEW', '?status=PROCESSING', '?status=FAILED'].map((q) => core.call('GET', `/bulk-import/users/count${q}`)),
    );
    expect(counts.map(({ body }) => body['count'])).toEqual([2, 2, 0, 0]);
    expect(idsOf(await list('?status=PROCESSING'))).toEqual([]);
  });
});

describe('removing', () => {
  test('what is there goes, what is not there is named', async () => {
    await add([person('a'), person('b'), person('c')]);
    const [one, two] = idsOf(await list());
    const { status, body } = await core.call('POST', '/bulk-import/users/remove', { ids: ['unknown', two, one, 'x'] });
    expect({ status, body }).toEqual({ status: 200, body: { deletedIds: [two, one], invalidIds: ['unknown', 'x'] } });
    expect((await core.call('GET', '/bulk-import/users/count')).body['count']).toBe(1);
  });

  test('more than one transaction takes, each in the order of the request', async () => {
    const there = idsOf(await add(Array.from({ length: 120 }, (_, n) => person(`many-${n}`))));
    const ids = ['unknown', ...there, 'x', ...there.slice(0, 1)];
    const { body } = await core.call('POST', '/bulk-import/users/remove', { ids });
    expect(body).toEqual({ deletedIds: [...there, ...there.slice(0, 1)], invalidIds: ['unknown', 'x'] });
    expect((await core.call('GET', '/bulk-import/users/count')).body['count']).toBe(0);
  });

  test.each([
    [{ ids: Array.from({ length: 501 }, (_, n) => `i${n}`) }, "Field name 'ids' cannot contain more than 500 elements"],
    [{ ids: ['a', ''] }, "Field name 'ids' cannot contain an empty string"],
    [{ ids: [1] }, "Field name 'ids' is invalid in JSON input"],
    [{}, "Field name 'ids' is invalid in JSON input"],
  ])('%# is refused', async (sent, text) => {
    expect(await core.call('POST', '/bulk-import/users/remove', sent)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('nothing is removed from any app', async () => {
    expect(await core.call('POST', '/appid-nowhere/bulk-import/users/remove', { ids: [] })).toEqual({
      status: 200,
      body: { deletedIds: [], invalidIds: [] },
    });
  });
});
