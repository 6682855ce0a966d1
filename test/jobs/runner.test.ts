import { describe, expect, it, vi } from 'vitest';
import { JobRunner } from '../../src/jobs/runner.ts';
import type { Job } from '../../src/recipes/recipe.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

const HOUR = 3_600_000;
/** What is waited for comes soon; a machine under load may take as long as this. */
const PATIENCE = { timeout: 20_000, interval: 5 };

/** A process of the cluster whose clock the test sets. */
function processOn(store: Store, holder: string, clock: { now: number }, job: Job<undefined>) {
  const faults: string[] = [];
  const runner = new JobRunner([job], {
    store,
    services: undefined,
    now: () => clock.now,
    randomUnit: () => 0,
    holder,
    onFault: (name, error) => faults.push(`${name}: ${String(error)}`),
  });
  return { runner, faults };
}

const counting = (runs: string[], name = 'sweep', batches = 1): Job<undefined> => {
  let left = batches;
  return {
    name,
    everyMs: HOUR,
    run: async (_services, limit) => {
      runs.push(`${limit}`);
      left -= 1;
      if (left > 0) return true;
      left = batches;
      return false;
    },
  };
};

/** A process in whose store a job is due. */
async function whereDue(job: Job<undefined>) {
  const store = await openStore({ engine: 'memory' });
  const clock = { now: 0 };
  const { runner } = processOn(store, 'a', clock, job);
  await runner.tick(job);
  clock.now += HOUR;
  return { store, clock, runner };
}

describe('periodic work', () => {
  it('runs first after one interval, then once per interval', async () => {
    const store = await openStore({ engine: 'memory' });
    const clock = { now: 1_000_000 };
    const runs: string[] = [];
    const job = counting(runs);
    const { runner } = processOn(store, 'a', clock, job);
    expect(await runner.tick(job)).toBe(HOUR);
    expect(runs).toHaveLength(0);
    clock.now += HOUR - 1;
    expect(await runner.tick(job)).toBe(1);
    clock.now += 1;
    expect(await runner.tick(job)).toBe(HOUR);
    expect(runs).toHaveLength(1);
    expect(await runner.tick(job)).toBe(HOUR);
    expect(runs).toHaveLength(1);
    await store.close();
  });

  it('runs batch after batch until nothing is left', async () => {
    const runs: string[] = [];
    const job = counting(runs, 'sweep', 3);
    const { store, runner } = await whereDue(job);
    await runner.tick(job);
    expect(runs).toHaveLength(3);
    await store.close();
  });

  it('rests after each batch for as long as it took, and makes long ones smaller', async () => {
    const batches: { limit: number; begun: number; ended: number }[] = [];
    const slow: Job<undefined> = {
      name: 'sweep',
      everyMs: HOUR,
      run: async (_services, limit) => {
        const begun = performance.now();
        await new Promise((resolve) => setTimeout(resolve, limit));
        batches.push({ limit, begun, ended: performance.now() });
        return batches.length < 3;
      },
    };
    const { store, runner } = await whereDue(slow);
    await runner.tick(slow);
    const [first, second, third] = batches;
    if (!first || !second || !third) throw new Error('not all batches ran');
    expect(second.begun - first.ended).toBeGreaterThanOrEqual(first.ended - first.begun - 2);
    expect(third.begun - second.ended).toBeGreaterThanOrEqual(second.ended - second.begun - 2);
    // A millisecond a piece: batches of twenty would do, and timers only ever come late.
    expect(first.limit).toBe(100);
    expect(second.limit).toBeLessThanOrEqual(20);
    await store.close();
  });

  it('runs in one process of a cluster only', async () => {
    const store = await openStore({ engine: 'memory' });
    const clock = { now: 0 };
    const runs: string[] = [];
    let finish = (): void => {};
    const slow: Job<undefined> = {
      name: 'sweep',
      everyMs: HOUR,
      run: async () => {
        runs.push('run');
        await new Promise<void>((resolve) => {
          finish = resolve;
        });
        return false;
      },
    };
    const first = processOn(store, 'a', clock, slow);
    const second = processOn(store, 'b', clock, slow);
    await first.runner.tick(slow);
    clock.now += HOUR;
    const running = first.runner.tick(slow);
    await vi.waitFor(() => expect(runs).toHaveLength(1), PATIENCE);
    expect(await second.runner.tick(slow)).toBe(60_000);
    finish();
    await running;
    expect(await second.runner.tick(slow)).toBe(HOUR);
    expect(runs).toHaveLength(1);
    await store.close();
  });

  it('is taken over from a process that died in the middle', async () => {
    const store = await openStore({ engine: 'memory' });
    const clock = { now: 0 };
    const runs: string[] = [];
    let isStuck = false;
    const stuck: Job<undefined> = { name: 'sweep', everyMs: HOUR, run: () => new Promise<boolean>(() => (isStuck = true)) };
    const dead = processOn(store, 'a', clock, stuck);
    await dead.runner.tick(stuck);
    clock.now += HOUR;
    void dead.runner.tick(stuck);
    await vi.waitFor(() => expect(isStuck).toBe(true), PATIENCE);
    clock.now += 60_001;
    const job = counting(runs);
    await processOn(store, 'b', clock, job).runner.tick(job);
    expect(runs).toHaveLength(1);
    await store.close();
  });

  it('is not kept waiting by a lease from before the clock was set back', async () => {
    const store = await openStore({ engine: 'memory' });
    const clock = { now: 100 * HOUR };
    const runs: string[] = [];
    let isStuck = false;
    const stuck: Job<undefined> = { name: 'sweep', everyMs: HOUR, run: () => new Promise<boolean>(() => (isStuck = true)) };
    const dead = processOn(store, 'a', clock, stuck);
    await dead.runner.tick(stuck);
    clock.now += HOUR;
    void dead.runner.tick(stuck);
    await vi.waitFor(() => expect(isStuck).toBe(true), PATIENCE);
    clock.now -= 24 * HOUR;
    const job = counting(runs);
    const { runner } = processOn(store, 'b', clock, job);
    expect(await runner.tick(job)).toBe(HOUR);
    expect(runs).toHaveLength(1);
    // That it ran in a time to come does not keep it from running either.
    clock.now -= 24 * HOUR;
    await runner.tick(job);
    expect(runs).toHaveLength(2);
    expect(await runner.tick(job)).toBe(HOUR);
    await store.close();
  });

  it('is tried again after its interval when it failed', async () => {
    let fail = true;
    const runs: string[] = [];
    const job: Job<undefined> = {
      name: 'sweep',
      everyMs: HOUR,
      run: async () => {
        if (fail) throw new Error('disk full');
        runs.push('run');
        return false;
      },
    };
    const { store, clock, runner } = await whereDue(job);
    await expect(runner.tick(job)).rejects.toThrow('disk full');
    fail = false;
    expect(await runner.tick(job)).toBe(HOUR);
    clock.now += HOUR;
    await runner.tick(job);
    expect(runs).toHaveLength(1);
    await store.close();
  });

  it('begins no batch once it is told to stop', async () => {
    let batches = 0;
    const endless: Job<undefined> = {
      name: 'sweep',
      everyMs: HOUR,
      run: async () => {
        batches += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
        return true;
      },
    };
    const { store, runner } = await whereDue(endless);
    const running = runner.tick(endless);
    // The first has ended, and the rest after it has not.
    await new Promise((resolve) => setTimeout(resolve, 75));
    const before = batches;
    await runner.stop();
    await running;
    expect(batches).toBe(before);
    await store.close();
  });

  it('reports failures, goes on by itself and stops when told', async () => {
    const store = await openStore({ engine: 'memory' });
    const clock = { now: 0 };
    const job: Job<undefined> = { name: 'often', everyMs: 1, run: () => Promise.reject(new Error('disk full')) };
    const { runner, faults } = processOn(store, 'a', clock, job);
    await runner.tick(job);
    clock.now += 10;
    runner.start();
    await vi.waitFor(() => expect(faults).toEqual(['often: Error: disk full']), PATIENCE);
    clock.now += 10;
    await vi.waitFor(() => expect(faults).toHaveLength(2), PATIENCE);
    await runner.stop();
    clock.now += 10;
    // Longer than it took to come back.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(faults).toHaveLength(2);
    await store.close();
  });
});
