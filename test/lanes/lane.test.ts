import { describe, expect, it } from 'vitest';
import type { LaneLimits } from '../../src/lanes/lane-limits.ts';
import type { Unruly } from './unruly.ts';

// Threads run compiled files only, so everything here comes from the build.
const built = (file: string): string => new URL(`../../dist/src/${file}.js`, import.meta.url).href;
const { Lane } = (await import(/* @vite-ignore */ built('lanes/lane'))) as typeof import('../../src/lanes/lane.ts');
const { LANES } = (await import(/* @vite-ignore */ built('lanes/lane-limits'))) as typeof import('../../src/lanes/lane-limits.ts');

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('nothing failed'),
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

describe('a lane', () => {
  /** Stands in for a task file: does what the task says. */
  const unruly: LaneLimits = { ...LANES.hash, worker: '../../test/lanes/unruly-worker', idleMs: 50 };

  it('replaces a worker that dies, and fails its task only', async () => {
    const lane = new Lane<Unruly>('hash', unruly, 1);
    for (const death of ['exit', 'throw'] as const) {
      const results = [lane.run(death, []), lane.run('echo', []), lane.run('echo', [])];
      expect((await failure(results[0] ?? Promise.resolve())).message).toBe('a worker of the hash lane died');
      expect(await Promise.all(results.slice(1))).toEqual(['echo', 'echo']);
    }
    expect(lane.counters).toEqual({ queued: 0, oldestSeconds: 0, running: 0, completed: 4, rejected: 0, died: 2 });
    await lane.close();
  });

  it('fails its tasks, and does not hang, where a worker cannot even start', async () => {
    const lane = new Lane<Unruly>('hash', { ...LANES.hash, worker: 'no-such-worker' }, 2);
    const errors = await Promise.all(Array.from({ length: 5 }, () => failure(lane.run('echo', []))));
    expect(errors.map((error) => error.message)).toEqual(Array(5).fill('a worker of the hash lane died'));
    expect(lane.counters).toMatchObject({ queued: 0, running: 0, completed: 0 });
    await lane.close();
  });

  it('lets idle threads go and starts new ones', async () => {
    const patient = new Lane<Unruly>('hash', { ...unruly, idleMs: LANES.hash.idleMs }, 1);
    expect(await patient.run('thread', [])).toBe(await patient.run('thread', []));
    await patient.close();
    const lane = new Lane<Unruly>('hash', unruly, 1);
    const first = await lane.run('thread', []);
    // Every look keeps the thread, so each comes later than the one before.
    for (let waitMs = 200; (await lane.run('thread', [])) === first; waitMs *= 2) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      expect(waitMs).toBeLessThan(LANES.hash.idleMs);
    }
    await lane.close();
  });

  it('finishes what runs when it closes, and refuses the rest', async () => {
    const lane = new Lane<Unruly>('hash', unruly, 1);
    const running = lane.run('sleep', []);
    const waiting = failure(lane.run('echo', []));
    await lane.close();
    expect(await running).toBe('sleep');
    expect((await waiting).name).toBe('LaneFullError');
    expect((await failure(lane.run('echo', []))).name).toBe('LaneFullError');
  });
});
