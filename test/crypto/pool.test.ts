import { setMaxListeners } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { HashParameters } from '../../src/crypto/lanes.ts';
import type { KeyPairs } from '../../src/crypto/key-stock.ts';
import type { Uploads } from '../../src/crypto/upload.ts';

// Threads run compiled files only, so everything here comes from the build.
const built = (file: string): string => new URL(`../../dist/src/crypto/${file}.js`, import.meta.url).href;
const { CryptoPool } = (await import(/* @vite-ignore */ built('pool'))) as typeof import('../../src/crypto/pool.ts');
const { connectPool, servePool } = (await import(/* @vite-ignore */ built('port'))) as typeof import('../../src/crypto/port.ts');
const { Lane } = (await import(/* @vite-ignore */ built('lane'))) as typeof import('../../src/crypto/lane.ts');
const { LANES } = (await import(/* @vite-ignore */ built('lane-limits'))) as typeof import('../../src/crypto/lane-limits.ts');

const CHEAP: HashParameters = { algorithm: 'BCRYPT', rounds: 4 };
const SLOW: HashParameters = { algorithm: 'BCRYPT', rounds: 11 };
const SMALL_ARGON2: HashParameters = { algorithm: 'ARGON2', iterations: 1, memoryKb: 64, parallelism: 1 };

const pool = new CryptoPool({ argon2PoolSize: 1, firebasePoolSize: 1, cores: 2 });
afterAll(() => pool.close());

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('nothing failed'),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

describe('the pool', () => {
  it('hashes and verifies in either lane', async () => {
    const [bcrypt, argon2] = await Promise.all([pool.hashPassword('p', CHEAP), pool.hashPassword('p', SMALL_ARGON2, { lane: 'import' })]);
    expect(await Promise.all([bcrypt, argon2].map((hash) => pool.verifyPassword('p', hash, null)))).toEqual([true, true]);
    expect(await pool.verifyPassword('q', bcrypt, null)).toBe(false);
    expect(await pool.verifyPassword('p', 'no hash', null)).toBe(false);
    expect(pool.counters().import.completed).toBe(1);
  });

  it('runs one argon2 operation at a time, and lets bcrypt pass it', async () => {
    const before = pool.counters().hash.completed;
    const argon2 = Array.from({ length: 6 }, () => pool.hashPassword('p', SMALL_ARGON2));
    expect(pool.counters().hash).toMatchObject({ running: 1, queued: 5 });
    const bcrypt = pool.hashPassword('p', CHEAP);
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: 5 });
    await Promise.all([...argon2, bcrypt]);
    expect(pool.counters().hash).toMatchObject({ running: 0, queued: 0, completed: before + 7 });
  });

  it('refuses what does not fit, and takes cancelled calls out', async () => {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const { queue } = LANES.hash;
    const calls = Array.from({ length: 2 + queue }, () => failure(pool.hashPassword('p', SLOW, { signal: controller.signal })));
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: queue });
    const refused = await failure(pool.hashPassword('p', SLOW));
    expect(refused).toMatchObject({ name: 'LaneFullError', lane: 'hash' });
    controller.abort();
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: 0, rejected: 1 });
    const ended = await Promise.all(calls);
    expect(ended.map((error) => error.name)).toEqual(ended.map((_, index) => (index < 2 ? 'Error' : 'AbortError')));
    expect((await failure(pool.hashPassword('p', CHEAP, { signal: AbortSignal.abort() }))).name).toBe('AbortError');
  });
});

describe('a lane', () => {
  /** Stands in for a task file: does what the task says. */
  const unruly = { ...LANES.hash, worker: '../../test/crypto/unruly-worker', idleMs: 50 };

  it('replaces a worker that dies, and fails its task only', async () => {
    const lane = new Lane('hash', unruly, 1);
    for (const death of ['exit', 'throw']) {
      const results = [lane.run(death), lane.run('echo'), lane.run('echo')];
      expect((await failure(results[0] ?? Promise.resolve())).message).toBe('a worker of the hash lane died');
      expect(await Promise.all(results.slice(1))).toEqual(['echo', 'echo']);
    }
    expect(lane.counters).toEqual({ queued: 0, running: 0, completed: 4, rejected: 0, died: 2 });
    await lane.close();
  });

  it('fails its tasks, and does not hang, where a worker cannot even start', async () => {
    const lane = new Lane('hash', { ...LANES.hash, worker: 'no-such-worker' }, 2);
    const errors = await Promise.all(Array.from({ length: 5 }, () => failure(lane.run('echo'))));
    expect(errors.map((error) => error.message)).toEqual(Array(5).fill('a worker of the hash lane died'));
    expect(lane.counters).toMatchObject({ queued: 0, running: 0, completed: 0 });
    await lane.close();
  });

  it('lets idle threads go and starts new ones', async () => {
    const patient = new Lane('hash', { ...unruly, idleMs: LANES.hash.idleMs }, 1);
    expect(await patient.run('thread')).toBe(await patient.run('thread'));
    await patient.close();
    const lane = new Lane('hash', unruly, 1);
    const first = await lane.run('thread');
    // Every look keeps the thread, so each comes later than the one before.
    for (let waitMs = 200; (await lane.run('thread')) === first; waitMs *= 2) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      expect(waitMs).toBeLessThan(LANES.hash.idleMs);
    }
    await lane.close();
  });

  it('finishes what runs when it closes, and refuses the rest', async () => {
    const lane = new Lane('hash', unruly, 1);
    const running = lane.run('sleep');
    const waiting = failure(lane.run('echo'));
    await lane.close();
    expect(await running).toBe('sleep');
    expect((await waiting).name).toBe('LaneFullError');
    expect((await failure(lane.run('echo'))).name).toBe('LaneFullError');
  });
});

describe('the port', () => {
  const rules = { roles: [], tenantIds: ['public'], hasSignerKey: false, now: 1 };
  /** Tells what it was given. */
  const uploads: Uploads = {
    takeUpload: async (body, given, place) => {
      const answer = new Uint8Array(
        new TextEncoder().encode(`${Buffer.from(body).toString()} ${given.tenantIds.join()} ${place?.app} ${place?.tenant}`),
      );
      return place === undefined ? { kind: 'no-list' } : { kind: 'users', count: 2, answer };
    },
  };
  /** Tells whom it serves. */
  const keyPairs: KeyPairs = { keyPairFor: async (purpose, isWaitedFor) => ({ publicKey: purpose, privateKey: String(isWaitedFor) }) };
  const open = (): { client: ReturnType<typeof connectPool>; served: MessageChannel } => {
    const served = new MessageChannel();
    servePool({ pool, uploads, keyPairs }, served.port1);
    return { client: connectPool(served.port2), served };
  };

  it('carries every call', async () => {
    const { client } = open();
    const hash = await client.hashPassword('p', CHEAP);
    expect(await Promise.all([client.verifyPassword('p', hash, null), client.verifyPassword('q', hash, null)])).toEqual([true, false]);
    expect(await client.unknownUserHash(CHEAP)).toBe(await pool.unknownUserHash(CHEAP));
    expect(await client.keyPairFor('1 static', true)).toEqual({ publicKey: '1 static', privateKey: 'true' });
    client.close();
  });

  it('gives bodies of uploads away, and brings finished answers back', async () => {
    const { client } = open();
    const body = new Uint8Array(new TextEncoder().encode('body'));
    const taken = await client.takeUpload(body, rules, { app: 7, tenant: 8 });
    expect(body.byteLength).toBe(0);
    expect(taken).toMatchObject({ kind: 'users', count: 2 });
    expect('answer' in taken && Buffer.from(taken.answer).toString()).toBe('body public 7 8');
    expect(await client.takeUpload(new Uint8Array(1), rules, undefined)).toEqual({ kind: 'no-list' });
    client.close();
  });

  it('revives the refusal of a full lane, cancels, and frees the lane when it closes', async () => {
    const { client } = open();
    const controller = new AbortController();
    const cancelled = failure(client.hashPassword('p', CHEAP, { signal: controller.signal }));
    controller.abort();
    expect((await cancelled).name).toBe('AbortError');
    const calls = Array.from({ length: 10 + LANES.hash.queue }, () => failure(client.hashPassword('p', SLOW)));
    const first = await Promise.race(calls);
    expect(first).toMatchObject({ name: 'LaneFullError', lane: 'hash' });
    client.close();
    const messages = new Set((await Promise.all(calls)).map((error) => error.message));
    expect([...messages].toSorted()).toEqual(['the hash lane is full', 'the port to the crypto pool is closed']);
    await vi.waitFor(() => expect(pool.counters().hash.queued).toBe(0), 20_000);
    expect((await failure(client.hashPassword('p', CHEAP))).message).toBe('the port to the crypto pool is closed');
  });

  it('serves other threads, and notices when main closes', async () => {
    const { port1, port2 } = new MessageChannel();
    servePool({ pool, uploads, keyPairs }, port1);
    const thread = new Worker(new URL('port-thread.js', import.meta.url), {
      workerData: { port: port2, module: built('port') },
      transferList: [port2],
    });
    const message = (): Promise<unknown> => new Promise((resolve) => thread.once('message', resolve));
    const hashes = (await message()) as string[];
    expect(await Promise.all(hashes.map((hash, index) => pool.verifyPassword(`password ${index}`, hash, null)))).toEqual(
      hashes.map(() => true),
    );
    const closed = message();
    port1.close();
    expect(await closed).toBe('the port to the crypto pool is closed');
    await thread.terminate();
  });
});
