import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';
import { describe, expect, it, vi } from 'vitest';
import { LaneFullError } from '../../src/lanes/lane-errors.ts';
import { serveTasks, TaskPort } from '../../src/lanes/port.ts';
import type { Served } from '../../src/lanes/tasks.ts';

/** Tasks of all kinds. */
interface Table {
  add(a: number, b?: number): Promise<number>;
  /** Answers the bytes in capitals. */
  shout(bytes: Uint8Array<ArrayBuffer>, mark: string): Promise<{ readonly bytes: Uint8Array; readonly count: number }>;
  nothing(): Promise<undefined>;
  /** Never does anything. */
  wait(): Promise<never>;
  full(): Promise<never>;
  lost(): Promise<never>;
}

const lost = Object.assign(new Error('who knows'), { name: 'StoreUnavailable', outcome: 'unknown', secret: 1 });

function open() {
  let aborted = 0;
  const served: Served<Table> = {
    add: ([a, b = 1]) => a + b,
    shout: async ([bytes, mark]) => {
      const text = `${Buffer.from(bytes).toString().toUpperCase()}${mark}`;
      return { bytes: new Uint8Array(new TextEncoder().encode(text)), count: text.length };
    },
    nothing: () => undefined,
    wait: (_asked, asking) => {
      asking?.signal?.addEventListener('abort', () => (aborted += 1));
      return new Promise(() => {});
    },
    full: () => Promise.reject(new LaneFullError('xml')),
    lost: () => Promise.reject(lost),
  };
  const { port1, port2 } = new MessageChannel();
  serveTasks<Table>(served, port1);
  return { ours: port1, theirs: port2, aborted: () => aborted };
}

function connect() {
  const { theirs, aborted } = open();
  const port = new TaskPort<Table>(theirs);
  return { port, tasks: port.tasks('add', 'shout', 'nothing', 'wait', 'full', 'lost'), aborted };
}

describe('the port', () => {
  it('carries every call to its task, and each answer to who asked', async () => {
    const { port, tasks } = connect();
    const sums = Array.from({ length: 50 }, (_, n) => tasks.add(n, n));
    expect(await Promise.all([tasks.add(1), tasks.nothing(), ...sums])).toEqual([2, undefined, ...sums.map((_, n) => 2 * n)]);
    port.close();
  });

  it('gives bytes away, and brings those of the answer back', async () => {
    const { port, tasks } = connect();
    const bytes = new Uint8Array(new TextEncoder().encode('body'));
    const answer = await tasks.shout(bytes, '!');
    expect(bytes.byteLength).toBe(0);
    expect(answer.count).toBe(5);
    expect(Buffer.from(answer.bytes).toString()).toBe('BODY!');
    port.close();
  });

  it('revives the refusal of a full lane, and of other errors what they say of themselves', async () => {
    const { port, tasks } = connect();
    await expect(tasks.full()).rejects.toSatisfy((error) => error instanceof LaneFullError && error.lane === 'xml');
    const error = await tasks.lost().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreUnavailable', message: 'who knows', outcome: 'unknown' });
    expect(error).not.toHaveProperty('secret');
    port.close();
  });

  it('rejects what is under way when it closes, and tells those who do it', async () => {
    const { port, tasks, aborted } = connect();
    const calls = Array.from({ length: 20 }, () => tasks.wait().catch((error: Error) => error.message));
    // The answer to a later call: those before have arrived.
    await tasks.add(1);
    port.close();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['the port to the main thread is closed']));
    await vi.waitFor(() => expect(aborted()).toBe(20), 20_000);
    await expect(tasks.add(1)).rejects.toThrow('the port to the main thread is closed');
  });

  it('serves other threads, and notices when main closes', async () => {
    const { ours, theirs } = open();
    const module = new URL('../../dist/src/lanes/port.js', import.meta.url).href;
    const thread = new Worker(new URL('port-thread.js', import.meta.url), { workerData: { port: theirs, module }, transferList: [theirs] });
    expect(await once(thread, 'message')).toEqual([Array.from({ length: 20 }, (_, n) => n + 1)]);
    const closed = once(thread, 'message');
    ours.close();
    expect(await closed).toEqual(['the port to the main thread is closed']);
    await thread.terminate();
  });
});
