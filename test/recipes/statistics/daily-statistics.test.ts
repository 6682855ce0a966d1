import { beforeEach, describe, expect, test, vi } from 'vitest';
import { DailyStatistics } from '../../../src/recipes/statistics/daily-statistics.ts';
import { dayNamed, dayOf, nameOfDay } from '../../../src/recipes/statistics/days.ts';
import { dailyStatistics } from '../../../src/recipes/statistics/records.ts';
import { NotKept, type Store } from '../../../src/store/store.ts';
import { StoreUnavailable } from '../../../src/store/unavailable.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { appNumber } from '../../numbers.ts';
import { ManagementCalls } from '../management/calls.ts';
import { byCode, wrong } from '../passwordless/calls.ts';
import { runJob } from '../run-job.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = Date.parse('2026-03-01T00:00:00Z');
const NONE = { activeUsers: 0, signIns: 0, signInFailures: 0, signUps: 0, refreshes: 0, thefts: 0 };

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
  calls.core.clock.now = MIDNIGHT - 60_000;
});

/** What the endpoint says of the two days around midnight, after all that was counted is written. */
async function bothDays(at = ''): Promise<unknown> {
  const { statistics, store } = calls.core.services;
  await statistics.flush(store);
  return (await calls.manage('GET', '/statistics?from=2026-02-28&to=2026-03-01', undefined, at))['days'];
}

describe('what is counted', () => {
  test('sign-ups, sign-ins and failures of every kind, on the day on which they happened', async () => {
    await calls.signUp('a@x', 'secret-1');
    await calls.signIn('a@x', 'secret-1');
    await calls.signIn('a@x', 'wrong');
    await calls.signIn('nobody@x', 'wrong');
    calls.core.clock.now = MIDNIGHT;
    await calls.thirdParty('g-1', 'b@x');
    await calls.thirdParty('g-1', 'b@x');
    await calls.signInWith({ email: 'c@x' });
    const made = await calls.make({ email: 'c@x' });
    await calls.consume(wrong(made));
    await calls.consume(byCode(made));
    expect(await bothDays()).toEqual([
      { day: '2026-02-28', ...NONE, activeUsers: 1, signUps: 1, signIns: 1, signInFailures: 2 },
      { day: '2026-03-01', ...NONE, activeUsers: 2, signUps: 2, signIns: 2, signInFailures: 1 },
    ]);
  });

  test('refreshes and thefts', async () => {
    const body = { userId: 'u', userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
    const refresh = (refreshToken: string) =>
      calls.ask('POST', '/recipe/session/refresh', { refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true });
    const tokenIn = (answer: { readonly body: object }): string =>
      (answer.body as { readonly refreshToken: { readonly token: string } }).refreshToken.token;
    const first = tokenIn(await calls.ask('POST', '/recipe/session', body));
    const second = tokenIn(await refresh(first));
    await refresh(second);
    expect((await refresh(first)).body).toMatchObject({ status: 'TOKEN_THEFT_DETECTED' });
    expect(await bothDays()).toEqual([
      { day: '2026-02-28', ...NONE, activeUsers: 1, refreshes: 2, thefts: 1 },
      { day: '2026-03-01', ...NONE },
    ]);
  });

  test('each active user once a day, however often and by whichever thread', async () => {
    const id = await calls.signUp('a@x', 'secret-1');
    for (let at = 0; at < 3; at += 1) {
      await calls.tryStart(id);
      await calls.signIn('a@x', 'secret-1');
    }
    // A minute later, of which nothing is written within a day, it is another day.
    calls.core.clock.now = MIDNIGHT;
    await calls.tryStart(id);
    const { ActivityRecorder } = await import('../../../src/recipes/active-users/touch.ts');
    const { store, statistics } = calls.core.services;
    const { app } = await calls.tenant();
    const otherThread = new ActivityRecorder(false, statistics, () => {});
    await otherThread.touch(store, app, id, MIDNIGHT + 1);
    const days = (await bothDays()) as readonly { readonly activeUsers: number }[];
    expect(days.map(({ activeUsers }) => activeUsers)).toEqual([1, 1]);
  });

  test('each app for itself', async () => {
    await calls.core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    await calls.signUp('a@x', 'secret-1', '/appid-other');
    expect(await bothDays()).toEqual([
      { day: '2026-02-28', ...NONE },
      { day: '2026-03-01', ...NONE },
    ]);
    const { body } = await calls.core.call('GET', '/appid-other/manage/v1/statistics?from=2026-02-28&to=2026-02-28');
    expect(body['days']).toEqual([{ day: '2026-02-28', ...NONE, activeUsers: 1, signUps: 1 }]);
  });
});

describe('what is asked for', () => {
  test.each([
    ['from=2026-02-28&to=2026-02-27', "'to' must be 0 to 399 days after 'from'"],
    ['from=2025-01-01&to=2026-02-05', "'to' must be 0 to 399 days after 'from'"],
    ['from=2026-02-30&to=2026-03-01', "'from' and 'to' must be days, YYYY-MM-DD"],
    ['from=today&to=2026-03-01', "'from' and 'to' must be days, YYYY-MM-DD"],
  ])('%s is refused', async (query, text) => {
    expect(await calls.refusal('GET', `/statistics?${query}`)).toBe(`400 ${text}`);
  });

  test('400 days at once', async () => {
    const { days } = await calls.manage('GET', '/statistics?from=2025-01-01&to=2026-02-04');
    expect(days).toHaveLength(400);
  });

  test('days have names', () => {
    expect(dayNamed('1970-01-02')).toBe(1);
    expect(nameOfDay(dayOf(MIDNIGHT - 1))).toBe('2026-02-28');
    expect(nameOfDay(dayOf(MIDNIGHT))).toBe('2026-03-01');
    expect([dayNamed('2026-02-29'), dayNamed('2024-02-29')]).toEqual([undefined, dayOf(Date.parse('2024-02-29'))]);
  });
});

describe('what is kept', () => {
  test('400 days: the job removes older ones', async () => {
    const { statistics, store } = calls.core.services;
    const app = appNumber(1);
    for (const age of [0, 399, 400, 401]) statistics.add(app, 'signIns', MIDNIGHT - age * DAY_MS);
    await statistics.flush(store);
    expect(await runJob('old-statistics', calls.core.services, MIDNIGHT, 1)).toBe(true);
    while (await runJob('old-statistics', calls.core.services, MIDNIGHT, 1));
    const kept = await store.read((reader) => reader.keys(dailyStatistics, undefined, { prefix: [], limit: 10 }));
    expect(kept.map(([, day]) => dayOf(MIDNIGHT) - day).toSorted((a, b) => a - b)).toEqual([0, 399]);
  });

  test('one small record an app and day, whatever happens', async () => {
    const { statistics, store } = calls.core.services;
    for (let at = 0; at < 10_000; at += 1) statistics.add(appNumber(1 + (at % 3)), 'refreshes', MIDNIGHT + at);
    await statistics.flush(store);
    const kept = await store.read((reader) => reader.list(dailyStatistics, undefined, { prefix: [], limit: 10 }));
    expect(kept.map(({ refreshes }) => refreshes)).toEqual([3334, 3333, 3333]);
  });

  test('what several threads count adds up', async () => {
    const { store } = calls.core.services;
    const threads = Array.from({ length: 8 }, () => new DailyStatistics());
    for (const thread of threads) for (let at = 0; at < 25; at += 1) thread.add(appNumber(1), 'signIns', MIDNIGHT);
    await Promise.all(threads.map((thread) => thread.flush(store)));
    const record = await store.read((reader) => reader.get(dailyStatistics, [appNumber(1), dayOf(MIDNIGHT)]));
    expect(record?.signIns).toBe(200);
  });

  test('counts of a store that takes no writes wait for the next time; of an unknown outcome none counts twice', async () => {
    const { store } = calls.core.services;
    const statistics = new DailyStatistics();
    const failing = (failure: Error): Store => Object.assign(Object.create(store), { transact: () => Promise.reject(failure) });
    statistics.add(appNumber(1), 'signIns', MIDNIGHT);
    await expect(statistics.flush(failing(new NotKept('full')))).rejects.toThrow('full');
    statistics.add(appNumber(1), 'signIns', MIDNIGHT);
    await statistics.flush(store);
    statistics.add(appNumber(1), 'signIns', MIDNIGHT);
    await expect(statistics.flush(failing(new StoreUnavailable('unknown')))).rejects.toThrow();
    await statistics.flush(store);
    const record = await store.read((reader) => reader.get(dailyStatistics, [appNumber(1), dayOf(MIDNIGHT)]));
    expect(record?.signIns).toBe(2);
  });

  test('is written every few seconds, and at an orderly stop', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { store } = calls.core.services;
    const statistics = new DailyStatistics();
    const faults: unknown[] = [];
    const stop = statistics.startFlushing(store, (error) => faults.push(error));
    const signIns = async (): Promise<number | undefined> =>
      (await store.read((reader) => reader.get(dailyStatistics, [appNumber(1), dayOf(MIDNIGHT)])))?.signIns;
    statistics.add(appNumber(1), 'signIns', MIDNIGHT);
    vi.advanceTimersByTime(5_000);
    vi.useRealTimers();
    await vi.waitFor(async () => expect(await signIns()).toBe(1));
    statistics.add(appNumber(1), 'signIns', MIDNIGHT);
    await stop();
    expect(await signIns()).toBe(2);
    expect(faults).toEqual([]);
  });
});
