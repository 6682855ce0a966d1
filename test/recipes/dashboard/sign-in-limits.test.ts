import { runJob } from '../run-job.ts';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { signInFailures } from '../../../src/recipes/email-password/records.ts';
import { type InProcessCallOptions, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';

const EMAIL = 'boss@example.com';
const PASSWORD = 'validPass123';
const REFUSED = { status: 'INVALID_CREDENTIALS_ERROR' };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A multiple of every window used here. */
const START = 1_800_000_000_000;
const ADDRESS_HEADER = ['--sign-in-address-header', 'X-User-Address'];

let core: InProcessCore;

const call = async (method: string, path: string, body: object, options?: InProcessCallOptions, app = '') => {
  const answer = await checkedCall(core, method, `${app}/recipe/dashboard${path}`, body, options);
  expect(answer.status).toBe(200);
  return answer.body;
};
const signIn = (password = PASSWORD, email = EMAIL, options?: InProcessCallOptions, app = '') =>
  call('POST', '/signin', { email, password }, options, app);
const isIn = async (...args: Parameters<typeof signIn>): Promise<boolean> => (await signIn(...args))['status'] === 'OK';
const kept = () => core.services.store.read((reader) => reader.list(signInFailures, undefined, { prefix: [], limit: 1000 }));

async function open(...flags: readonly string[]): Promise<void> {
  core = await openInProcessCore('5.4', flags);
  core.clock.now = START;
  await call('POST', '/user', { email: EMAIL, password: PASSWORD });
}

async function fail(times: number, email = EMAIL, options?: InProcessCallOptions): Promise<void> {
  for (let at = 0; at < times; at += 1) expect(await signIn(`wrong-${at}`, email, options)).toEqual(REFUSED);
}

describe('without any configuration', () => {
  beforeEach(() => open());

  test('after twenty failures the right password is refused as a wrong one is, and is good again when the window has passed', async () => {
    await fail(20);
    expect(await signIn()).toEqual(REFUSED);
    core.clock.now = START + 15 * MINUTE;
    expect(await signIn()).toEqual(REFUSED);
    core.clock.now = START + 16 * MINUTE;
    expect(await isIn()).toBe(true);
    await fail(19);
    expect(await isIn()).toBe(true);
    expect(await kept()).toEqual([]);
  });

  test('a hash is computed for every attempt, over the limit too, known or unknown', async () => {
    const checks = vi.spyOn(core.services.crypto, 'verifyPassword');
    for (const email of [EMAIL, 'nobody@example.com']) {
      await fail(25, email);
      expect(checks).toHaveBeenCalledTimes(25);
      await signIn(PASSWORD, email);
      expect(checks).toHaveBeenCalledTimes(26);
      checks.mockClear();
    }
  });

  test('of a crowd at once exactly as many are counted as the limit allows', async () => {
    const guesses = Array.from({ length: 40 }, (_, at) => `wrong-${at}`);
    const answers = await Promise.all(guesses.map((password) => signIn(password)));
    expect(answers).toEqual(guesses.map(() => REFUSED));
    expect(await kept()).toMatchObject([{ count: 20, previous: 0 }]);
    expect(await signIn()).toEqual(REFUSED);
  });

  test('attempts over the limit make nothing longer', async () => {
    await fail(60);
    core.clock.now = START + 16 * MINUTE;
    expect(await isIn()).toBe(true);
  });

  test('an attempt that could not be checked is none', async () => {
    const checks = vi.spyOn(core.services.crypto, 'verifyPassword');
    for (let at = 0; at < 30; at += 1) {
      checks.mockRejectedValueOnce(new Error('the lane is full'));
      expect((await core.call('POST', '/recipe/dashboard/signin', { email: EMAIL, password: PASSWORD })).status).toBe(500);
    }
    expect(await isIn()).toBe(true);
  });

  test('apps and emails count for themselves', async () => {
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'other' });
    await call('POST', '/user', { email: EMAIL, password: PASSWORD }, {}, '/appid-other');
    await call('POST', '/user', { email: 'second@example.com', password: PASSWORD });
    await fail(20, ' BOSS@example.com ');
    expect(await isIn()).toBe(false);
    expect(await isIn(PASSWORD, 'second@example.com')).toBe(true);
    expect(await isIn(PASSWORD, EMAIL, {}, '/appid-other')).toBe(true);
  });

  test('users of the app with the same email are not touched, nor do their failures count', async () => {
    await core.call('POST', '/recipe/signup', { email: EMAIL, password: PASSWORD });
    await fail(20);
    for (let at = 0; at < 30; at += 1) {
      const { body } = await core.call('POST', '/recipe/signin', { email: EMAIL, password: PASSWORD });
      expect(body['status']).toBe('OK');
    }
  });

  test('what is kept names nobody, and is forgotten when it counts no more', async () => {
    await fail(3);
    expect(JSON.stringify(await kept())).not.toContain('boss');
    await runJob('old-sign-in-failures', core.services, START + 30 * MINUTE, 100);
    expect(await kept()).toHaveLength(1);
    await runJob('old-sign-in-failures', core.services, START + 30 * MINUTE + 1, 100);
    expect(await kept()).toEqual([]);
  });
});

describe('the operator is not locked out for long', () => {
  test('sessions that were begun before go on', async () => {
    await open();
    const { sessionId } = await signIn();
    await fail(30);
    expect(await call('POST', '/session/verify', { sessionId })).toMatchObject({ status: 'OK' });
  });

  test('a password that the back end sets opens the account, and so does another user', async () => {
    await open();
    await fail(30);
    await call('PUT', '/user', { email: EMAIL, newEmail: 'chief@example.com' });
    expect(await isIn(PASSWORD, 'chief@example.com')).toBe(true);
    await fail(30, 'chief@example.com');
    await call('PUT', '/user', { email: 'chief@example.com', newPassword: 'otherPass123' });
    expect(await isIn('otherPass123', 'chief@example.com')).toBe(true);
    await call('POST', '/user', { email: 'deputy@example.com', password: PASSWORD });
    expect(await isIn(PASSWORD, 'deputy@example.com')).toBe(true);
  });

  test('where addresses are known, whoever guesses from one of them locks out that address only', async () => {
    await open(...ADDRESS_HEADER);
    const [stranger, operator] = [{ endUserAddress: '192.0.2.1' }, { endUserAddress: '198.51.100.7' }];
    await fail(50, EMAIL, stranger);
    expect(await isIn(PASSWORD, EMAIL, stranger)).toBe(false);
    expect(await isIn(PASSWORD, EMAIL, operator)).toBe(true);
    core.clock.now += 31 * MINUTE;
    for (let at = 0; at < 10; at += 1) await fail(1, `guess-${at}@example.com`, stranger);
    expect(await isIn(PASSWORD, EMAIL, stranger)).toBe(false);
  });

  test('when the clock is set back by a day, no longer than otherwise', async () => {
    await open();
    await fail(20);
    core.clock.now = START - DAY;
    expect(await signIn()).toEqual(REFUSED);
    core.clock.now += 15 * MINUTE - 1;
    await fail(1);
    core.clock.now += 16 * MINUTE;
    expect(await isIn()).toBe(true);
  });
});

describe('by configuration', () => {
  test('the limits are what they are set to, for an app', async () => {
    await open('--sign-in-failure-window-ms', '60000');
    const coreConfig = { dashboard_sign_in_failures_per_account: 3 };
    await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'strict', coreConfig });
    await call('POST', '/user', { email: EMAIL, password: PASSWORD }, {}, '/appid-strict');
    for (let at = 0; at < 3; at += 1) await signIn('wrong-1', EMAIL, {}, '/appid-strict');
    expect(await isIn(PASSWORD, EMAIL, {}, '/appid-strict')).toBe(false);
    core.clock.now += 2 * MINUTE;
    expect(await isIn(PASSWORD, EMAIL, {}, '/appid-strict')).toBe(true);
  });

  test('0 is no limit, and nothing is counted', async () => {
    await open('--dashboard-sign-in-failures-per-account', '0', '--dashboard-sign-in-failures-per-address', '0', ...ADDRESS_HEADER);
    await fail(40, EMAIL, { endUserAddress: '192.0.2.1' });
    expect(await isIn()).toBe(true);
    expect(await kept()).toEqual([]);
  });
});
