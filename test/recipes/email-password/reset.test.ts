import { runJob } from '../run-job.ts';
import { pbkdf2Sync } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { JOBS } from '../../../src/recipes/recipes.ts';
import { resetTokens } from '../../../src/recipes/email-password/records.ts';
import { hashOfResetToken, newResetToken, removeResetTokens } from '../../../src/recipes/email-password/reset-tokens.ts';
import { removeMethods } from '../../../src/recipes/accounts/linking.ts';
import { membersOf } from '../../../src/recipes/accounts/login-methods.ts';
import { loginMethods } from '../../../src/recipes/accounts/records.ts';
import { type InProcessCallOptions, openInProcessCore } from '../../in-process-core.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { Calls, TWENTY } from './calls.ts';

const HOUR = 3_600_000;
const PATH = '/recipe/user/password/reset';
const UNKNOWN = { status: 'UNKNOWN_USER_ID_ERROR' };
const INVALID = { status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' };

let calls: Calls;
beforeEach(async () => {
  calls = new Calls(await openInProcessCore('5.4'));
});

const ask = (userId: string, email = 'any@x', options: InProcessCallOptions & { readonly at?: string } = {}) =>
  calls.post(`${options.at ?? ''}${PATH}/token`, { userId, email }, options);
const tokenFor = async (...asked: Parameters<typeof ask>): Promise<string> => String((await ask(...asked))['token']);
const consume = (token: string, at = '') => calls.post(`${at}${PATH}/token/consume`, { method: 'token', token });
const reset = (token: string, newPassword: string, cdi = '5.4') => calls.post(PATH, { method: 'token', token, newPassword }, { cdi });
const kept = () => calls.core.services.store.read((reader) => reader.list(resetTokens, undefined, { prefix: [], limit: 10_000 }));

describe('tokens', () => {
  test('are the base64 of the hex of 48 bytes, kept as the SHA-256 of their text', () => {
    const bytes = pbkdf2Sync('01'.repeat(64), Buffer.alloc(64, 2), 1000, 48, 'sha512');
    const token = newResetToken(() => bytes);
    expect(token).toBe(
      'NzJiNTg3ZGY0ZGQ3N2QzYjZjNGZkYTA4YWViZjY3NWMxYzQwNWVkNTVkODNjZDMyMzBkODM3YjBhMDRhYjM0NzA0ZTM0MGFlNWYzZjcwZDU1MTZhYmQ5NWRiMGE0MDcw',
    );
    expect(hashOfResetToken(token)).toBe('5c4c03a2887fc01c2423c293a942f9da97c7a07ace70c07e37d74003cb97bb3f');
  });

  test('stand nowhere in the store', async () => {
    const token = await tokenFor(await calls.signUp('a@x'));
    expect(token).toMatch(/^[A-Za-z0-9]{128}$/);
    expect(JSON.stringify(await kept())).not.toContain(token);
  });

  test('end an hour after they were made, or when the tenant says', async () => {
    const userId = await calls.signUp('a@x');
    const started = calls.core.clock.now;
    await calls.addTenant('hasty', { password_reset_token_lifetime: 1000 });
    const [first, second, hasty] = [await tokenFor(userId), await tokenFor(userId), await tokenFor(userId, 'a@x', { at: '/hasty' })];
    calls.core.clock.now = started + 1001;
    // The expired one takes the others of its user with it.
    expect(await consume(hasty)).toEqual(INVALID);
    expect(await consume(first)).toEqual(INVALID);
    const late = await tokenFor(userId);
    calls.core.clock.now += HOUR;
    expect(await consume(late)).toMatchObject({ status: 'OK' });
    expect(await consume(second)).toEqual(INVALID);
  });

  test('that have expired are removed every hour', async () => {
    const { clock } = calls.core;
    const userId = await calls.signUp('a@x');
    for (const _ of [1, 2, 3]) await tokenFor(userId);
    clock.now += HOUR;
    await tokenFor(userId);
    expect(await runJob('expired-reset-tokens', calls.core.services, clock.now, 2)).toBe(false);
    clock.now += 1;
    expect(await runJob('expired-reset-tokens', calls.core.services, clock.now, 2)).toBe(true);
    expect(await runJob('expired-reset-tokens', calls.core.services, clock.now, 2)).toBe(false);
    expect(await kept()).toHaveLength(1);
    expect(JOBS.find(({ name }) => name === 'expired-reset-tokens')?.everyMs).toBe(HOUR);
  });

  test('go with their user, however many there are', async () => {
    const [userId, other] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    const { app } = await calls.tenant();
    await calls.transact(async (tx) => {
      for (let at = 0; at < 1200; at += 1)
        await tx.insert(resetTokens, { app, tokenHash: `h${at}`, userId: asInternal(userId), email: 'a@x', expiresAt: 0 });
    });
    await tokenFor(other);
    await calls.transact((tx) => removeResetTokens(tx, app, asInternal(userId)));
    expect((await kept()).map((token) => token.userId)).toEqual([other]);
  });
});

describe('asking for a token', () => {
  test('the user is looked for before the email is looked at', async () => {
    const userId = await calls.signUp('a@x');
    const bad = { status: 400, body: { text: "Field name 'email' is invalid in JSON input\n" } };
    for (const body of [{}, { email: 1 }, { email: null }]) {
      expect(await calls.post(`${PATH}/token`, { userId: 'nobody', ...body })).toEqual(UNKNOWN);
      expect(await calls.core.call('POST', `${PATH}/token`, { userId, ...body })).toEqual(bad);
    }
    expect((await calls.core.call('POST', `${PATH}/token`, {})).body).toEqual({ text: "Field name 'userId' is invalid in JSON input\n" });
  });

  test('the tenant is looked for first, and must have the recipe before 5.1', async () => {
    const path = `${PATH}/token`;
    expect(await calls.core.call('POST', `/none${path}`, { userId: 'nobody' })).toMatchObject({ status: 400 });
    await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'other', firstFactors: ['thirdparty'] });
    expect(await calls.core.call('POST', `/other${path}`, { userId: 'nobody' }, { cdi: '4.0' })).toEqual({
      status: 403,
      body: { text: 'Email password login not enabled for tenant\n' },
    });
    expect(await calls.post(`/other${path}`, { userId: 'nobody' })).toEqual(UNKNOWN);
  });

  test('any login method may have one, in any tenant of the app, with any email', async () => {
    const userId = await calls.add({ recipe: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: 'g1', email: 'a@x' });
    await calls.addTenant('t1');
    await calls.map(userId, 'external');
    for (const id of [userId, 'external']) {
      const token = await tokenFor(id, ' Some Text ', { at: '/t1' });
      expect(await consume(token)).toEqual({ status: 'OK', userId: 'external', email: ' Some Text ' });
    }
  });

  test('and a primary user whose own login method is gone', async () => {
    const [primary, member] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    await calls.link(primary, member);
    const { app } = await calls.tenant();
    await calls.transact(async (tx) => {
      const method = await tx.get(loginMethods, [app, asInternal(primary)]);
      if (method) await removeMethods(tx, await membersOf(tx, method.app, method.primaryUserId), [method]);
    });
    const token = await tokenFor(primary, 'b@x');
    expect(await reset(token, 'other-1')).toEqual({ status: 'OK', userId: primary });
    expect(await calls.signIn('b@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('before 4.0 only who has an email/password login and no other', async () => {
    const [single, first, second] = [await calls.signUp('a@x'), await calls.signUp('b@x'), await calls.signUp('c@x')];
    const foreign = await calls.add({ recipe: 'passwordless', email: 'd@x' });
    await calls.link(first, second);
    const old = { cdi: '3.1' };
    const token = String((await calls.post(`${PATH}/token`, { userId: single, email: 7 }, old))['token']);
    expect(await consume(token)).toEqual({ status: 'OK', userId: single, email: 'a@x' });
    for (const userId of [foreign, 'nobody']) expect(await calls.post(`${PATH}/token`, { userId }, old)).toEqual(UNKNOWN);
    for (const userId of [first, second]) {
      expect(await calls.core.call('POST', `${PATH}/token`, { userId }, old)).toEqual({
        status: 400,
        body: { text: 'Please use CDI version >= 4.0\n' },
      });
    }
  });
});

describe('consuming', () => {
  test('one ends all of its user and those of nobody else', async () => {
    const [one, other] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    const tokens = [await tokenFor(one, 'a@x'), await tokenFor(one), await tokenFor(other, 'b@x')];
    expect(await consume(String(tokens[1]))).toEqual({ status: 'OK', userId: one, email: 'any@x' });
    expect(await consume(String(tokens[0]))).toEqual(INVALID);
    expect(await consume(String(tokens[2]))).toEqual({ status: 'OK', userId: other, email: 'b@x' });
    expect(await consume('nonsense')).toEqual(INVALID);
  });

  test('tokens are of their app alone', async () => {
    await calls.core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    const token = await tokenFor(await calls.signUp('a@x'));
    expect(await consume(token, '/appid-a1')).toEqual(INVALID);
    expect(await consume(token)).toMatchObject({ status: 'OK' });
  });

  test('an old token without an email answers that of the only email/password login', async () => {
    const { app } = await calls.tenant();
    const [single, first, second] = [await calls.signUp('a@x'), await calls.signUp('b@x'), await calls.signUp('c@x')];
    const foreign = await calls.add({ recipe: 'passwordless', email: 'd@x' });
    await calls.link(first, second);
    const expiresAt = calls.core.clock.now + HOUR;
    const plant = (token: string, userId: string) =>
      calls.transact(async (tx) => {
        await tx.insert(resetTokens, { app, tokenHash: hashOfResetToken(token), userId: asInternal(userId), email: null, expiresAt });
      });
    for (const userId of [single, first, second, foreign, 'gone']) await plant(userId, userId);
    expect(await consume(single)).toEqual({ status: 'OK', userId: single, email: 'a@x' });
    for (const token of [first, second, foreign, 'gone']) expect(await consume(token)).toEqual(INVALID);
    expect(await kept()).toEqual([]);
  });

  test('of twenty at once one wins', async () => {
    const token = await tokenFor(await calls.signUp('a@x'));
    const answers = await Promise.all(TWENTY.map(() => consume(token)));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === INVALID.status)).toHaveLength(19);
  });

  test('what is asked of the fields', async () => {
    for (const body of [{}, { token: 12 }, { token: null }]) {
      expect(await calls.core.call('POST', `${PATH}/token/consume`, body)).toEqual({
        status: 400,
        body: { text: "Field name 'token' is invalid in JSON input\n" },
      });
    }
  });
});

describe('the deprecated reset', () => {
  test('sets the password of its user; sessions and other users stay', async () => {
    const userId = await calls.signUp('a@x');
    await calls.map(userId, 'external');
    const token = await tokenFor(userId);
    expect(await reset(token, 'other-1')).toEqual({ status: 'OK', userId: 'external' });
    expect(await reset(token, 'third-1')).toEqual(INVALID);
    expect(await calls.signIn('a@x', 'secret-1')).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
    expect(await calls.signIn('a@x', 'other-1')).toMatchObject({ status: 'OK' });
  });

  test('does nothing to a login without a password', async () => {
    const userId = await calls.add({ recipe: 'passwordless', email: 'd@x' });
    expect(await reset(await tokenFor(userId), 'other-1')).toEqual({ status: 'OK', userId });
    const { app } = await calls.tenant();
    expect(await calls.transact(async (tx) => (await tx.get(loginMethods, [app, asInternal(userId)]))?.passwordHash)).toBeNull();
  });

  test('names the user from 2.12 on', async () => {
    const userId = await calls.signUp('a@x');
    for (const [cdi, answer] of [
      ['2.7', { status: 'OK' }],
      ['2.11', { status: 'OK' }],
      ['2.12', { status: 'OK', userId }],
      ['5.6', { status: 'OK', userId }],
    ] as const) {
      expect(await reset(await tokenFor(userId), 'other-1', cdi)).toEqual(answer);
    }
  });

  test('of twenty at once one wins, and its password holds', async () => {
    const token = await tokenFor(await calls.signUp('a@x'));
    const answers = await Promise.all(TWENTY.map((at) => reset(token, `secret-${at}`)));
    const winners = TWENTY.filter((at) => answers[at]?.['status'] === 'OK');
    expect(winners).toHaveLength(1);
    expect(await calls.signIn('a@x', `secret-${winners[0]}`)).toMatchObject({ status: 'OK' });
  });

  test.each([
    [{}, "Field name 'method' is invalid in JSON input"],
    [{ method: 'post' }, "Field name 'token' is invalid in JSON input"],
    [{ method: 'post', token: 'a' }, "Field name 'newPassword' is invalid in JSON input"],
    [{ method: 'post', token: 'a', newPassword: '' }, 'Unsupported method for password reset'],
    [{ method: 'token', token: 'a', newPassword: '' }, 'Password cannot be an empty string'],
  ])('%j is refused', async (body, text) => {
    expect(await calls.core.call('POST', PATH, body)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });
});
