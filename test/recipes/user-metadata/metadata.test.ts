import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonText } from '../../../src/json/free-form.ts';
import { metadata } from '../../../src/recipes/user-metadata/records.ts';
import { isMetadataUsed, removeMetadata } from '../../../src/recipes/user-metadata/remove-metadata.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { appNumber } from '../../numbers.ts';

const PATH = '/recipe/user/metadata';

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

const put = async (userId: string, metadataUpdate: object) => (await core.call('PUT', PATH, { userId, metadataUpdate })).body;
const get = async (userId: string) => (await core.call('GET', `${PATH}?userId=${encodeURIComponent(userId)}`)).body;
const bulk = (userIds: unknown, at = '') => core.call('POST', `${at}${PATH}/bulk`, { userIds });

describe('metadata', () => {
  test('is merged at the top level only', async () => {
    expect(await get('u')).toEqual({ status: 'OK', metadata: {} });
    expect(await put('u', { a: { x: null, y: 1 }, b: null, c: [null, 1] })).toEqual({
      status: 'OK',
      metadata: { a: { x: null, y: 1 }, c: [null, 1] },
    });
    expect(await put('u', { a: { z: 2 } })).toEqual({ status: 'OK', metadata: { a: { z: 2 }, c: [null, 1] } });
    expect(await put('u', { a: null, never: null })).toEqual({ status: 'OK', metadata: { c: [null, 1] } });
    expect(await put('u', {})).toEqual({ status: 'OK', metadata: { c: [null, 1] } });
    expect(await get('u')).toEqual({ status: 'OK', metadata: { c: [null, 1] } });
  });

  test('is removed, whether there is any or not', async () => {
    await put('u', { a: 1 });
    for (const _ of [1, 2])
      expect(await core.call('POST', `${PATH}/remove`, { userId: 'u' })).toEqual({ status: 200, body: { status: 'OK' } });
    expect(await get('u')).toEqual({ status: 'OK', metadata: {} });
  });

  test('user ids of any form are kept apart', async () => {
    const ids = ['', ' ', 'a', 'A', 'ä', 'a\u0308', '\u0000', '😀', 'x'.repeat(1000), `${'x'.repeat(1000)}y`, '__proto__'];
    for (const [at, id] of ids.entries()) await put(id, { at });
    for (const [at, id] of ids.entries()) expect(await get(id), id).toEqual({ status: 'OK', metadata: { at } });
  });

  test('of an app is not that of another', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    await put('u', { a: 1 });
    expect((await core.call('GET', `/appid-a1${PATH}?userId=u`)).body).toEqual({ status: 'OK', metadata: {} });
  });

  test('counts as use of the id, the empty object too', async () => {
    const { store, directory } = core.services;
    const app = appNumber(Number((await directory.find({ cud: '', appId: 'public', tenantId: 'public' }))?.app));
    const isUsed = () => store.read((reader) => isMetadataUsed(reader, app, 'u'));
    expect(await isUsed()).toBe(false);
    await put('u', {});
    expect(await isUsed()).toBe(true);
    await store.transact((tx) => removeMetadata(tx, app, 'u'));
    expect(await isUsed()).toBe(false);
  });

  test('fifty updates of different keys at once all survive', async () => {
    const names = Array.from({ length: 50 }, (_, at) => `key${at}`);
    await Promise.all(names.map((name) => put('u', { [name]: name })));
    expect(Object.keys((await get('u'))['metadata'] as object).toSorted()).toEqual(names.toSorted());
  });

  test('does not grow without limit', async () => {
    const text = 'x'.repeat(1_200_000);
    expect((await core.call('PUT', PATH, { userId: 'u', metadataUpdate: { a: text } })).status).toBe(200);
    expect(await core.call('PUT', PATH, { userId: 'u', metadataUpdate: { b: text } })).toEqual({
      status: 400,
      body: { text: 'The metadata of a user must not be larger than 2097152 bytes\n' },
    });
    expect((await core.call('PUT', PATH, { userId: 'u', metadataUpdate: { a: null, b: text } })).status).toBe(200);
    expect(await core.call('PUT', PATH, { userId: 'v', metadataUpdate: { a: 'é'.repeat(1_100_000) } })).toEqual({
      status: 400,
      body: { text: "Field name 'metadataUpdate' must not be larger than 2097152 bytes\n" },
    });
  });

  test('holds as many names as an update can look through', async () => {
    const numbered = (from: number, count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`name${from + at}`, 1]));
    for (const from of [0, 5000]) await put('u', numbered(from, 5000));
    expect(await core.call('PUT', PATH, { userId: 'u', metadataUpdate: { one: 1 } })).toEqual({
      status: 400,
      body: { text: 'The metadata of a user must not have more than 10000 names\n' },
    });
    expect((await core.call('PUT', PATH, { userId: 'u', metadataUpdate: { name0: null, one: 1 } })).status).toBe(200);
  });

  test('larger than the limits, from before they were lowered, can be read, changed and made smaller', async () => {
    const { store, directory } = core.services;
    const app = appNumber(Number((await directory.find({ cud: '', appId: 'public', tenantId: 'public' }))?.app));
    const members = Array.from({ length: 12_000 }, (_, at) => `"name${at}":"${'x'.repeat(200)}"`);
    const large = `{${members.join(',')}}` as JsonText;
    await store.transact((tx) => tx.put(metadata, { app, userId: 'u', metadata: large }));
    expect(Object.keys((await get('u'))['metadata'] as object)).toHaveLength(12_000);
    const statusOf = async (metadataUpdate: object) => (await core.call('PUT', PATH, { userId: 'u', metadataUpdate })).status;
    expect(await statusOf({ name1: 'y' })).toBe(200);
    expect(await statusOf({ name1: 'z'.repeat(300) })).toBe(400);
    expect(await statusOf({ name1: null, name2: null })).toBe(200);
    expect(Object.keys((await get('u'))['metadata'] as object)).toHaveLength(11_998);
  });
});

test('a body of more values than real ones have is refused, in megabytes or not', async () => {
  const many = (times: number) => ({ a: Array.from({ length: times }, () => 1) });
  expect((await core.call('PUT', PATH, { userId: 'u', metadataUpdate: many(9_990) })).status).toBe(200);
  const refused = { status: 413, body: { text: 'Request body is too large\n' } };
  for (const times of [10_001, 400_000])
    expect(await core.call('PUT', PATH, { userId: 'u', metadataUpdate: many(times) })).toEqual(refused);
});

describe('of several users', () => {
  test('comes in the order of the request, null where there is none', async () => {
    await put('u', { a: 1 });
    await put('v', {});
    expect((await bulk(['v', 'none', 'u', 'u'])).body).toEqual({
      status: 'OK',
      users: [
        { userId: 'v', metadata: {} },
        { userId: 'none', metadata: null },
        { userId: 'u', metadata: { a: 1 } },
        { userId: 'u', metadata: { a: 1 } },
      ],
    });
    const ids = Array.from({ length: 500 }, (_, at) => (at % 2 === 0 ? 'u' : `none-${at}`));
    const { users } = (await bulk(ids)).body as { users: { userId: string }[] };
    expect(users.map(({ userId }) => userId)).toEqual(ids);
  });

  test('an empty list is answered before app and tenant are looked for', async () => {
    const nobody = { status: 200, body: { status: 'OK', users: [] } };
    expect(await bulk([])).toEqual(nobody);
    expect(await bulk([], '/appid-none')).toEqual(nobody);
    expect(await bulk([], '/ghost')).toEqual(nobody);
    expect((await bulk(['u'], '/appid-none')).status).toBe(400);
    expect((await bulk(['u'], '/ghost')).status).toBe(403);
    expect((await bulk([1], '/ghost')).status).toBe(400);
  });

  test('an answer does not grow without limit', async () => {
    await put('u', { a: 'x'.repeat(2_000_000) });
    expect(await bulk(Array.from({ length: 5 }, () => 'u'))).toEqual({
      status: 400,
      body: { text: 'The metadata of these users is too large for one answer\n' },
    });
    expect((await bulk(['u', 'u'])).status).toBe(200);
  });
});

describe('refusals', () => {
  const invalid = (field: string): string => `Field name '${field}' is invalid in JSON input`;
  const nested = (depth: number): object => (depth === 0 ? {} : { a: nested(depth - 1) });

  test.each<[method: string, path: string, body: object | undefined, text: string]>([
    ['GET', '', undefined, "Field name 'userId' is missing in GET request"],
    ['PUT', '', {}, invalid('userId')],
    ['PUT', '', { userId: 'u' }, invalid('metadataUpdate')],
    ['PUT', '', { userId: 4, metadataUpdate: 1 }, invalid('userId')],
    ['PUT', '', { userId: 'u', metadataUpdate: null }, invalid('metadataUpdate')],
    ['PUT', '', { userId: 'u', metadataUpdate: [] }, invalid('metadataUpdate')],
    ['PUT', '', { userId: 'u', metadataUpdate: 'x' }, invalid('metadataUpdate')],
    ['PUT', '', { userId: 'u', metadataUpdate: nested(80) }, 'Invalid Json Input'],
    ['POST', '/remove', {}, invalid('userId')],
    ['POST', '/bulk', {}, invalid('userIds')],
    ['POST', '/bulk', { userIds: 'a' }, invalid('userIds')],
    ['POST', '/bulk', { userIds: null }, invalid('userIds')],
    ['POST', '/bulk', { userIds: ['a', 1] }, 'userIds array must contain only strings'],
    ['POST', '/bulk', { userIds: Array.from({ length: 501 }, () => 'u') }, 'You can only query up to 500 users at a time.'],
  ])('%s %s %j', async (method, path, body, text) => {
    expect(await core.call(method, PATH + path, body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('other tenants are refused from CDI 5.0 on, and ignored before; fields are complained of first', async () => {
    const calls: readonly [method: string, path: string, body?: object][] = [
      ['GET', `${PATH}?userId=u`],
      ['PUT', PATH, { userId: 'u', metadataUpdate: {} }],
      ['POST', `${PATH}/remove`, { userId: 'u' }],
      ['POST', `${PATH}/bulk`, { userIds: ['u'] }],
    ];
    for (const [method, path, body] of calls) {
      expect((await core.call(method, `/ghost${path}`, body)).status, path).toBe(403);
      expect((await core.call(method, `/ghost${path}`, body, { cdi: '4.0' })).status, path).toBe(200);
      expect((await core.call(method, `/appid-none${path}`, body)).status, path).toBe(400);
    }
    expect((await core.call('PUT', `/ghost${PATH}`, {})).status).toBe(400);
  });
});
