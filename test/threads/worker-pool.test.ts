import { setMaxListeners } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { HashParameters, Passwords } from '../../src/crypto/crypto.ts';
import { serveTasks, TaskPort } from '../../src/lanes/port.ts';
import { LANES } from '../../src/lanes/lane-limits.ts';

// Threads run compiled files only, so the pool comes from the build.
const module = new URL('../../dist/src/threads/worker-pool.js', import.meta.url).href;
const { WorkerPool } = (await import(/* @vite-ignore */ module)) as typeof import('../../src/threads/worker-pool.ts');

const CHEAP: HashParameters = { algorithm: 'BCRYPT', rounds: 4 };
const SLOW: HashParameters = { algorithm: 'BCRYPT', rounds: 11 };
const SMALL_ARGON2: HashParameters = { algorithm: 'ARGON2', iterations: 1, memoryKb: 64, parallelism: 1 };

const pool = new WorkerPool({ argon2PoolSize: 1, firebasePoolSize: 1, cores: 2 });
afterAll(() => pool.close());
const hash = async (parameters: HashParameters, signal?: AbortSignal): Promise<string> =>
  pool.tasks.hashPassword(['p', parameters], { signal });
const verify = async (password: string, given: string): Promise<boolean> => pool.tasks.verifyPassword([password, given, null]);

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('nothing failed'),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

describe('the pool', () => {
  it('hashes and verifies in either lane', async () => {
    const hashes = await Promise.all([hash(CHEAP), pool.tasks.hashPassword(['p', SMALL_ARGON2, { lane: 'import' }])]);
    expect(await Promise.all(hashes.map((one) => verify('p', one)))).toEqual([true, true]);
    expect(await verify('q', hashes[0])).toBe(false);
    expect(pool.counters().import.completed).toBe(1);
  });

  it('asks no thread about what is no hash', async () => {
    const before = pool.counters().hash.completed;
    expect(await verify('p', 'no hash')).toBe(false);
    expect(pool.counters().hash.completed).toBe(before);
  });

  it('runs one argon2 operation at a time, and lets bcrypt pass it', async () => {
    const before = pool.counters().hash.completed;
    const argon2 = Array.from({ length: 6 }, () => hash(SMALL_ARGON2));
    expect(pool.counters().hash).toMatchObject({ running: 1, queued: 5 });
    const bcrypt = hash(CHEAP);
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: 5 });
    await Promise.all([...argon2, bcrypt]);
    expect(pool.counters().hash).toMatchObject({ running: 0, queued: 0, completed: before + 7 });
  });

  it('refuses what does not fit, and takes cancelled calls out', async () => {
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const { queue } = LANES.hash;
    const calls = Array.from({ length: 2 + queue }, () => failure(hash(SLOW, controller.signal)));
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: queue });
    const refused = await failure(hash(SLOW));
    expect(refused).toMatchObject({ name: 'LaneFullError', lane: 'hash' });
    controller.abort();
    expect(pool.counters().hash).toMatchObject({ running: 2, queued: 0, rejected: 1 });
    const ended = await Promise.all(calls);
    expect(ended.map((error) => error.name)).toEqual(ended.map((_, index) => (index < 2 ? 'Error' : 'AbortError')));
    expect((await failure(hash(CHEAP, AbortSignal.abort()))).name).toBe('AbortError');
  });

  it('makes pairs of keys', async () => {
    const { publicKey, privateKey } = await pool.makeKeyPair();
    expect([publicKey, privateKey].map((key) => Buffer.from(key, 'base64')[0])).toEqual([0x30, 0x30]);
  });

  it('reads uploads, whose bytes are gone then', async () => {
    const body = new Uint8Array(new TextEncoder().encode('{"users":[]}'));
    const read = await pool.readUpload(body, { roles: [], tenantIds: ['public'], hasSignerKey: false, now: 1 });
    expect(body.byteLength).toBe(0);
    expect(read).toMatchObject({ kind: 'users', count: 0, ends: new Uint32Array(0) });
  });

  it('is freed by a thread whose port closes', async () => {
    const { port1, port2 } = new MessageChannel();
    serveTasks<Passwords>(pool.tasks, port1);
    const port = new TaskPort<Passwords>(port2);
    const { hashPassword } = port.tasks('hashPassword');
    const calls = Array.from({ length: 10 + LANES.hash.queue }, () => failure(hashPassword('p', SLOW)));
    expect((await Promise.race(calls)).message).toBe('the hash lane is full');
    port.close();
    const messages = new Set((await Promise.all(calls)).map((error) => error.message));
    expect([...messages].toSorted()).toEqual(['the hash lane is full', 'the port to the main thread is closed']);
    await vi.waitFor(() => expect(pool.counters().hash.queued).toBe(0), 20_000);
  });
});
