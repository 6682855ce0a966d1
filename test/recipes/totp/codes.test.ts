import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { totpAttempts } from '../../../src/recipes/totp/records.ts';
import { removeExpiredAttempts } from '../../../src/recipes/totp/expiry.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { PERIOD, type TotpAnswer, totpCalls } from './calls.ts';
import { appNumber } from '../../numbers.ts';

const COOLDOWN_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LIFE_MS = 3 * PERIOD * 1000;

let core: InProcessCore;
let calls: ReturnType<typeof totpCalls>;
let count = 0;
let user = '';

beforeAll(async () => {
  core = await openInProcessCore('5.4');
  calls = totpCalls(core);
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
});
beforeEach(() => {
  user = `user-${(count += 1)}`;
});

const OK = { status: 'OK' };
const invalid = (current: number) => ({
  status: 'INVALID_TOTP_ERROR',
  currentNumberOfFailedAttempts: current,
  maxNumberOfFailedAttempts: 5,
});
const limited = (retryAfterMs: number) => ({
  status: 'LIMIT_REACHED_ERROR',
  retryAfterMs,
  currentNumberOfFailedAttempts: 5,
  maxNumberOfFailedAttempts: 5,
});
const statusOf = (answer: TotpAnswer): string => (typeof answer === 'string' ? answer : answer.status);
const kept = (userId: string) =>
  core.services.store.read((reader) => reader.list(totpAttempts, undefined, { prefix: [appNumber(1), userId], limit: 2 }));

describe('codes', () => {
  test('of any verified device are right, of others not, and of nobody unknown', async () => {
    const one = await calls.addVerified(user, 'one');
    const other = await calls.addVerified(user, 'other');
    const unproven = await calls.add(user, 'unproven');
    expect(await calls.verify(user, calls.code(other))).toEqual(OK);
    expect(await calls.verify(user, calls.code(one))).toEqual(OK);
    expect(await calls.verify(user, calls.code(unproven))).toEqual(invalid(1));
    expect(await calls.verify('nobody', calls.code(one))).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect(await kept('nobody')).toEqual([]);
  });

  test('with unverified devices only are wrong, and count', async () => {
    const secret = await calls.add(user, 'd');
    expect(await calls.verify(user, calls.code(secret))).toEqual(invalid(1));
    expect(await calls.verify(user, '')).toEqual(invalid(2));
    expect(await kept(user)).toMatchObject([{ failures: [core.clock.now, core.clock.now], uses: [] }]);
  });

  test('are good once until they expire, however many devices make them', async () => {
    const secret = await calls.addVerified(user, 'd');
    await calls.post('/device/import', { userId: user, deviceName: 'twin', secretKey: secret, skew: 1, period: PERIOD });
    const code = calls.code(secret);
    expect(await calls.verify(user, code)).toEqual(OK);
    expect(await calls.verify(user, code)).toEqual(invalid(1));
    core.clock.now += 1000;
    expect(await calls.verify(user, code)).toEqual(invalid(2));
  });

  test('that were tried too early are right later', async () => {
    const secret = await calls.addVerified(user, 'd', { skew: 1 });
    const later = calls.code(secret, 2);
    expect(await calls.verify(user, later)).toEqual(invalid(1));
    core.clock.now += PERIOD * 1000;
    expect(await calls.verify(user, later)).toEqual(OK);
  });

  test('that proved a device are used, and wrong ones count for both', async () => {
    const secret = await calls.add(user, 'd');
    expect(await calls.prove(user, 'd', calls.wrong(secret))).toEqual(invalid(1));
    expect(await calls.verify(user, calls.wrong(secret))).toEqual(invalid(2));
    expect(await calls.prove(user, 'd', calls.code(secret))).toEqual({ ...OK, wasAlreadyVerified: false });
    expect(await calls.verify(user, calls.code(secret))).toEqual(invalid(1));
    expect(await calls.prove(user, 'd', 'anything')).toEqual({ ...OK, wasAlreadyVerified: true });
    expect(await calls.prove(user, 'none', '1')).toEqual({ status: 'UNKNOWN_DEVICE_ERROR' });
    expect(await calls.prove('nobody', 'd', '1')).toEqual({ status: 'UNKNOWN_DEVICE_ERROR' });
  });

  test('cannot be made from a secret without a byte', async () => {
    await calls.post('/device/import', { userId: user, deviceName: 'd', secretKey: '-- --', skew: 1, period: PERIOD });
    expect(await calls.verify(user, '000000')).toEqual(invalid(1));
  });

  test('are kept only where they were right', async () => {
    const secret = await calls.addVerified(user, 'd');
    await calls.verify(user, calls.wrong(secret));
    const expiresAt = core.clock.now + LIFE_MS;
    const uses = [{ code: calls.code(secret, -1), expiresAt }];
    expect(await kept(user)).toEqual([{ app: 1, userId: user, failures: [core.clock.now], uses, cleanAfter: expiresAt + DAY_MS }]);
  });
});

describe('the limit', () => {
  test('is reached after five failures, refuses right codes, is not prolonged and ends', async () => {
    const secret = await calls.addVerified(user, 'd');
    const wrong = calls.wrong(secret);
    for (let failed = 1; failed <= 5; failed++) {
      core.clock.now += 1000;
      expect(await calls.verify(user, wrong)).toEqual(invalid(failed));
    }
    expect(await calls.verify(user, wrong)).toEqual(limited(COOLDOWN_MS));
    core.clock.now += 1000;
    expect(await calls.verify(user, calls.code(secret))).toEqual(limited(COOLDOWN_MS - 1000));
    expect(await calls.verify(user, 'far too long')).toEqual(limited(COOLDOWN_MS - 1000));
    core.clock.now += COOLDOWN_MS - 1001;
    expect(await calls.verify(user, wrong)).toEqual(limited(1));
    core.clock.now += 1;
    expect(await calls.verify(user, wrong)).toEqual(invalid(1));
    // The failures before this one are older than a cool-down, so they count no more.
    expect(await calls.verify(user, wrong)).toEqual(invalid(2));
    expect(await calls.verify(user, calls.code(secret))).toEqual(OK);
    expect(await calls.verify(user, wrong)).toEqual(invalid(1));
  });

  test('is not reached by codes that are too long', async () => {
    const secret = await calls.addVerified(user, 'd');
    const before = await kept(user);
    for (let i = 0; i < 8; i++) expect(await calls.verify(user, '123456789')).toEqual(invalid(1));
    expect(await kept(user)).toEqual(before);
    expect(await calls.verify(user, calls.code(secret))).toEqual(OK);
    expect(await calls.verify(user, '12345678')).toEqual(invalid(1));
  });

  test("follows the tenant's configuration at once, and reads old failures by it", async () => {
    const configure = (coreConfig: object) => core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'strict', coreConfig });
    await configure({ totp_max_attempts: 2, totp_rate_limit_cooldown_sec: 10 });
    const secret = await calls.addVerified(user, 'd');
    const attempt = () => calls.verify(user, calls.wrong(secret), '/strict');
    expect(await attempt()).toMatchObject({ status: 'INVALID_TOTP_ERROR', maxNumberOfFailedAttempts: 2 });
    expect(await attempt()).toMatchObject({ currentNumberOfFailedAttempts: 2 });
    expect(await attempt()).toMatchObject({ status: 'LIMIT_REACHED_ERROR', retryAfterMs: 9999 + 1 });
    await configure({ totp_max_attempts: 3 });
    expect(await attempt()).toMatchObject({ status: 'INVALID_TOTP_ERROR', currentNumberOfFailedAttempts: 3 });
    await configure({ totp_max_attempts: 1, totp_rate_limit_cooldown_sec: 1 });
    expect(await attempt()).toMatchObject({ status: 'LIMIT_REACHED_ERROR', currentNumberOfFailedAttempts: 1 });
    core.clock.now += 1002;
    expect(await attempt()).toMatchObject({ status: 'INVALID_TOTP_ERROR', currentNumberOfFailedAttempts: 1 });
  });

  test('is told without numbers before 5.0', async () => {
    const secret = await calls.add(user, 'd');
    const prove = (cdi: string) => calls.post('/device/verify', { userId: user, deviceName: 'd', totp: calls.wrong(secret) }, { cdi });
    expect(await prove('4.0')).toEqual({ status: 'INVALID_TOTP_ERROR' });
    expect(await prove('5.0')).toEqual(invalid(2));
    for (let i = 0; i < 3; i++) await prove('2.19');
    expect(await prove('4.0')).toEqual({ status: 'LIMIT_REACHED_ERROR', retryAfterMs: COOLDOWN_MS });
  });

  test('holds for a cool-down from then when the clock is set back by a day, and no longer', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let i = 0; i < 5; i++) await calls.verify(user, calls.wrong(secret));
    core.clock.now -= DAY_MS;
    expect(await calls.verify(user, calls.code(secret))).toEqual(limited(COOLDOWN_MS));
    core.clock.now += COOLDOWN_MS - 1;
    expect(await calls.verify(user, calls.code(secret))).toEqual(limited(1));
    core.clock.now += 1;
    expect(await calls.verify(user, calls.wrong(secret))).toEqual(invalid(1));
    core.clock.now += DAY_MS;
  });

  test('is over when the clock jumps a day ahead', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let i = 0; i < 5; i++) await calls.verify(user, calls.wrong(secret));
    core.clock.now += DAY_MS;
    expect(await calls.verify(user, calls.code(secret))).toEqual(OK);
    core.clock.now -= DAY_MS;
    expect(await calls.verify(user, calls.wrong(secret))).toEqual(invalid(1));
  });
});

describe('at once', () => {
  const twenty = <T>(act: (at: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 20 }, (_, at) => act(at)));

  test('of twenty uses of one code, one is right, and all are told apart', async () => {
    const secret = await calls.addVerified(user, 'd');
    const answers = (await twenty(() => calls.verify(user, calls.code(secret)))).map(statusOf);
    expect(answers.filter((status) => status === 'OK')).toHaveLength(1);
    expect(answers.filter((status) => status === 'INVALID_TOTP_ERROR')).toHaveLength(5);
    expect(answers.filter((status) => status === 'LIMIT_REACHED_ERROR')).toHaveLength(14);
  });

  test('of twenty wrong codes, five are looked at', async () => {
    const secret = await calls.addVerified(user, 'd');
    const answers = await twenty(() => calls.verify(user, calls.wrong(secret)));
    const looked = answers.filter((answer) => statusOf(answer) === 'INVALID_TOTP_ERROR');
    expect(looked.map((answer) => (typeof answer === 'string' ? 0 : answer['currentNumberOfFailedAttempts'])).toSorted()).toEqual([
      1, 2, 3, 4, 5,
    ]);
    expect(answers.filter((answer) => statusOf(answer) === 'LIMIT_REACHED_ERROR')).toHaveLength(15);
  });

  test('of twenty proofs of a device with one code, one proves it', async () => {
    const secret = await calls.add(user, 'd');
    const answers = await twenty(() => calls.prove(user, 'd', calls.code(secret)));
    expect(answers.filter((answer) => typeof answer !== 'string' && answer['wasAlreadyVerified'] === false)).toHaveLength(1);
    expect(answers.filter((answer) => typeof answer !== 'string' && answer['wasAlreadyVerified'] === true)).toHaveLength(19);
  });

  test('a code and the removal of its device leave no used code behind', async () => {
    for (let round = 0; round < 10; round++) {
      const secret = await calls.addVerified(user, 'd');
      await Promise.all([
        calls.verify(user, calls.code(secret)),
        calls.post('/device/remove', { userId: user, deviceName: 'd' }),
        calls.verify(user, calls.wrong(secret)),
      ]);
      expect(await kept(user)).toEqual([]);
    }
  });
});

describe('cleaning up', () => {
  const clean = (limit = 500) => removeExpiredAttempts(core.services.store, core.clock.now, limit);
  const cleanAll = async (): Promise<void> => {
    while (await clean());
  };

  test('takes what neither replay protection nor any limit needs: after a day, or after the cool-down where that is longer', async () => {
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'slow', coreConfig: { totp_rate_limit_cooldown_sec: 172_800 } });
    const other = `${user} of slow`;
    for (const one of [user, other]) await calls.verify(one, calls.wrong(await calls.addVerified(one, 'd')), one === user ? '' : '/slow');
    core.clock.now += LIFE_MS + DAY_MS;
    await cleanAll();
    expect([await kept(user), await kept(other)].map(({ length }) => length)).toEqual([1, 1]);
    core.clock.now += HOUR_MS + 1;
    await cleanAll();
    expect([await kept(user), await kept(other)].map(({ length }) => length)).toEqual([0, 1]);
    core.clock.now += DAY_MS;
    await cleanAll();
    expect(await kept(other)).toEqual([]);
  });

  test('goes on batch by batch, and leaves whoever tries again meanwhile', async () => {
    const others = Array.from({ length: 7 }, (_, at) => `${user}-${at}`);
    for (const one of others) await calls.verify(one, calls.code(await calls.addVerified(one, 'd')));
    core.clock.now += LIFE_MS + DAY_MS + HOUR_MS;
    await calls.verify(`${user}-3`, '000000');
    let batches = 0;
    while (await clean(3)) batches += 1;
    expect(batches).toBeGreaterThan(1);
    expect(await Promise.all(others.map(async (one) => (await kept(one)).length))).toEqual([0, 0, 0, 1, 0, 0, 0]);
  });
});
