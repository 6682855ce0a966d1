import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import type { AuditEvent } from '../../src/recipes/audit/event.ts';
import { blocks, trailEnds } from '../../src/recipes/audit/records.ts';
import { hashOf } from '../../src/recipes/audit/seal.ts';
import { openStore } from '../../src/store/open-store.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { newAuthority, openReceiver, type Receiver } from '../recipes/webhooks/receiver.ts';
import { type RunningCore, startCore } from '../running-core.ts';

/** A killed process holds its lease for a minute. */
const PATIENCE = { timeout: 150_000, interval: 200 };
const MIB = 1024 * 1024;

const authority = newAuthority();
const ENV = { NODE_EXTRA_CA_CERTS: authority.cert, WEBHOOK_ALLOW_PRIVATE: 'true', HTTP_THREADS: '1' };
const postgresUrl = inject('postgresUrl');

let receiver: Receiver;
let dataDir: string;

beforeEach(async () => {
  receiver = await openReceiver(authority);
  dataDir = mkdtempSync(join(tmpdir(), 'watchword-webhooks-'));
});
afterEach(() => {
  receiver.close();
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(() => authority.remove());

const clientOf = (core: RunningCore): CdiClient => cdiClient(core.url);

async function add(core: RunningCore, kinds: readonly string[]): Promise<string> {
  const { body } = await clientOf(core).post<{ webhook: { id: string } }>('/manage/v1/webhooks', { url: receiver.url, kinds });
  return body.webhook.id;
}

async function signUp(core: RunningCore, email: string): Promise<string> {
  const { body } = await clientOf(core).post<{ user: { id: string } }>('/recipe/signup', { email, password: 'a good password 1' });
  return body.user.id;
}

const arrivedUsers = (): ReadonlySet<string | undefined> => new Set(receiver.received.map(({ userId }) => userId));

/** What arrived of each user, in order, without repetitions. */
function firstArrivals(): ReadonlyMap<string, readonly number[]> {
  const arrivals = new Map<string, number[]>();
  for (const { userId = '', sequence } of receiver.received) {
    const known = arrivals.get(userId) ?? [];
    if (!known.includes(sequence)) arrivals.set(userId, [...known, sequence]);
  }
  return arrivals;
}

function expectOrder(): void {
  for (const [user, sequences] of firstArrivals()) expect(sequences, user).toEqual(sequences.toSorted((a, b) => a - b));
}

describe.each([
  ['a folder', {}],
  ...(postgresUrl === undefined
    ? []
    : [['PostgreSQL', { STORE_ENGINE: 'postgres', POSTGRES_URL: postgresUrl, POSTGRES_CONNECTIONS: '16' }] as const]),
] as const)('on %s', (name, engine) => {
  const start = (part: string): Promise<RunningCore> => {
    const place = 'STORE_ENGINE' in engine ? { ...engine, POSTGRES_SCHEMA: `hooks_${process.pid}_${part}` } : engine;
    return startCore({ dataDir, env: { ...ENV, ...place } });
  };

  test(`killed between commit and delivery, and while it delivers, it loses nothing (${name})`, { timeout: 400_000 }, async () => {
    let core = await start('kill');
    await add(core, ['user.created']);
    const users: string[] = [];
    for (let at = 0; at < 40; at += 1) users.push(await signUp(core, `a${at}@example.com`));
    await core.kill();
    expect(receiver.received.length).toBeLessThan(40);
    core = await start('kill');
    // Slow enough to be killed half way.
    receiver.answer = (response) => void setTimeout(() => response.writeHead(200).end(), 300);
    for (let at = 0; at < 40; at += 1) users.push(await signUp(core, `b${at}@example.com`));
    await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(10);
    await core.kill();
    expect(arrivedUsers().size).toBeLessThan(80);
    receiver.answer = (response) => response.writeHead(200).end();
    core = await start('kill');
    await expect.poll(() => users.filter((user) => !arrivedUsers().has(user)).length, PATIENCE).toBe(0);
    await core.stop();
  });

  test(`two nodes do not both deliver, and one takes over from the other (${name})`, { timeout: 300_000 }, async () => {
    const one = await start('two');
    const other = await start('two');
    await add(one, ['user.*']);
    const users = [await signUp(one, 'ann@example.com'), await signUp(other, 'bob@example.com')];
    for (let round = 0; round < 30; round += 1)
      for (const userId of users)
        await clientOf(round % 2 === 0 ? one : other).post(`/manage/v1/user/${round % 2 === 0 ? 'disable' : 'enable'}`, { userId });
    await expect.poll(() => receiver.received.length, PATIENCE).toBe(62);
    expectOrder();
    await one.kill();
    const last = await signUp(other, 'cy@example.com');
    await expect.poll(() => arrivedUsers().has(last), PATIENCE).toBe(true);
    expect(receiver.received).toHaveLength(63);
    await other.stop();
  });
});

describe('a target that was away for long', () => {
  const EVENTS = 1_000_000;
  const OF_A_BLOCK = 100;
  const USERS = 20_000;
  /** As many as are waited for: all would take a quarter of an hour. */
  const WAITED = 40_000;

  /** A trail as the core would have sealed it. */
  async function fillTrail(): Promise<void> {
    const store = await openStore({ engine: 'lmdb', path: dataDir });
    const head = await store.read((reader) => reader.get(trailEnds, ['head']));
    let { last, hash } = head ?? { last: 0, hash: '0'.repeat(64) };
    const at = Date.now();
    for (let made = 0; made < EVENTS; ) {
      await store.transact(async (tx) => {
        let [end, chained] = [last, hash];
        for (let block = 0; block < 10; block += 1) {
          const events = Array.from({ length: OF_A_BLOCK }, (_, index) => eventText((end + index) % USERS, end + index, at));
          end += OF_A_BLOCK;
          chained = hashOf(chained, { last: end, sealedAt: at, events });
          await tx.insert(blocks, { last: end, sealedAt: at, events, hash: chained });
        }
        await tx.put(trailEnds, { name: 'head', last: end, sealedAt: at, hash: chained });
      });
      const now = await store.read((reader) => reader.get(trailEnds, ['head']));
      ({ last, hash } = now ?? { last, hash });
      made += 10 * OF_A_BLOCK;
    }
    await store.close();
  }

  function eventText(user: number, number: number, at: number): string {
    const event: AuditEvent = {
      id: `e${number}`,
      at,
      kind: 'user.metadata-changed',
      actor: { type: 'no-key' },
      via: 'PUT /recipe/user/metadata',
      connectionUriDomain: '',
      appId: 'public',
      userId: `u${user}`,
    };
    return JSON.stringify(event);
  }

  test('a million events wait in the trail, and go out in order once it is back', { timeout: 600_000 }, async () => {
    const port = Number(new URL(receiver.url).port);
    let core = await startCore({ dataDir, env: ENV });
    const id = await add(core, ['user.metadata-changed']);
    await core.stop();
    receiver.close();
    await fillTrail();
    core = await startCore({ dataDir, env: ENV });
    const shown = async (): Promise<{ readonly queued: number; readonly failingSince: number | null }> => {
      const { body } = await clientOf(core).get<{ webhooks: { id: string; queued: number; failingSince: number | null }[] }>(
        '/manage/v1/webhooks',
      );
      return body.webhooks.find((one) => one.id === id) ?? { queued: 0, failingSince: null };
    };
    await expect.poll(async () => (await shown()).failingSince, PATIENCE).not.toBeNull();
    await later(10_000);
    // Nothing piles up: neither in memory nor in the queue.
    expect((await shown()).queued).toBeLessThanOrEqual(1_000);
    expect(core.residentBytes()).toBeLessThan(600 * MIB);
    receiver = await openReceiver(authority, port);
    await expect.poll(() => receiver.received.length, PATIENCE).toBeGreaterThan(0);
    const [begunAt, begun] = [performance.now(), receiver.received.length];
    await expect.poll(() => receiver.received.length, { timeout: 300_000, interval: 200 }).toBeGreaterThan(WAITED);
    const seconds = (performance.now() - begunAt) / 1e3;
    console.log(`${Math.round((receiver.received.length - begun) / seconds)} events a second`);
    expect(core.residentBytes()).toBeLessThan(600 * MIB);
    expectOrder();
    await core.stop();
  });
});
