import { beforeEach, describe, expect, test } from 'vitest';
import type { SealedEvent } from '../../../src/recipes/audit/event.ts';
import { type Block, blocks, pendingEvents, trailEnds } from '../../../src/recipes/audit/records.ts';
import { sealAll, sealEvents } from '../../../src/recipes/audit/seal.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { runJob } from '../run-job.ts';

const DAY_MS = 86_400_000;

let core: InProcessCore;
let count = 0;

beforeEach(async () => {
  core = await openInProcessCore('5.4');
});

const seal = (): Promise<void> => sealAll(core.services.store, core.services.now);

/** Makes a role, which leaves one event. */
const change = (): Promise<unknown> => core.call('PUT', '/recipe/role', { role: `role-${++count}`, permissions: [] });

/** Seals this many blocks of some events each. */
async function makeBlocks(sizes: readonly number[]): Promise<void> {
  for (const size of sizes) {
    for (let made = 0; made < size; made += 1) await change();
    await seal();
  }
}

const read = async (query = ''): Promise<{ events: SealedEvent[]; nextPaginationToken?: string; isMore: boolean }> => {
  const { status, body } = await core.call('GET', `/manage/v1/audit?${query}`);
  expect(status).toBe(200);
  return body as never;
};
const verify = async (query = '') => (await core.call('GET', `/manage/v1/audit/verify?${query}`)).body;
const blocksOf = (): Promise<Block[]> =>
  Promise.resolve(core.services.store.read((reader) => reader.list(blocks, undefined, { prefix: [], limit: 1000 })));
const pendingCount = async (): Promise<number> =>
  (await core.services.store.read((reader) => reader.list(pendingEvents, undefined, { prefix: [], limit: 1000 }))).length;
/** Overwrites a block as somebody with the database in his hands could, whatever its indexes say. */
const overwrite = (block: Block): Promise<unknown> => core.services.store.transact((tx) => tx.put(blocks, block));
const remove = (last: number): Promise<unknown> => core.services.store.transact((tx) => tx.delete(blocks, [last]));

describe('sealing', () => {
  test('gives every event a number, without gaps, in the order in which they were written', async () => {
    await makeBlocks([3, 120, 1]);
    const { events } = await read('order=ASC&limit=500');
    expect(events.map(({ sequence }) => sequence)).toEqual(Array.from({ length: events.length }, (_, at) => at + 1));
    expect(events.filter(({ kind }) => kind === 'role.written').map(({ details }) => details?.['role'])).toEqual(
      Array.from({ length: 124 }, (_, at) => `role-${count - 123 + at}`),
    );
    expect(await pendingCount()).toBe(0);
    expect(await verify()).toMatchObject({ status: 'OK', isWhole: true, unsealed: { count: 0 } });
  });

  test('an event says who, what, where and when', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'shop' });
    const { key } = (await core.call('POST', '/appid-shop/manage/v1/api-keys', { name: 'backend', scopes: ['cdi'] })).body;
    const headers = { 'x-request-id': 'abc-1', 'api-key': String(key) };
    await core.call('PUT', '/appid-shop/recipe/role', { role: 'admin', permissions: [] }, { headers });
    await seal();
    const [event] = (await core.call('GET', '/appid-shop/manage/v1/audit?kind=role.written')).body['events'] as SealedEvent[];
    expect(event).toEqual({
      sequence: expect.any(Number),
      id: expect.any(String),
      at: core.clock.now,
      kind: 'role.written',
      actor: { type: 'api-key', name: 'backend' },
      via: 'PUT /recipe/role',
      connectionUriDomain: '',
      appId: 'shop',
      requestId: 'abc-1',
      details: { role: 'admin' },
    });
  });

  test('a clock set back keeps neither the order of events nor their seal from being right', async () => {
    await change();
    core.clock.now -= DAY_MS;
    await makeBlocks([2]);
    core.clock.now += 2 * DAY_MS;
    await makeBlocks([1]);
    const { events } = await read('order=ASC');
    const times = events.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(await verify()).toMatchObject({ status: 'OK' });
  });

  test('several who seal at once give every event one place', async () => {
    for (let made = 0; made < 60; made += 1) await change();
    const { store, now } = core.services;
    await Promise.all(Array.from({ length: 4 }, () => sealEvents(store, now(), 25)));
    await seal();
    const { events } = await read('order=ASC&limit=500');
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
    expect(events.filter(({ kind }) => kind === 'role.written')).toHaveLength(60);
    expect(await verify()).toMatchObject({ status: 'OK' });
  });

  test('a change that is refused leaves no event', async () => {
    await core.call('POST', '/recipe/signup', { email: 'one@example.com', password: 'a good password' });
    await core.call('POST', '/recipe/signup', { email: 'one@example.com', password: 'a good password' });
    await seal();
    expect((await read('kind=user.created')).events).toHaveLength(1);
  });

  test('without the option nothing is written', async () => {
    const silent = await openInProcessCore('5.4', ['--audit-trail', 'false']);
    await silent.call('POST', '/recipe/signup', { email: 'one@example.com', password: 'a good password' });
    const pending = await silent.services.store.read((reader) => reader.list(pendingEvents, undefined, { prefix: [], limit: 10 }));
    expect(pending).toEqual([]);
  });
});

describe('reading', () => {
  test('goes page by page in both directions and meets every event once', async () => {
    await makeBlocks([7, 1, 12, 3]);
    const all = (await read('order=ASC&limit=500')).events.map(({ sequence }) => sequence);
    for (const order of ['ASC', 'DESC']) {
      const met: number[] = [];
      for (let token = '', isMore = true; isMore; ) {
        const page = await read(`order=${order}&limit=4${token}`);
        met.push(...page.events.map(({ sequence }) => sequence));
        token = `&paginationToken=${page.nextPaginationToken}`;
        ({ isMore } = page);
      }
      expect(met).toEqual(order === 'ASC' ? all : all.toReversed());
    }
  });

  test('from the oldest on, the end of one page is where new events follow', async () => {
    await makeBlocks([2]);
    const first = await read('order=ASC');
    expect(first.isMore).toBe(false);
    await makeBlocks([3]);
    const second = await read(`order=ASC&paginationToken=${first.nextPaginationToken}`);
    expect(second.events.map(({ kind }) => kind)).toEqual(['role.written', 'role.written', 'role.written']);
  });

  test('filters by user under each of their ids, by kind, tenant and time', async () => {
    const { user } = (await core.call('POST', '/recipe/signup', { email: 'one@example.com', password: 'a good password' })).body as {
      user: { id: string };
    };
    await seal();
    core.clock.now += 60_000;
    const between = core.clock.now;
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: user.id, externalUserId: 'ann' });
    core.clock.now += 60_000;
    await core.call('PUT', '/recipe/user/metadata', { userId: 'ann', metadataUpdate: { a: 1 } });
    await change();
    await seal();
    const kinds = async (query: string): Promise<string[]> => (await read(query)).events.map(({ kind }) => kind);
    const all = ['user.metadata-changed', 'mapping.created', 'user.created'];
    expect(await kinds('userId=ann')).toEqual(all);
    expect(await kinds(`userId=${user.id}`)).toEqual(all);
    expect(await kinds(`userId=ann&since=${between}`)).toEqual(all.slice(0, 2));
    expect(await kinds(`userId=ann&until=${between}`)).toEqual(all.slice(2));
    expect(await kinds(`order=ASC&kind=role.written,mapping.created&since=${between}`)).toEqual(['mapping.created', 'role.written']);
    expect(await kinds('tenantId=public&kind=user.created')).toEqual(['user.created']);
    expect(await kinds('tenantId=other&kind=user.created')).toEqual([]);
    expect(await kinds('userId=nobody')).toEqual([]);
  });

  test('the trail of a removed app stays, for itself and among all', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'shop' });
    await core.call('PUT', '/appid-shop/recipe/role', { role: 'admin', permissions: [] });
    await core.call('POST', '/recipe/multitenancy/app/remove', { appId: 'shop' });
    await seal();
    const own = (await core.call('GET', '/appid-shop/manage/v1/audit?order=ASC')).body['events'] as SealedEvent[];
    expect(own.map(({ kind }) => kind).filter((kind) => kind !== 'signing-key.created')).toEqual([
      'app.written',
      'role.written',
      'app.removed',
    ]);
    expect((await read('kind=role.written')).events).toEqual([]);
    expect((await read('everywhere=true&kind=role.written')).events).toHaveLength(1);
  });

  test.each([
    ['kind=user.made-up', /kind must be some of user.created/],
    ['order=up', /order must be/],
    ['paginationToken=abc', /paginationToken/],
    ['limit=0', /limit must be/],
    ['since=soon', /since/],
  ])('refuses %s', async (query, text) => {
    const { status, body } = await core.call('GET', `/manage/v1/audit?${query}`);
    expect(status).toBe(400);
    expect(body['text']).toMatch(text);
  });
});

describe('verifying', () => {
  beforeEach(() => makeBlocks([4, 5, 6, 2]));

  test('finds an event that was edited', async () => {
    const [, second] = await blocksOf();
    if (!second) throw new Error('there is a second block');
    const events = second.events.map((text, at) => (at === 1 ? text.replace(/role-\d+/, 'role-9999') : text));
    await overwrite({ ...second, events });
    expect(await verify()).toMatchObject({
      status: 'BROKEN_TRAIL_ERROR',
      finding: { fault: 'changed', first: second.last - second.events.length + 1, last: second.last },
    });
  });

  test('finds events in another order, within a block and among blocks', async () => {
    const [, second, third] = await blocksOf();
    if (!second || !third) throw new Error('there are three blocks');
    await overwrite({ ...second, events: second.events.toReversed() });
    expect(await verify()).toMatchObject({ finding: { fault: 'changed', last: second.last } });
    await overwrite(second);
    await overwrite({ ...third, events: [...third.events.slice(0, -1), ...second.events.slice(0, 1)] });
    expect(await verify()).toMatchObject({ finding: { fault: 'changed', last: third.last } });
  });

  test('finds a removed event, a removed block and a removed end', async () => {
    const [first, second, third, fourth] = await blocksOf();
    if (!first || !second || !third || !fourth) throw new Error('there are four blocks');
    await overwrite({ ...third, events: third.events.slice(1) });
    expect(await verify()).toMatchObject({ status: 'BROKEN_TRAIL_ERROR', finding: { fault: 'missing' } });
    await overwrite(third);
    await remove(second.last);
    expect(await verify()).toMatchObject({ finding: { fault: 'missing', first: first.last + 1, last: second.last } });
    await overwrite(second);
    await remove(fourth.last);
    expect(await verify()).toMatchObject({ finding: { fault: 'end', first: third.last + 1, last: fourth.last } });
    await overwrite(fourth);
    await remove(first.last);
    expect(await verify()).toMatchObject({ finding: { fault: 'missing', first: 1, last: first.last } });
  });

  test('a chain that was written anew does not go through a head that was kept elsewhere', async () => {
    const { to } = await verify();
    expect(await verify(`through=${to}`)).toMatchObject({ status: 'OK', through: 'yes' });
    await change();
    await seal();
    expect(await verify(`through=${to}`)).toMatchObject({ through: 'yes' });
    const other = `${String(to).split(':')[0]}:${'f'.repeat(64)}`;
    expect(await verify(`through=${other}`)).toMatchObject({ through: 'no' });
    expect(await verify(`through=999999:${'f'.repeat(64)}`)).toMatchObject({ through: 'no' });
  });

  test('tells what has no place yet', async () => {
    await change();
    expect(await verify()).toMatchObject({ status: 'OK', unsealed: { count: 1, since: core.clock.now } });
  });

  test('goes on from where a piece ended', async () => {
    const [, second] = await blocksOf();
    expect(await verify(`from=${second?.last}:${second?.hash}`)).toMatchObject({ status: 'OK', from: `${second?.last}:${second?.hash}` });
    expect(await verify(`from=${second?.last}:${'0'.repeat(64)}`)).toMatchObject({ status: 'BROKEN_TRAIL_ERROR' });
    expect((await core.call('GET', '/manage/v1/audit/verify?from=1')).status).toBe(400);
  });
});

describe('retention', () => {
  const trim = (): Promise<boolean> => runJob('trim-audit', core.services, core.clock.now, 100);

  test('removes whole blocks that are old enough, and what is left verifies', async () => {
    await makeBlocks([4, 5]);
    const { to } = await verify();
    core.clock.now += 300 * DAY_MS;
    await makeBlocks([3]);
    core.clock.now += 70 * DAY_MS;
    expect(await trim()).toBe(false);
    await seal();
    const { events } = await read('order=ASC&limit=500');
    expect(events.filter(({ kind }) => kind === 'role.written')).toHaveLength(3);
    expect(events.at(-1)).toMatchObject({
      kind: 'audit.trimmed',
      actor: { type: 'system' },
      details: { upTo: Number(String(to).split(':')[0]) },
    });
    expect(await verify()).toMatchObject({ status: 'OK', from: to });
    expect(await verify(`through=${to}`)).toMatchObject({ through: 'yes' });
    expect(await verify(`through=1:${'0'.repeat(64)}`)).toMatchObject({ through: 'trimmed' });
  });

  test('an anchor that the job did not make is found out', async () => {
    await makeBlocks([4, 5]);
    const [first] = await blocksOf();
    if (!first) throw new Error('there is a block');
    await remove(first.last);
    const { last, sealedAt, hash } = first;
    await core.services.store.transact((tx) => tx.put(trailEnds, { name: 'anchor', last, sealedAt, hash }));
    expect(await verify()).toMatchObject({ status: 'BROKEN_TRAIL_ERROR', finding: { fault: 'anchor', first: 1, last } });
  });

  test('the anchor is told of also where the trail is off', async () => {
    core = await openInProcessCore('5.4', ['--audit-trail', 'false', '--audit-retention', '1']);
    expect(await trim()).toBe(false);
    expect(await verify()).toMatchObject({ status: 'OK', to: `0:${'0'.repeat(64)}` });
  });
});
