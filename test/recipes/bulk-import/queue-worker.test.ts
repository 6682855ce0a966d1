import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { hashPassword } from '../../../src/crypto/passwords.ts';
import { LaneFullError } from '../../../src/lanes/lane-errors.ts';
import { ClaimLost, claimPiece, storeUnder } from '../../../src/recipes/bulk-import/claims.ts';
import { queueClaims, queueEntries } from '../../../src/recipes/bulk-import/records.ts';
import { ImportWorker, type WorkerDependencies } from '../../../src/recipes/bulk-import/worker.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { appNumber } from '../../numbers.ts';

const HASH = '$2a$04$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const person = (name: string, more: object = {}): object => ({
  loginMethods: [{ recipeId: 'emailpassword', email: `${name}@example.com`, passwordHash: HASH, hashingAlgorithm: 'bcrypt' }],
  ...more,
});
const DELAY_MS = 2000;
const DAY_MS = 86_400_000;

let core: InProcessCore;
let faults: unknown[];
/** What a clock says that nobody sets. */
let elapsed = 0;

const workerOf = (more: Partial<WorkerDependencies> = {}): ImportWorker => {
  const { store, directory, trail, now } = core.services;
  const onFault = (error: unknown): unknown => faults.push(error);
  const needs = { store, directory, trail, now, elapsed: () => elapsed, passwords: { hashPassword }, delayMs: DELAY_MS, onFault };
  return new ImportWorker({ ...needs, owner: randomUUID(), ...more });
};
const add = (users: readonly object[], path = ''): Promise<unknown> => core.call('POST', `${path}/bulk-import/users`, { users });
const count = async (path: string): Promise<unknown> => (await core.call('GET', path)).body['count'];
const queued = (status: string): Promise<unknown> => count(`/bulk-import/users/count?status=${status}`);
const reasons = async (): Promise<unknown[]> =>
  ((await core.call('GET', '/bulk-import/users?status=FAILED')).body['users'] as { errorMessage: string }[])
    .map((user) => user.errorMessage)
    .toSorted();

beforeEach(async () => {
  core = await openInProcessCore('5.3', ['--bulk-migration-sleep-between-rounds-in-batch-ms', '0']);
  faults = [];
});

describe('the worker', () => {
  test('takes entries when they have waited long enough, and not before', async () => {
    await add([person('a')]);
    core.clock.now += DELAY_MS - 1;
    await workerOf().runOnce();
    expect(await queued('NEW')).toBe(1);
    core.clock.now += 1;
    await workerOf().runOnce();
    expect([await queued('NEW'), await count('/users/count')]).toEqual([0, 1]);
  });

  test('imports users of several apps, with all that belongs to them, and signs them in', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1', coreConfig: {} });
    await core.call('PUT', '/recipe/role', { role: 'admin', permissions: [] });
    await add([person('a', { externalUserId: 'ext', userMetadata: { n: 1 }, userRoles: ['admin'] })]);
    const password = { recipeId: 'emailpassword', email: 'b@example.com', plainTextPassword: 'a good password 1' };
    await add([{ loginMethods: [password] }], '/appid-a1');
    core.clock.now += DELAY_MS;
    await workerOf().runOnce();
    expect((await core.call('GET', '/recipe/user/metadata?userId=ext')).body['metadata']).toEqual({ n: 1 });
    expect((await core.call('GET', '/recipe/user/roles?userId=ext')).body['roles']).toEqual(['admin']);
    const credentials = { email: 'b@example.com', password: 'a good password 1' };
    expect((await core.call('POST', '/appid-a1/recipe/signin', credentials)).body['status']).toBe('OK');
    expect(faults).toEqual([]);
  });

  test('names what stands against a user; the others of its batch are imported', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1', coreConfig: {} });
    const inTenant = {
      recipeId: 'emailpassword',
      email: 't@example.com',
      passwordHash: HASH,
      hashingAlgorithm: 'bcrypt',
      tenantIds: ['t1'],
    };
    await add([person('a'), person('A'), person('b', { externalUserId: 'x' }), { loginMethods: [inTenant] }]);
    await core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    core.clock.now += DELAY_MS;
    await workerOf().runOnce();
    expect(await count('/users/count')).toBe(2);
    expect(await reasons()).toEqual([
      'E003: A user with email a@example.com already exists in emailpassword loginMethod.',
      expect.stringMatching(/^\[Invalid tenantId: t1 for emailpassword recipe\., LoginMethod '.*' has no tenantId\]$/),
    ]);
  });

  test('leaves an app that was removed alone', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1', coreConfig: {} });
    await add([person('a')], '/appid-a1');
    await core.call('POST', '/recipe/multitenancy/app/remove', { appId: 'a1' });
    core.clock.now += DELAY_MS;
    await workerOf().runOnce();
    expect(faults).toEqual([]);
  });

  test('comes back to users whose passwords could not be hashed for want of room', async () => {
    await add([{ loginMethods: [{ recipeId: 'emailpassword', email: 'a@example.com', plainTextPassword: 'a good password 1' }] }]);
    core.clock.now += DELAY_MS;
    let full = true;
    const hash = (...given: Parameters<typeof hashPassword>): Promise<string> =>
      full ? Promise.reject(new LaneFullError('import')) : hashPassword(...given);
    const worker = workerOf({ passwords: { hashPassword: hash } });
    await worker.runOnce();
    expect([await queued('NEW'), faults.length]).toEqual([1, 1]);
    full = false;
    elapsed += 60_000;
    await worker.runOnce();
    expect([await queued('NEW'), await count('/users/count')]).toEqual([0, 1]);
  });

  test('marks the one user whom it cannot import for a reason of its own, and goes on', async () => {
    const password = (name: string, plainTextPassword: string): object => ({
      recipeId: 'emailpassword',
      email: `${name}@example.com`,
      plainTextPassword,
    });
    await add([{ loginMethods: [password('a', 'poison')] }, { loginMethods: [password('b', 'sound')] }, person('c')]);
    core.clock.now += DELAY_MS;
    const hash = (...given: Parameters<typeof hashPassword>): Promise<string> =>
      given[0] === 'poison' ? Promise.reject(new Error('broken')) : hashPassword(...given);
    await workerOf({ passwords: { hashPassword: hash } }).runOnce();
    expect([await count('/users/count'), await reasons()]).toEqual([
      2,
      ['E046: the user could not be imported because of an internal error'],
    ]);
    expect(faults).toEqual([new Error('broken')]);
  });
});

describe('several workers', () => {
  test('share a queue, and no user is imported twice', async () => {
    await add(Array.from({ length: 300 }, (_, n) => person(`u${n}`)));
    core.clock.now += DELAY_MS;
    await Promise.all([workerOf().runOnce(), workerOf().runOnce(), workerOf().runOnce()]);
    expect([await queued('NEW'), await queued('FAILED'), await count('/users/count')]).toEqual([0, 0, 300]);
    expect(await core.services.store.read((reader) => reader.count(queueClaims, undefined, { prefix: [] }))).toBe(0);
  });

  test('claim pieces that lie beside each other; those of the dead are given to others', async () => {
    await add(Array.from({ length: 10 }, (_, n) => person(`u${n}`)));
    const { store } = core.services;
    const [entry] = await store.read((reader) => reader.list(queueEntries, undefined, { prefix: [], limit: 1 }));
    const claim = async (owner: string, most: number): Promise<number | undefined> => {
      const request = { app: entry?.app ?? appNumber(0), owner, delayMs: 0, most, now: core.services.now() };
      return (await claimPiece(store, request))?.places.length;
    };
    expect([await claim('one', 4), await claim('two', 4), await claim('three', 4), await claim('four', 4)]).toEqual([4, 4, 2, undefined]);
    // Who claims again gives back what it had.
    expect(await claim('two', 9)).toBe(4);
    core.clock.now += 10_000;
    expect(await claim('four', 9)).toBe(9);
    // What the dead held when the clock was set back by a day is free at once, and what lives is not.
    core.clock.now -= DAY_MS;
    expect([await claim('five', 6), await claim('six', 9), await claim('seven', 9)]).toEqual([6, 4, undefined]);
  });
});

describe('a worker that was paused for longer than its claim', () => {
  test('imports nothing more of it', async () => {
    await add([person('a')]);
    const { store } = core.services;
    const [entry] = await store.read((reader) => reader.list(queueEntries, undefined, { prefix: [], limit: 1 }));
    const app = entry?.app ?? appNumber(0);
    const claim = (owner: string) => claimPiece(store, { app, owner, delayMs: 0, most: 1, now: core.services.now() });
    const lost = (await claim('paused'))?.claim;
    if (!lost) throw new Error('nothing could be claimed');
    const touch = (): Promise<unknown> => storeUnder(store, lost).transact(async (tx) => entry && tx.put(queueEntries, entry));
    await touch();
    core.clock.now += 10_000;
    expect((await claim('next'))?.places).toHaveLength(1);
    await expect(touch()).rejects.toThrow(ClaimLost);
    expect(faults).toEqual([]);
  });
});

describe('when the clock is set', () => {
  test('back by a day, nobody waits for that time to come once more', async () => {
    await add([person('a'), person('b')]);
    core.clock.now -= DAY_MS;
    await add([person('c')]);
    core.clock.now += DELAY_MS;
    await workerOf().runOnce();
    expect([await queued('NEW'), await count('/users/count')]).toEqual([0, 3]);
  });

  test('back by a second, entries wait for a second longer', async () => {
    await add([person('a')]);
    core.clock.now -= 1000;
    await workerOf().runOnce();
    core.clock.now += DELAY_MS;
    await workerOf().runOnce();
    expect(await queued('NEW')).toBe(1);
    core.clock.now += 1000;
    await workerOf().runOnce();
    expect(await queued('NEW')).toBe(0);
  });

  test('back or forward, an app that has to rest rests for as long as before', async () => {
    await add([{ loginMethods: [{ recipeId: 'emailpassword', email: 'a@example.com', plainTextPassword: 'a good password 1' }] }]);
    core.clock.now += DELAY_MS;
    let isFull = true;
    const hash = (...given: Parameters<typeof hashPassword>): Promise<string> =>
      isFull ? Promise.reject(new LaneFullError('import')) : hashPassword(...given);
    const worker = workerOf({ passwords: { hashPassword: hash } });
    await worker.runOnce();
    isFull = false;
    core.clock.now += DAY_MS;
    await worker.runOnce();
    expect(await queued('NEW')).toBe(1);
    core.clock.now -= 2 * DAY_MS;
    elapsed += 5000;
    await worker.runOnce();
    expect(await queued('NEW')).toBe(0);
  });
});
