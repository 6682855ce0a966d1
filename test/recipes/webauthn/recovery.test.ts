import { describe, expect, test } from 'vitest';
import { recoveryTokens } from '../../../src/recipes/webauthn/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { Calls } from '../email-password/calls.ts';
import { runJob } from '../run-job.ts';
import { PasskeyCalls } from './calls.ts';

const open = async (flags: readonly string[] = []): Promise<PasskeyCalls> => new PasskeyCalls(await openInProcessCore('5.4', flags));

const INVALID = { status: 'RECOVER_ACCOUNT_TOKEN_INVALID_ERROR' };
const UNKNOWN = { status: 'UNKNOWN_USER_ID_ERROR' };

async function tokenFor(calls: PasskeyCalls, userId: string, email = 'a@x', tenant = ''): Promise<string> {
  const answer = await calls.post('/user/recover/token', { userId, email }, { tenant });
  if (answer.status !== 'OK') throw new Error(JSON.stringify(answer));
  return String(answer['token']);
}

const look = (calls: PasskeyCalls, token: string, tenant = '') => calls.get('/user/recover', { token }, { tenant });
const consume = (calls: PasskeyCalls, token: string, tenant = '') => calls.post('/user/recover/token/consume', { token }, { tenant });

describe('a recovery token', () => {
  test('is 32 bytes, of which a hash is kept', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    const token = await tokenFor(calls, recipeUserId, ' A@X');
    expect(token).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const [kept] = await calls.core.services.store.read((reader) => reader.list(recoveryTokens, undefined, { prefix: [], limit: 2 }));
    expect(kept).toMatchObject({ email: 'a@x', userId: recipeUserId, expiresAt: calls.core.clock.now + 3_600_000 });
    expect(JSON.stringify(kept)).not.toContain(token);
  });

  test('tells its user as often as it is asked, and is used up once', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    const token = await tokenFor(calls, recipeUserId);
    for (let times = 0; times < 2; times++)
      expect(await look(calls, token)).toMatchObject({ status: 'OK', recipeUserId, user: { id: recipeUserId } });
    expect(await consume(calls, token)).toEqual({ status: 'OK', userId: recipeUserId, email: 'a@x' });
    expect(await consume(calls, token)).toEqual(INVALID);
    expect(await look(calls, token)).toEqual(INVALID);
  });

  test('dies with all of its email in the tenant, whoever they are for', async () => {
    const calls = await open();
    await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const [first, second] = [await calls.join(), await calls.join('b@x')];
    const [one, two] = [await tokenFor(calls, first.recipeUserId), await tokenFor(calls, second.recipeUserId, 'a@x')];
    const [other, there] = [await tokenFor(calls, first.recipeUserId, 'c@x'), await tokenFor(calls, first.recipeUserId, 'a@x', '/t1')];
    expect(await look(calls, there)).toEqual(INVALID);
    expect(await consume(calls, two)).toMatchObject({ userId: second.recipeUserId });
    expect(await look(calls, one)).toEqual(INVALID);
    expect((await look(calls, other)).status).toBe('OK');
    expect(await look(calls, there, '/t1')).toMatchObject({ status: 'OK', recipeUserId: null });
    expect(await consume(calls, there, '/t1')).toMatchObject({ status: 'OK' });
  });

  test('is good until it expires, and goes by a job after that', async () => {
    const calls = await open(['--webauthn-recover-account-token-lifetime', '1000']);
    const { core } = calls;
    const { recipeUserId } = await calls.join();
    const token = await tokenFor(calls, recipeUserId);
    core.clock.now += 1000;
    expect((await look(calls, token)).status).toBe('OK');
    core.clock.now += 1;
    expect(await look(calls, token)).toEqual(INVALID);
    expect(await consume(calls, token)).toEqual(INVALID);
    const left = async () =>
      (await core.services.store.read((reader) => reader.keys(recoveryTokens, undefined, { prefix: [], limit: 2 }))).length;
    expect(await left()).toBe(1);
    await runJob('expired-webauthn-options', core.services, core.clock.now, 10);
    expect(await left()).toBe(0);
  });

  test('is for any user, by any id; nobody else has one', async () => {
    const calls = await open();
    const passwords = new Calls(calls.core);
    const plain = await passwords.signUp('p@x');
    expect(await look(calls, await tokenFor(calls, plain))).toMatchObject({ recipeUserId: null, user: { id: plain } });
    const { recipeUserId } = await calls.join();
    await passwords.link(plain, recipeUserId);
    await passwords.map(recipeUserId, 'outer');
    for (const id of [plain, recipeUserId, 'outer']) {
      const token = await tokenFor(calls, id);
      expect(await look(calls, token)).toMatchObject({ recipeUserId: 'outer', user: { id: plain, isPrimaryUser: true } });
    }
    expect(await consume(calls, await tokenFor(calls, 'outer', 'z@x'))).toMatchObject({ userId: 'outer' });
    expect(await calls.post('/user/recover/token', { userId: 'none', email: 'a@x' })).toEqual(UNKNOWN);
  });

  test('goes with its user', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    const token = await tokenFor(calls, recipeUserId);
    await calls.core.call('POST', '/user/remove', { userId: recipeUserId });
    expect(await look(calls, token)).toEqual(INVALID);
    expect(await consume(calls, token)).toEqual(INVALID);
  });
});

describe('another email', () => {
  const put = (calls: PasskeyCalls, recipeUserId: string, email: string) => calls.call('PUT', '/user/email', { recipeUserId, email });

  test('is kept as it is sent, for login methods with passkeys only', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    expect(await put(calls, recipeUserId, ' NeW@x')).toEqual({ status: 'OK' });
    expect(await calls.userOf(recipeUserId)).toMatchObject({ emails: [' NeW@x'] });
    expect(await put(calls, recipeUserId, ' NeW@x')).toEqual({ status: 'OK' });
    const plain = await new Calls(calls.core).signUp('p@x');
    for (const id of ['none', plain]) expect(await put(calls, id, 'n@x')).toEqual(UNKNOWN);
  });

  test('may be taken by another passkey, or by another primary user', async () => {
    const calls = await open();
    const passwords = new Calls(calls.core);
    const [{ recipeUserId }] = [await calls.join(), await calls.join('b@x')];
    expect(await put(calls, recipeUserId, 'b@x')).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    const owner = await passwords.signUp('owned@x');
    await passwords.link(owner);
    expect(await put(calls, recipeUserId, 'owned@x')).toEqual({ status: 'OK' });
    expect(await put(calls, recipeUserId, 'a@x')).toEqual({ status: 'OK' });
    await passwords.link(recipeUserId);
    for (const email of ['owned@x', 'b@x'])
      expect(await put(calls, recipeUserId, email)).toEqual({ status: 'USER_WITH_EMAIL_ALREADY_EXISTS_ERROR' });
    expect(await put(calls, recipeUserId, 'free@x')).toEqual({ status: 'OK' });
  });
});
