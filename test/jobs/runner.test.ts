import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { JobRunner, leases } from '../../src/jobs/runner.ts';
import type { Job } from '../../src/recipes/recipe.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { StorePlan } from '../../src/store/plan.ts';
import type { Store } from '../../src/store/store.ts';
import { people, person } from '../store/people.ts';

const HOUR = 3_600_000;
/** What is waited for comes soon; a machine under load may take as long as this. */
const PATIENCE = { timeout: 20_000, interval: 5 };

/** A process of the cluster whose clock the test sets. */
function processOn(store: Store, holder: string, clock: { now: number }, job: Job<undefined>) {
  const faults: string[] = [];
  const runner = new JobRunner([job], {
    store,
    services: () => undefined,
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
  it('does not even take its lease where it has no work', async () => {
    const runs: string[] = [];
    let hasWork = false;
    const job = { ...counting(runs), hasWork: () => hasWork };
    const { store, clock, runner } = await whereDue({ ...job, hasWork: () => true });
    const { commits } = store.stats();
    expect(await runner.tick(job)).toBe(HOUR);
    expect([runs.length, store.stats().commits]).toEqual([0, commits]);
    hasWork = true;
    clock.now += 1;
    expect(await runner.tick(job)).toBe(HOUR);
    expect(runs).toHaveLength(1);
    await store.close();
  });

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

const url = inject('postgresUrl');
const PLANS: readonly StorePlan[] = [
  { engine: 'memory' },
  ...(url === undefined
    ? []
    : [
        {
          engine: 'postgres',
          url,
          password: undefined,
          schema: `jobs_${process.pid}`,
          connections: 4,
          prepared: true,
          timeoutMs: 5_000,
        } as const,
      ]),
];

describe.each(PLANS)('a process that was paused for longer than its lease, on $engine', (plan) => {
  it('keeps nothing of what it did on, and takes the job from nobody', async () => {
    const store = await openStore(plan);
    onTestFinished(() => store.close());
    const faults: unknown[] = [];
    const processOf = (holder: string): JobRunner<Store> =>
      new JobRunner<Store>([], {
        store,
        services: (fenced) => fenced,
        now: Date.now,
        randomUnit: () => 0,
        holder,
        onFault: (_, error) => faults.push(error),
      });
    const put = (record: Parameters<typeof leases.key>[0]): Promise<unknown> => store.transact((tx) => tx.put(leases, record));
    const write = (fenced: Store, id: string): Promise<unknown> => fenced.transact((tx) => tx.put(people, person(id)));
    const kept = (id: string): unknown => store.read((reader) => reader.get(people, people.key(person(id))));
    let goOn = (): void => {};
    const pause = new Promise<void>((resolve) => (goOn = resolve));
    let paused = (): void => {};
    const hasPaused = new Promise<void>((resolve) => (paused = resolve));
    const job = (run: (fenced: Store) => Promise<unknown>): Job<Store> => ({
      name: 'sweep',
      everyMs: HOUR,
      run: async (fenced) => {
        await run(fenced);
        return false;
      },
    });
    await put({ job: 'sweep', holder: '', heldUntil: 0, ranAt: 0 });
    const slow = processOf('slow').tick(
      job(async (fenced) => {
        await write(fenced, 'before');
        paused();
        await pause;
        await write(fenced, 'late');
      }),
    );
    await hasPaused;
    // Its lease ends; only the clock that all share tells so.
    await put({ job: 'sweep', holder: 'slow', heldUntil: 1, ranAt: 0 });
    await processOf('next').tick(
      job(async (fenced) => {
        await write(fenced, 'next');
        goOn();
        // It is refused although the other is at work yet.
        await slow;
        await write(fenced, 'after');
      }),
    );
    const found = await Promise.all(['before', 'next', 'late', 'after'].map(kept));
    expect(found.map((one) => one !== undefined)).toEqual([true, true, false, true]);
    expect(faults).toEqual([]);
  });
});
