import { runJob } from '../run-job.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { JOBS } from '../../../src/recipes/recipes.ts';
import { signInFailures } from '../../../src/recipes/email-password/records.ts';
import { StoreUnavailable } from '../../../src/store/unavailable.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { Calls, TWENTY } from './calls.ts';

const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };
const MINUTE = 60_000;
/** A multiple of every window used here. */
const START = 1_800_000_000_000;

const open = async (...flags: readonly string[]): Promise<Calls> => {
  const calls = new Calls(await openInProcessCore('5.4', flags));
  calls.core.clock.now = START;
  return calls;
};
const perAccount = (most: number): string[] => ['--sign-in-failures-per-account', String(most)];
const perAddress = (most: number): string[] => [
  '--sign-in-failures-per-address',
  String(most),
  '--sign-in-address-header',
  'X-User-Address',
];
const kept = (calls: Calls) =>
  calls.core.services.store.read((reader) => reader.list(signInFailures, undefined, { prefix: [], limit: 10_000 }));
const checksOf = (calls: Calls) => vi.spyOn(calls.core.services.crypto, 'verifyPassword');

async function fail(calls: Calls, times: number, email = 'a@x', endUserAddress?: string): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    expect(await calls.signIn(email, 'wrong', endUserAddress === undefined ? {} : { endUserAddress })).toEqual(WRONG);
  }
}

describe('without a limit', () => {
  test('nothing is counted, and the store is not asked once more', async () => {
    const calls = await open('--sign-in-address-header', 'X-User-Address');
    await calls.signUp('a@x');
    await fail(calls, 1);
    calls.core.takeRounds();
    const transacting = vi.spyOn(calls.core.services.store, 'transact');
    await fail(calls, 30, 'a@x', '192.0.2.1');
    expect(transacting).not.toHaveBeenCalled();
    expect(calls.core.takeRounds()).toBe(60);
    expect(await kept(calls)).toEqual([]);
    expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: '192.0.2.1' })).toMatchObject({ status: 'OK' });
  });
});

describe('per account', () => {
  test('a right password is right, also where the store cannot forget the attempt', async () => {
    const dropped: unknown[] = [];
    const core = await openInProcessCore('5.4', perAccount(5), undefined, undefined, (error) => dropped.push(error));
    const calls = new Calls(core);
    await calls.signUp('a@x');
    const { store } = core.services;
    const lost = new StoreUnavailable('not-kept');
    const transact = store.transact.bind(store);
    // The first one counts the attempt.
    vi.spyOn(store, 'transact').mockImplementationOnce(transact).mockRejectedValueOnce(lost);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    expect(dropped).toEqual([lost]);
    expect(await kept(calls)).toMatchObject([{ count: 1 }]);
  });

  let calls: Calls;
  beforeEach(async () => {
    calls = await open(...perAccount(5));
    await calls.signUp('a@x');
  });

  test('after so many failures nothing is checked until the window has passed', async () => {
    const checks = checksOf(calls);
    await fail(calls, 5);
    expect(await calls.signIn(' A@x ', 'secret-1')).toEqual(WRONG);
    expect(checks).toHaveBeenCalledTimes(5);
    // Of the five failures of the window before, four count when a fifth of the next has gone by.
    calls.core.clock.now = START + 15 * MINUTE;
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
    calls.core.clock.now = START + 18 * MINUTE;
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    expect(checks).toHaveBeenCalledTimes(6);
  });

  test('an unknown email is counted like a known one', async () => {
    const checks = checksOf(calls);
    await fail(calls, 8, 'nobody@x');
    expect(checks).toHaveBeenCalledTimes(5);
    await fail(calls, 8, 'a@x');
    expect(checks).toHaveBeenCalledTimes(10);
  });

  test('a right password ends the counting', async () => {
    for (const _ of [1, 2, 3]) {
      await fail(calls, 4);
      expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    }
    expect(await kept(calls)).toEqual([]);
  });

  test('a new password ends it too, by a reset or by the back end, in every tenant with a limit', async () => {
    const recipeUserId = await calls.signUp('b@x');
    const asked = { userId: recipeUserId, email: 'b@x' };
    for (const [password, change] of [
      ['other-1', async () => calls.core.call('PUT', '/recipe/user', { recipeUserId, password: 'other-1' })],
      [
        'third-1',
        async () => {
          const { token } = await calls.post('/recipe/user/password/reset/token', asked);
          return calls.core.call('POST', '/recipe/user/password/reset', { method: 'token', token, newPassword: 'third-1' });
        },
      ],
    ] as const) {
      await fail(calls, 6, 'b@x');
      expect((await change()).body['status']).toBe('OK');
      expect(await calls.signIn('b@x', password)).toMatchObject({ status: 'OK' });
    }
    await fail(calls, 6, 'b@x');
    await calls.core.call('PUT', '/recipe/user', { recipeUserId, email: 'b@x' });
    expect(await calls.signIn('b@x', 'third-1')).toEqual(WRONG);
  });

  test('of twenty wrong passwords at once five are looked at', async () => {
    for (const email of ['a@x', 'nobody@x']) {
      const checks = checksOf(calls);
      const answers = await Promise.all(TWENTY.map((at) => calls.signIn(email, `wrong-${at}`)));
      expect(answers).toEqual(TWENTY.map(() => WRONG));
      expect(checks).toHaveBeenCalledTimes(5);
      checks.mockRestore();
    }
  });

  test('attempts over the limit make nothing longer', async () => {
    await fail(calls, 50);
    calls.core.clock.now = START + 18 * MINUTE;
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('an attempt that could not be checked is none', async () => {
    const checks = checksOf(calls);
    for (let at = 0; at < 10; at += 1) {
      checks.mockRejectedValueOnce(new Error('the lane is full'));
      expect((await calls.core.call('POST', '/recipe/signin', { email: 'a@x', password: 'secret-1' })).status).toBe(500);
    }
    expect(await kept(calls)).toMatchObject([{ count: 0 }]);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('tenants have limits of their own, and count for themselves', async () => {
    await calls.addTenant('lax', { sign_in_failures_per_account: 7, sign_in_failure_window_ms: 1000 });
    await calls.addTenant('free', { sign_in_failures_per_account: 0 });
    await fail(calls, 6);
    for (const at of ['/lax', '/free']) await calls.signUp('a@x', 'secret-1', at);
    for (let at = 0; at < 7; at += 1) await calls.signIn('a@x', 'wrong', { at: '/lax' });
    expect(await calls.signIn('a@x', 'secret-1', { at: '/lax' })).toEqual(WRONG);
    calls.core.clock.now += 2000;
    expect(await calls.signIn('a@x', 'secret-1', { at: '/lax' })).toMatchObject({ status: 'OK' });
    for (let at = 0; at < 9; at += 1) await calls.signIn('a@x', 'wrong', { at: '/free' });
    expect(await calls.signIn('a@x', 'secret-1', { at: '/free' })).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
  });

  test('a login that tenants share gives no more guesses than one tenant does', async () => {
    await calls.addTenant('t1');
    await calls.addTenant('short', { sign_in_failure_window_ms: 1000, sign_in_failures_per_account: 3 });
    await calls.addTenant('free', { sign_in_failures_per_account: 0 });
    const recipeUserId = await calls.signUp('shared@x');
    const tenants = ['', '/t1', '/short', '/free'];
    for (const at of tenants.slice(1)) await calls.core.call('POST', `${at}/recipe/multitenancy/tenant/user`, { recipeUserId });
    const checks = checksOf(calls);
    for (let at = 0; at < 9; at += 1) expect(await calls.signIn('shared@x', `wrong-${at}`, { at: tenants[at % 3] ?? '' })).toEqual(WRONG);
    // Four: then the third of the calls refuses, and leaves one to the others.
    expect(checks.mock.calls.length).toBeLessThanOrEqual(5);
    for (const at of ['', '/t1', '/short']) expect(await calls.signIn('shared@x', 'secret-1', { at })).toEqual(WRONG);
    // What others may do without limits is counted nowhere, and each tenant waits for its own window.
    calls.core.clock.now += 2000;
    expect(await calls.signIn('shared@x', 'secret-1', { at: '/free' })).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('shared@x', 'secret-1', { at: '/t1' })).toEqual(WRONG);
    expect(await calls.signIn('shared@x', 'secret-1', { at: '/short' })).toMatchObject({ status: 'OK' });
    // Where it is right, it is forgotten everywhere.
    expect(await calls.signIn('shared@x', 'secret-1', { at: '/t1' })).toMatchObject({ status: 'OK' });
  });

  test('the same email in another tenant is another account, and locks nobody else out', async () => {
    await calls.addTenant('t1');
    await calls.signUp('a@x', 'secret-1', '/t1');
    await fail(calls, 9);
    expect(await calls.signIn('a@x', 'secret-1', { at: '/t1' })).toMatchObject({ status: 'OK' });
  });

  test('a clock that is set back by a day forgets nothing and prolongs nothing', async () => {
    await fail(calls, 5);
    calls.core.clock.now = START - 24 * 60 * MINUTE;
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
    calls.core.clock.now += 18 * MINUTE;
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('what is kept names nobody, and is forgotten when it counts no more', async () => {
    for (let at = 0; at < 30; at += 1) await fail(calls, 1, `nobody-${at}@x`);
    expect(JSON.stringify(await kept(calls))).not.toContain('nobody');
    expect(await runJob('old-sign-in-failures', calls.core.services, START + 30 * MINUTE, 100)).toBe(false);
    expect(await kept(calls)).toHaveLength(30);
    calls.core.clock.now = START + 20 * MINUTE;
    await fail(calls, 1, 'nobody-7@x');
    expect(await runJob('old-sign-in-failures', calls.core.services, START + 30 * MINUTE + 1, 10)).toBe(true);
    while (await runJob('old-sign-in-failures', calls.core.services, START + 30 * MINUTE + 1, 10));
    expect(await kept(calls)).toMatchObject([{ count: 1, previous: 1 }]);
    expect(JOBS.find(({ name }) => name === 'old-sign-in-failures')?.everyMs).toBeLessThanOrEqual(15 * MINUTE);
  });
});

describe('per address', () => {
  test('counts the failures of all accounts, and takes back what was right', async () => {
    const calls = await open(...perAddress(5));
    await calls.signUp('a@x');
    for (let at = 0; at < 4; at += 1) await fail(calls, 1, `nobody-${at}@x`, '192.0.2.1');
    for (let at = 0; at < 9; at += 1) {
      expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: '192.0.2.1' })).toMatchObject({ status: 'OK' });
    }
    await fail(calls, 1, 'nobody@x', '192.0.2.1');
    expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: ' 192.0.2.1 ' })).toEqual(WRONG);
    expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: '::ffff:192.0.2.1' })).toEqual(WRONG);
    expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: '192.0.2.2' })).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('a network of IPv6 is one address, whatever its spelling; other texts are what they are', async () => {
    const calls = await open(...perAddress(3));
    await calls.signUp('a@x');
    for (const [same, other] of [
      [['2001:db8::1', '2001:DB8:0:0:1::', '2001:db8:0:0:ffff::2'], '2001:db8:0:1::1'],
      [['desk 7', ' desk 7', 'desk 7 '], 'desk 8'],
    ] as const) {
      for (const endUserAddress of same) await fail(calls, 1, 'a@x', endUserAddress);
      expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: same[0] })).toEqual(WRONG);
      expect(await calls.signIn('a@x', 'secret-1', { endUserAddress: other })).toMatchObject({ status: 'OK' });
    }
    for (let at = 0; at < 9; at += 1) await fail(calls, 1, 'a@x', ' ');
  });

  test('holds beside the limit of accounts', async () => {
    const calls = await open(...perAccount(2), ...perAddress(3));
    const checks = checksOf(calls);
    await fail(calls, 4, 'b@x', '192.0.2.1');
    await fail(calls, 4, 'c@x', '192.0.2.1');
    await fail(calls, 4, 'c@x', '192.0.2.2');
    // Two of b, one of c until the address is full, and one more of c from elsewhere.
    expect(checks).toHaveBeenCalledTimes(4);
  });
});
