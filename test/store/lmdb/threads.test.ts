import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import type { StoreStats } from '../../../src/store/store.ts';
import { counters, halves, openStore } from '../built-store.mjs';
import { openForTest, temporaryFolder } from '../engines.ts';

const CONTENDER = fileURLToPath(new URL('contender.mjs', import.meta.url));

type Order = { readonly path: string } & (
  | { readonly act: 'raise'; readonly name: string; readonly times: number; readonly atOnce: number }
  | { readonly act: 'fill'; readonly run: string; readonly count: number; readonly atOnce: number; readonly bytes: number }
  | { readonly act: 'vanish'; readonly name: string; readonly afterMs: number }
  | { readonly act: 'echo'; readonly name: string; readonly answer: string; readonly times: number }
);

interface Answer {
  readonly stats?: StoreStats;
  readonly error?: string;
}

/** Runs an order to its end; `send` gives it to a thread or process of its own. */
function obeyed(contender: {
  once(event: 'message', listener: (answer: Answer) => void): unknown;
  once(event: 'error', listener: (error: Error) => void): unknown;
}): Promise<StoreStats> {
  return new Promise((resolve, reject) => {
    contender.once('error', reject);
    contender.once('message', ({ stats, error }: Answer) => (stats ? resolve(stats) : reject(new Error(error))));
  });
}

function inThread(order: Order): Promise<StoreStats> {
  const worker = new Worker(CONTENDER);
  worker.postMessage(order);
  return obeyed(worker);
}

function inProcess(order: Order): Promise<StoreStats> {
  const child = fork(CONTENDER, { execArgv: [] });
  child.send(order);
  return obeyed(child);
}

describe('one folder, several threads and processes', () => {
  test('64 conflicting transactions at a time from two threads: none is lost, none starves', async () => {
    const path = temporaryFolder();
    const stats = await Promise.all([1, 2].map(() => inThread({ act: 'raise', path, name: 'hot', times: 640, atOnce: 32 })));
    const store = await openForTest({ engine: 'lmdb', path });
    expect((await store.read((r) => r.get(counters, ['hot'])))?.value).toBe(1280);
    expect(stats.map((one) => one.commits)).toEqual([640, 640]);
  });

  test('the same from three processes', async () => {
    const path = temporaryFolder();
    await Promise.all([1, 2, 3].map(() => inProcess({ act: 'raise', path, name: 'hot', times: 200, atOnce: 16 })));
    const store = await openForTest({ engine: 'lmdb', path });
    expect((await store.read((r) => r.get(counters, ['hot'])))?.value).toBe(600);
  });

  test('threads see what another acknowledged at once', async () => {
    const path = temporaryFolder();
    const store = await openStore({ engine: 'lmdb', path });
    const echo = inThread({ act: 'echo', path, name: 'asked', answer: 'answered', times: 50 });
    for (let number = 1; number <= 50; number++) {
      await store.transact((tx) => tx.put(counters, { name: 'asked', value: number }));
      const until = Date.now() + 20_000;
      while ((store.read((r) => r.get(counters, ['answered'])) as { value: number } | undefined)?.value !== number) {
        if (Date.now() > until) throw new Error(`number ${number} was not seen`);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    await echo;
    await store.close();
  });

  test('a thread that ends in the middle of its commits holds up nobody', async () => {
    const path = temporaryFolder();
    const store = await openForTest({ engine: 'lmdb', path });
    for (let round = 0; round < 4; round++) {
      const thread = new Worker(CONTENDER);
      const state = { ended: false };
      const exit = once(thread, 'exit').then(() => {
        state.ended = true;
      });
      thread.postMessage({ path, act: 'vanish', name: 'theirs', afterMs: 15 + round * 10 } satisfies Order);
      while (!state.ended) await store.transact((tx) => tx.put(counters, { name: 'ours', value: performance.now() }));
      await exit;
      await store.transact((tx) => tx.put(counters, { name: 'ours', value: round }));
    }
    expect((await store.read((r) => r.get(counters, ['ours'])))?.value).toBe(3);
  });

  test('the database grows while threads and a process write and another reads', async () => {
    const path = temporaryFolder();
    const reader = await openStore({ engine: 'lmdb', path });
    const fill = (run: string): Order => ({ act: 'fill', path, run, count: 400, atOnce: 20, bytes: 12_000 });
    const progress = { writing: true };
    const written = Promise.all([inThread(fill('a')), inThread(fill('b')), inProcess(fill('c'))]).finally(() => {
      progress.writing = false;
    });
    while (progress.writing) {
      const some = await reader.read((r) => r.list(halves, undefined, { prefix: ['a'], limit: 40, reverse: true }));
      expect(some.length % 2).toBe(0);
      expect(some.every((half) => half.filler.length === 12_000)).toBe(true);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await written;
    expect(statSync(join(path, 'data.mdb')).size).toBeGreaterThan(25_000_000);
    for (const run of ['a', 'b', 'c']) {
      expect(await reader.read((r) => r.keys(halves, undefined, { prefix: [run], limit: 9999 }))).toHaveLength(800);
      expect(await reader.read((r) => r.keys(halves, 'bySide', { prefix: ['left', run], limit: 9999 }))).toHaveLength(400);
    }
    await reader.close();
  });
});

describe('a folder that cannot be used', () => {
  test('is named in one sentence', async () => {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, '');
    await expect(openStore({ engine: 'lmdb', path: file })).rejects.toThrow(`The data folder ${file} cannot be used: `);
    await expect(openStore({ engine: 'lmdb', path: join(file, 'inside') })).rejects.toThrow(
      `The data folder ${join(file, 'inside')} cannot be used: `,
    );
  });

  test('because its files are not a database, is left as it is', async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, 'data.mdb'), 'not a database'.repeat(1000));
    await expect(openStore({ engine: 'lmdb', path })).rejects.toThrow(`The data folder ${path} cannot be used: `);
  });

  test('one that is missing is made, whatever its name', async () => {
    const path = join(temporaryFolder(), 'deep', 'data.v1');
    await openForTest({ engine: 'lmdb', path });
    expect(existsSync(join(path, 'data.mdb'))).toBe(true);
  });
});
