import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeExpiredAttempts } from '../../../src/recipes/totp/expiry.ts';
import { type TenantTotpAttemptsRecord, tenantTotpAttempts, totpAttempts } from '../../../src/recipes/totp/records.ts';
import type { TenantNumber } from '../../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { type TotpAnswer, totpCalls } from './calls.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

const TENANTS = ['', '/t1', '/t2'] as const;
const COOLDOWN_MS = 900_000;
const DAY_MS = 86_400_000;
const OK = { status: 'OK' };

let core: InProcessCore;
let calls: ReturnType<typeof totpCalls>;
let numbers: readonly TenantNumber[] = [];
let count = 0;
let user = '';

const setLimits = (tenantId: string, most: number, cooldownSeconds: number) =>
  core.call('PUT', '/recipe/multitenancy/tenant/v2', {
    tenantId,
    coreConfig: { totp_max_attempts: most, totp_rate_limit_cooldown_sec: cooldownSeconds },
  });

beforeAll(async () => {
  core = await openInProcessCore('5.4');
  calls = totpCalls(core);
  for (const tenantId of ['t1', 't2']) await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId });
  await setLimits('lax', 1000, 1);
  await setLimits('strict', 2, 10_800);
  const found = await Promise.all(
    ['public', 't1', 't2'].map(async (tenantId) => core.services.directory.find({ cud: '', appId: 'public', tenantId })),
  );
  numbers = found.map((tenant) => tenant?.tenant ?? tenantNumber(0));
});
beforeEach(() => {
  user = `user-${(count += 1)}`;
});

const invalid = (current: number, most = 5) => ({
  status: 'INVALID_TOTP_ERROR',
  currentNumberOfFailedAttempts: current,
  maxNumberOfFailedAttempts: most,
});
const limited = { status: 'LIMIT_REACHED_ERROR', currentNumberOfFailedAttempts: 5 };
const statusOf = (answer: TotpAnswer): string => (typeof answer === 'string' ? answer : answer.status);
const attemptsOf = (userId: string) => core.services.store.read((reader) => reader.get(totpAttempts, [appNumber(1), userId]));
const tenantAttemptsOf = (userId: string) =>
  core.services.store.read((reader) => reader.list(tenantTotpAttempts, 'byUser', { prefix: [appNumber(1), userId], limit: 10 }));

describe('of all tenants together', () => {
  test('failures count: three tenants give no more guesses than one', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let failed = 0; failed < 5; failed++) {
      expect(await calls.verify(user, calls.wrong(secret), TENANTS[failed % 3])).toEqual(invalid(failed + 1));
    }
    for (const tenant of TENANTS) expect(await calls.verify(user, calls.code(secret), tenant)).toMatchObject(limited);
  });

  test('failures count when they are made at once', async () => {
    const secret = await calls.addVerified(user, 'd');
    const answers = await Promise.all(Array.from({ length: 21 }, (_, at) => calls.verify(user, calls.wrong(secret), TENANTS[at % 3])));
    expect(answers.map(statusOf).filter((status) => status === 'INVALID_TOTP_ERROR')).toHaveLength(5);
  });

  test('a code is good once, also when it is used everywhere at once, or proved a device', async () => {
    const secret = await calls.add(user, 'd');
    const code = calls.code(secret);
    const proof = { userId: user, deviceName: 'd', totp: code };
    expect(await calls.call('POST', '/t1/recipe/totp/device/verify', proof)).toEqual({ ...OK, wasAlreadyVerified: false });
    for (const [at, tenant] of TENANTS.entries()) expect(await calls.verify(user, code, tenant)).toEqual(invalid(at + 1));
    const answers = await Promise.all(TENANTS.map((tenant) => calls.verify(user, calls.code(secret, 1), tenant)));
    expect(answers.map(statusOf).toSorted()).toEqual(['INVALID_TOTP_ERROR', 'INVALID_TOTP_ERROR', 'OK']);
  });

  test('a right code ends the counting', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let failed = 1; failed <= 4; failed++) await calls.verify(user, calls.wrong(secret), '/t1');
    expect(await calls.verify(user, calls.code(secret), '/t2')).toEqual(OK);
    expect(await calls.verify(user, calls.wrong(secret), '/t1')).toEqual(invalid(1));
  });
});

describe('limit and cool-down', () => {
  test('are those of the tenant that asks', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let failed = 1; failed <= 4; failed++) await calls.verify(user, calls.wrong(secret), '/lax');
    expect(await calls.verify(user, calls.code(secret), '/strict')).toEqual({
      status: 'LIMIT_REACHED_ERROR',
      retryAfterMs: 10_800_000,
      currentNumberOfFailedAttempts: 2,
      maxNumberOfFailedAttempts: 2,
    });
    expect(await calls.verify(user, calls.wrong(secret))).toEqual(invalid(5));
    core.clock.now += COOLDOWN_MS;
    expect(await calls.verify(user, calls.wrong(secret), '/strict')).toMatchObject({ status: 'LIMIT_REACHED_ERROR' });
    expect(await calls.verify(user, calls.code(secret))).toEqual(OK);
  });

  test('of a tenant that forgets quickly make no other forget', async () => {
    const secret = await calls.addVerified(user, 'd');
    for (let guess = 1; guess <= 5; guess++) {
      core.clock.now += 2000;
      expect(await calls.verify(user, calls.wrong(secret), '/lax')).toEqual(invalid(Math.min(guess, 2), 1000));
    }
    expect(await calls.verify(user, calls.code(secret))).toMatchObject(limited);
    for (let guess = 1; guess <= 150; guess++) {
      core.clock.now += 2000;
      await calls.verify(user, calls.wrong(secret), '/lax');
    }
    expect(await calls.verify(user, calls.code(secret))).toMatchObject(limited);
    expect((await attemptsOf(user))?.failures.length).toBeLessThanOrEqual(1000);
  });
});

describe('one user with several ids', () => {
  const twoUsers = async () => {
    const [a, b] = await Promise.all(
      [1, 2].map(async (at) => {
        const { body } = await core.call('POST', '/recipe/signup', { email: `${user}-${at}@example.com`, password: 'secret-12' });
        return String(body['recipeUserId']);
      }),
    );
    return [a ?? '', b ?? ''] as const;
  };

  test('has devices, failures and used codes under the id that was sent: no other id gives more guesses', async () => {
    const [primaryUserId, recipeUserId] = await twoUsers();
    await core.call('POST', '/recipe/accountlinking/user/primary', { recipeUserId: primaryUserId });
    await core.call('POST', '/recipe/accountlinking/user/link', { recipeUserId, primaryUserId });
    const externalUserId = `external ${user}`;
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: primaryUserId, externalUserId });
    const secret = await calls.addVerified(externalUserId, 'd');
    for (const other of [primaryUserId, recipeUserId]) {
      expect(await calls.verify(other, calls.code(secret))).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    }
    for (let failed = 1; failed <= 5; failed++) {
      expect(await calls.verify(externalUserId, calls.wrong(secret), TENANTS[failed % 3])).toEqual(invalid(failed));
    }
    expect(await calls.verify(externalUserId, calls.code(secret))).toMatchObject(limited);
    // Nor does unlinking forget what was counted.
    await core.call('POST', '/recipe/accountlinking/user/unlink', { recipeUserId });
    expect(await calls.verify(externalUserId, calls.code(secret))).toMatchObject(limited);
  });
});

describe('what attempts left goes', () => {
  const fail = async (userId: string): Promise<void> => {
    const secret = await calls.addVerified(userId, 'd');
    for (let failed = 1; failed <= 5; failed++) await calls.verify(userId, calls.wrong(secret), '/t1');
    await core.services.store.transact((tx) => tx.put(tenantTotpAttempts, old(userId, 1, { failures: [core.clock.now] })));
  };
  const isKept = async (userId: string): Promise<boolean> =>
    (await attemptsOf(userId)) !== undefined || (await tenantAttemptsOf(userId)).length > 0;

  test('with the last device, and with the user', async () => {
    await fail(user);
    await calls.post('/device/remove', { userId: user, deviceName: 'd' });
    expect(await isKept(user)).toBe(false);
    const { body } = await core.call('POST', '/recipe/signup', { email: `${user}@example.com`, password: 'secret-12' });
    const userId = String(body['recipeUserId']);
    await fail(userId);
    await core.call('POST', '/user/remove', { userId });
    expect(await isKept(userId)).toBe(false);
  });

  test('not with a tenant that the user leaves, nor with a removed tenant', async () => {
    const { body } = await core.call('POST', '/recipe/signup', { email: `${user}@example.com`, password: 'secret-12' });
    const recipeUserId = String(body['recipeUserId']);
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'gone' });
    await core.call('POST', '/t1/recipe/multitenancy/tenant/user', { recipeUserId });
    const secret = await calls.addVerified(recipeUserId, 'd');
    for (let failed = 1; failed <= 5; failed++) await calls.verify(recipeUserId, calls.wrong(secret), failed < 3 ? '/t1' : '/gone');
    await core.call('POST', '/t1/recipe/multitenancy/tenant/user/remove', { recipeUserId });
    await core.call('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 'gone' });
    expect(await calls.verify(recipeUserId, calls.code(secret))).toMatchObject(limited);
  });
});

/** What a release that counted by tenant kept for the user in one of the three tenants. */
function old(userId: string, at: number, more: Partial<TenantTotpAttemptsRecord>): TenantTotpAttemptsRecord {
  const expiresAt = core.clock.now;
  return {
    app: appNumber(1),
    tenant: numbers[at] ?? tenantNumber(0),
    userId,
    failures: [],
    uses: [],
    expiresAt,
    cleanAfter: expiresAt + COOLDOWN_MS,
    ...more,
  };
}

describe('what each tenant kept before', () => {
  const keep = (...records: readonly TenantTotpAttemptsRecord[]) =>
    core.services.store.transact(async (tx) => {
      for (const record of records) await tx.put(tenantTotpAttempts, record);
    });

  test('counts on: failures and used codes', async () => {
    const secret = await calls.addVerified(user, 'd');
    const { now } = core.clock;
    const used = { code: calls.code(secret), expiresAt: now + DAY_MS };
    await keep(old(user, 1, { failures: [now, now - 1] }), old(user, 2, { failures: [now - 2], uses: [used] }));
    expect(await calls.verify(user, calls.wrong(secret))).toEqual(invalid(1));
    expect(await calls.verify(user, used.code, '/t2')).toEqual(invalid(3));
    expect(await tenantAttemptsOf(user)).toHaveLength(1);
    // What was taken over counts in all tenants.
    expect(await calls.verify(user, used.code)).toEqual(invalid(4));
    expect(await calls.verify(user, calls.code(secret, 1), '/t1')).toMatchObject(limited);
    expect(await calls.verify(user, used.code, '/t2')).toEqual(invalid(5));
    for (const tenant of TENANTS) expect(await calls.verify(user, calls.code(secret, 1), tenant)).toMatchObject(limited);
    core.clock.now += COOLDOWN_MS;
    expect(await calls.verify(user, used.code, '/t1')).toEqual(invalid(1));
    expect(await tenantAttemptsOf(user)).toEqual([]);
    expect(await calls.verify(user, calls.code(secret, 1))).toEqual(OK);
  });

  test('leads to the limit, and stays while nothing is written', async () => {
    const secret = await calls.addVerified(user, 'd');
    const { now } = core.clock;
    await keep(old(user, 1, { failures: [now, now, now, now, now] }));
    for (let at = 0; at < 3; at++) expect(await calls.verify(user, calls.code(secret), '/t1')).toMatchObject(limited);
    expect(await tenantAttemptsOf(user)).toHaveLength(1);
    core.clock.now += COOLDOWN_MS;
    expect(await calls.verify(user, calls.code(secret), '/t1')).toEqual(OK);
    expect(await tenantAttemptsOf(user)).toEqual([]);
  });

  test('is cleaned up where nobody tries again', async () => {
    await keep(old(user, 1, { failures: [core.clock.now] }));
    const clean = () => removeExpiredAttempts(core.services.store, core.clock.now, 500);
    await clean();
    expect(await tenantAttemptsOf(user)).toHaveLength(1);
    core.clock.now += COOLDOWN_MS + 2 * 3_600_000;
    await clean();
    expect(await tenantAttemptsOf(user)).toEqual([]);
  });
});
