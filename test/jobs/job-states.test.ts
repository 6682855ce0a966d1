import { beforeEach, expect, test } from 'vitest';
import { readJobs, scheduleOf } from '../../src/jobs/job-states.ts';
import { JobRunner, leases } from '../../src/jobs/runner.ts';
import type { JobState } from '../../src/recipes/overview.ts';
import { HOUR_MS, type Job } from '../../src/recipes/recipe.ts';
import type { Store } from '../../src/store/store.ts';
import { openForTest } from '../store/engines.ts';

const NAME = 'expired-sessions';
const EVERY_MS = 12 * HOUR_MS;
const START = Date.UTC(2026, 10, 22);
const SCHEDULE = scheduleOf(undefined);

let store: Store;
let clock: { now: number };

beforeEach(async () => {
  store = await openForTest({ engine: 'memory' });
  clock = { now: START };
});

const read = (schedule = SCHEDULE): Promise<readonly JobState[]> => store.read((reader) => readJobs(reader, schedule, clock.now));

/** A process that runs a job of this name; what its run does is the test's. */
function processWith(run: () => Promise<boolean>, name = NAME) {
  const job: Job<undefined> = { name, everyMs: EVERY_MS, run };
  const needs = { store, services: () => undefined, now: () => clock.now, randomUnit: () => 0, holder: 'a', onFault: () => {} };
  const runner = new JobRunner([job], needs);
  return { tick: () => runner.tick(job) };
}

test('what has not run, runs, has run, and when it will again', async () => {
  let end: (isMore: boolean) => void = () => {};
  let begun: () => void = () => {};
  const hasBegun = new Promise<void>((resolve) => (begun = resolve));
  const { tick } = processWith(() => {
    begun();
    return new Promise((resolve) => (end = resolve));
  });
  await tick();
  const dueAt = START + EVERY_MS;
  expect(await read()).toEqual([{ name: NAME, state: 'waiting', nextAt: dueAt }]);
  clock.now = dueAt;
  const running = tick();
  await hasBegun;
  expect(await read()).toEqual([{ name: NAME, state: 'running', startedAt: dueAt }]);
  clock.now += 500;
  end(false);
  await running;
  expect(await read()).toEqual([{ name: NAME, state: 'done', startedAt: dueAt, endedAt: dueAt + 500, nextAt: dueAt + 500 + EVERY_MS }]);
});

test('one that failed, with the kind of its fault and nothing of its text, until it runs well', async () => {
  let fault: Error | undefined = Object.assign(new TypeError('postgres://user:secret@host'), { code: 'ENOSPC' });
  const { tick } = processWith(async () => {
    if (fault) throw fault;
    return false;
  });
  await tick();
  clock.now += EVERY_MS;
  await expect(tick()).rejects.toThrow('secret');
  const [failed] = await read();
  expect(failed).toMatchObject({ state: 'failed', fault: 'TypeError ENOSPC', endedAt: clock.now });
  fault = undefined;
  clock.now += EVERY_MS;
  await tick();
  expect(await read()).toMatchObject([{ state: 'done' }]);
  expect((await read())[0]).not.toHaveProperty('fault');
});

test('one whose process ended meanwhile', async () => {
  const put = (heldUntil: number) =>
    store.transact((tx) => tx.put(leases, { job: NAME, holder: 'gone', heldUntil, ranAt: START - EVERY_MS, startedAt: START }));
  await put(START + 1);
  expect(await read()).toMatchObject([{ state: 'running' }]);
  await put(START);
  expect(await read()).toEqual([{ name: NAME, state: 'cut-off', startedAt: START, nextAt: START }]);
});

test('jobs that run whenever they have work are due at no time; backups are where they are asked for; others are unknown', async () => {
  const put = (job: string) => store.transact((tx) => tx.put(leases, { job, holder: '', heldUntil: 0, ranAt: START, startedAt: START }));
  for (const job of ['seal-audit', 'backup', 'of-another-version']) await put(job);
  const done = { state: 'done', startedAt: START, endedAt: START };
  expect(await read()).toEqual([
    { name: 'backup', ...done },
    { name: 'seal-audit', ...done },
  ]);
  const scheduled = await read(scheduleOf(6 * HOUR_MS));
  expect(scheduled[0]).toEqual({ name: 'backup', ...done, nextAt: START + 6 * HOUR_MS });
});
