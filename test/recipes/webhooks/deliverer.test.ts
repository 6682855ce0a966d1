import { setTimeout as later } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { queuedMessages } from '../../../src/recipes/webhooks/records.ts';
import { fencedStore } from '../../../src/store/fenced.ts';
import { runJob } from '../run-job.ts';
import { WebhookWorld } from './world.ts';

const HOUR_MS = 3_600_000;
const OK = { status: 200 };
const ERROR = { status: 500 };

let world: WebhookWorld;

beforeEach(async () => {
  world = await WebhookWorld.open();
});

const numbered = (count: number, prefix = 'u'): readonly string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('what a webhook gets', () => {
  test('events from its making on, in the order of the trail, once', async () => {
    await world.happen(['before']);
    await world.add();
    await world.happen(['a', 'a', 'a']);
    await world.deliver();
    const sequences = world.arrived.map(({ sequence }) => sequence);
    expect(world.takeUsers().filter((user) => user !== '')).toEqual(['a', 'a', 'a']);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    await world.deliver();
    expect(world.takeUsers()).toEqual([]);
  });

  test('only the kinds that it names, of its app, and of its tenant', async () => {
    await world.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    await world.core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    const place = { cud: '', appId: 'public', tenantId: 'public' };
    await world.seal();
    await world.add({ kinds: ['user.*', 'session.theft'] });
    await world.happen(['role'], 'role.written');
    await world.happen(['user'], 'user.role-assigned');
    await world.happen(['theft'], 'session.theft');
    await world.happen(['elsewhere'], 'user.disabled', { ...place, appId: 'other' });
    await world.deliver();
    expect(world.takeUsers()).toEqual(['user', 'theft']);
    await world.add({ kinds: ['user.created'], tenantId: 't1' });
    await world.happen(['public'], 'user.created');
    await world.happen(['t1'], 'user.created', { ...place, tenantId: 't1' });
    await world.deliver();
    expect(world.takeUsers().toSorted()).toEqual(['public', 't1', 't1']);
  });

  test('many events, a few at a time', async () => {
    await world.add();
    await world.happen(numbered(900));
    world.answer = async () => {
      await later(1);
      return OK;
    };
    await world.deliver();
    await world.deliver();
    expect(new Set(world.takeUsers()).size).toBe(901);
    expect(world.mostAtOnce).toBe(8);
  });
});

describe('a message that fails', () => {
  test('holds up its user only, and comes in order once it goes through', async () => {
    await world.add({ kinds: ['user.*'] });
    world.answer = ({ user }) => (user === 'bad' ? ERROR : OK);
    await world.happen(['bad', 'a', 'bad', 'b']);
    await world.deliver();
    expect(world.takeUsers().toSorted()).toEqual(['a', 'b', 'bad']);
    await world.happen(['c', 'bad']);
    await world.deliver();
    expect(world.takeUsers()).toEqual(['c']);
    world.answer = () => OK;
    world.pass(5_000);
    await world.deliver();
    const sequences = world.arrived.map(({ sequence }) => sequence);
    expect(world.takeUsers()).toEqual(['bad', 'bad', 'bad']);
    expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
  });

  test('is tried for three days, ever more seldom, with the same id and a new time, then kept apart', async () => {
    const id = await world.add({ kinds: ['user.*'] });
    world.answer = ({ user }) => (user === 'bad' ? ERROR : OK);
    await world.happen(['bad', 'bad', 'good']);
    const startedAt = world.core.clock.now;
    const tries: number[] = [];
    const ids = new Set<string | undefined>();
    while ((await world.shown(id))['queued'] === 2 || tries.length === 0) {
      await world.deliver();
      for (const { post } of world.arrived.splice(0)) ids.add(post.headers['webhook-id']);
      tries.push(world.core.clock.now - startedAt);
      world.pass(HOUR_MS);
    }
    expect(tries.at(-1)).toBe(72 * HOUR_MS);
    // Both of the user, each for itself: the second one as soon as the first was given up.
    expect(ids.size).toBe(3);
    const { deadLetters } = await world.call('GET', `/dead-letters?id=${id}`);
    expect(deadLetters).toMatchObject([{ userId: 'bad', attempts: 73, fault: 'answered 500' }]);
    await world.deliver();
    expect(world.takeUsers()).toEqual(['bad']);
    expect(world.reports.at(-1)).toMatchObject({ dead: 1 });
  });

  test('waits 5 s first, then twice as long each time, up to an hour', async () => {
    await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(['bad']);
    await world.deliver();
    const waits: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      let waited = 0;
      for (world.takeUsers(); world.arrived.length === 0; waited += 5_000) {
        world.pass(5_000);
        await world.deliver();
      }
      waits.push(waited / 1_000);
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
  });
});

describe('a clock that is set back', () => {
  test('by a day keeps neither a message nor a target that is away waiting for a day', async () => {
    await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(['bad']);
    await world.deliver();
    world.pass(-24 * HOUR_MS);
    world.takeUsers();
    await world.deliver();
    expect(world.takeUsers()).toEqual(['bad']);
    await world.happen(numbered(20));
    world.pass(48 * HOUR_MS);
    await world.deliver();
    world.pass(-24 * HOUR_MS);
    world.takeUsers();
    world.answer = () => OK;
    await world.deliver();
    expect(new Set(world.takeUsers())).toEqual(new Set(['bad', ...numbered(20)]));
  });
});

describe('the trail', () => {
  test('keeps events for webhooks that have not come so far, up to 30 days longer', async () => {
    const DAY_MS = 24 * HOUR_MS;
    const id = await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(numbered(30));
    await world.deliver();
    await world.happen(numbered(2_000, 'v'));
    const trimmed = async (): Promise<unknown> => {
      await world.seal();
      while (await runJob('trim-audit', world.core.services, world.core.clock.now, 100));
      const { body } = await world.core.call('GET', '/manage/v1/audit?limit=1&order=ASC');
      return (body['events'] as readonly { sequence: number }[])[0]?.sequence;
    };
    const state = (await world.shown(id))['position'];
    world.pass(366 * DAY_MS);
    const first = await trimmed();
    expect(first).toBeLessThanOrEqual(Number(state) + 1);
    world.pass(30 * DAY_MS);
    expect(await trimmed()).toBeGreaterThan(2_000);
  });
});

describe('a target that is away', () => {
  test('is asked with one message now and then, and gets everything once it is back', async () => {
    const id = await world.add({ kinds: ['user.*'] });
    world.answer = () => ({ fault: 'nobody listens there' });
    await world.happen(numbered(3_000));
    await world.deliver();
    const first = world.takeUsers().length;
    expect(first).toBeGreaterThanOrEqual(10);
    expect(first).toBeLessThan(20);
    let attempts = 0;
    for (let second = 0; second < 3_600; second += 5) {
      world.pass(5_000);
      await world.deliver();
      attempts += world.takeUsers().length;
    }
    expect(attempts).toBeGreaterThan(10);
    expect(attempts).toBeLessThan(25);
    expect(await world.shown(id)).toMatchObject({ isEnabled: true, queued: 200 });
    world.answer = () => OK;
    world.pass(300_000);
    for (let look = 0; look < 4; look += 1) await world.deliver();
    expect(new Set(world.takeUsers())).toEqual(new Set(numbered(3_000)));
    expect(await world.shown(id)).toMatchObject({ queued: 0, restsUntil: null, failingSince: null });
  });

  test('costs other webhooks nothing', async () => {
    await world.add({ url: 'https://away.example/', kinds: ['user.*'] });
    await world.add({ url: 'https://here.example/', kinds: ['user.*'] });
    const stuck: (() => void)[] = [];
    world.answer = ({ post }) => (post.url.includes('away') ? new Promise((done) => stuck.push(() => done(ERROR))) : OK);
    await world.happen(numbered(500));
    const deliverer = world.deliverer();
    await deliverer.job.run(world.services(), 100);
    const here = world.arrived.filter(({ post }) => post.url.includes('here'));
    expect([here.length, stuck.length]).toEqual([500, 8]);
    for (const end of stuck) end();
    await deliverer.stop();
  });

  test('is disabled after three days, loses nothing, and goes on where it stopped', async () => {
    const id = await world.add({ kinds: ['user.*', 'webhook.*'] });
    world.answer = () => ERROR;
    await world.happen(numbered(30));
    for (let hours = 0; hours <= 73; hours += 1) {
      await world.deliver();
      world.pass(HOUR_MS);
    }
    expect(await world.shown(id)).toMatchObject({ isEnabled: false, disabledBecause: expect.stringMatching(/three days/), deadLetters: 0 });
    world.takeUsers();
    await world.deliver();
    expect(world.takeUsers()).toEqual([]);
    world.answer = () => OK;
    await world.call('POST', '/update', { id, isEnabled: true });
    await world.seal();
    await world.deliver();
    const kinds = new Set(world.arrived.map(({ type }) => type));
    expect(new Set(world.takeUsers())).toEqual(new Set(['', ...numbered(30)]));
    expect(kinds).toEqual(new Set(['user.disabled', 'webhook.created', 'webhook.disabled', 'webhook.changed']));
  });
});

describe('who delivers', () => {
  test('what was sent and could not be kept is sent again, with the same id', async () => {
    await world.add({ kinds: ['user.*'] });
    await world.happen(['a']);
    let isLost = false;
    const { store } = world.core.services;
    const mayNot = fencedStore(store, () => {
      if (isLost) throw new Error('the lease is lost');
    });
    world.answer = () => {
      isLost = true;
      return OK;
    };
    await expect(world.deliver(world.deliverer(), world.services(mayNot))).rejects.toThrow('the lease is lost');
    world.answer = () => OK;
    await world.deliver();
    const ids = new Set(world.arrived.map(({ post }) => post.headers['webhook-id']));
    expect([world.takeUsers(), ids.size]).toEqual([['a', 'a'], 1]);
  });

  test('a stop waits for attempts that are under way, keeps them, and begins no others', async () => {
    const id = await world.add({ kinds: ['user.*'] });
    await world.happen(numbered(100));
    const deliverer = world.deliverer();
    const ends: (() => void)[] = [];
    world.answer = () => new Promise((done) => ends.push(() => done(OK)));
    await deliverer.job.run(world.services(), 100);
    const stopped = deliverer.stop();
    for (const end of ends) end();
    await stopped;
    expect(world.takeUsers()).toHaveLength(8);
    expect(await world.shown(id)).toMatchObject({ queued: 92 });
  });

  test('there is no work where nothing is due', async () => {
    const deliverer = world.deliverer();
    const hasWork = (): unknown => deliverer.job.hasWork?.(world.services());
    expect(await hasWork()).toBe(false);
    await world.add({ kinds: ['role.*'] });
    await world.happen(['a']);
    expect(await hasWork()).toBe(true);
    await world.deliver(deliverer);
    expect(await hasWork(), 'what it does not want was seen').toBe(false);
  });

  test('a webhook of a removed app gets nothing', async () => {
    await world.core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'gone' });
    await world.call('POST', '', { url: 'https://receiver.example/', kinds: ['*'] }, '/appid-gone');
    await world.happen(['a'], 'user.disabled', { cud: '', appId: 'gone', tenantId: 'public' });
    await world.core.call('POST', '/recipe/multitenancy/app/remove', { appId: 'gone' });
    await world.seal();
    await world.deliver();
    expect(world.takeUsers()).toEqual([]);
  });

  test('removing one removes what waits for it', async () => {
    const id = await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(numbered(20));
    await world.deliver();
    expect(await world.call('POST', '/remove', { id })).toEqual({ status: 'OK', didExist: true });
    const left = await world.core.services.store.read((reader) => reader.count(queuedMessages, undefined, { prefix: [] }));
    expect(left).toBe(0);
    expect(await world.call('POST', '/remove', { id })).toEqual({ status: 'OK', didExist: false });
  });

  test('what waits for its time keeps the lease, and costs a look a second', async () => {
    await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(['a']);
    const deliverer = world.deliverer();
    const services = world.services();
    await deliverer.job.run(services, 100);
    world.pass(1_000);
    expect([await deliverer.job.run(services, 100), world.idles]).toEqual([true, 1]);
    world.answer = () => OK;
    world.pass(5_000);
    expect([await deliverer.job.run(services, 100), world.idles]).toEqual([true, 1]);
    expect([await deliverer.job.run(services, 100), world.idles]).toEqual([false, 1]);
  });

  test('the lag is the age of the oldest event that waits', async () => {
    await world.add({ kinds: ['user.*'] });
    world.answer = () => ERROR;
    await world.happen(['a']);
    await world.deliver();
    world.pass(60_000);
    await world.deliver();
    expect(world.reports.at(-1)?.lagMs).toBe(60_000);
    world.answer = () => OK;
    world.pass(60_000);
    await world.deliver();
    expect(world.reports.at(-1)?.lagMs).toBe(0);
  });
});
