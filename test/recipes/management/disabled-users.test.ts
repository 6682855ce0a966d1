import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type InProcessAnswer, openInProcessCore } from '../../in-process-core.ts';
import { byCode, RESTART } from '../passwordless/calls.ts';
import { ManagementCalls } from './calls.ts';

const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };
const REFUSED = '400 The user is disabled';

let calls: ManagementCalls;

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
});

/** Everything that a back end holds of a new session. */
async function session(userId: string): Promise<{ readonly access: string; readonly refresh: string; readonly handle: string }> {
  const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
  const answer = (await calls.ask('POST', '/recipe/session', body)).body as {
    readonly accessToken: { readonly token: string };
    readonly refreshToken: { readonly token: string };
    readonly session: { readonly handle: string };
  };
  return { access: answer.accessToken.token, refresh: answer.refreshToken.token, handle: answer.session.handle };
}

const google = (account: string, email: string): Promise<InProcessAnswer> =>
  calls.ask('POST', '/recipe/signinup', {
    thirdPartyId: 'google',
    thirdPartyUserId: account,
    email: { id: email, isVerified: false },
  });

describe('a disabled user', () => {
  test('gets the answer to a wrong password, at the cost of one, and counts as a failure', async () => {
    const id = await calls.signUp('a@x', 'secret-1');
    await calls.disable(id);
    const checked = vi.spyOn(calls.core.services.crypto, 'verifyPassword');
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
    expect(checked).toHaveBeenCalledOnce();
    await calls.enable(id);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('has to start again with a right code, and hears of a wrong one as everybody', async () => {
    const id = await calls.signInWith({ email: 'a@x' });
    await calls.disable(id);
    const made = await calls.make({ email: 'a@x' });
    expect(await calls.consume({ ...byCode(made), userInputCode: 'wrong' })).toMatchObject({ status: 'INCORRECT_USER_INPUT_CODE_ERROR' });
    expect(await calls.consume(byCode(made))).toEqual(RESTART);
    await calls.enable(id);
    expect(await calls.consume(byCode(made)), 'the code was used').toEqual(RESTART);
    expect(await calls.signInWith({ email: 'a@x' })).toBe(id);
  });

  test('is not let in by a third party, whose news of the email are not kept', async () => {
    const id = await calls.thirdParty('g-1', 'a@x');
    await calls.disable(id);
    const answer = await google('g-1', 'new@x');
    expect(answer.body).toEqual({ status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', reason: 'This user is disabled.' });
    expect((await calls.user(id))?.emails).toEqual(['a@x']);
    await calls.enable(id);
    expect((await google('g-1', 'new@x')).body).toMatchObject({ status: 'OK', createdNewUser: false });
  });

  test('gets no session, by whichever id', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    await calls.mapTo(member, 'outside');
    expect(await calls.disable(member)).toEqual({ status: 'OK', endedSessions: 0 });
    for (const id of [primary, member, 'outside']) expect(await calls.tryStart(id)).toBe(REFUSED);
    expect(await calls.enable('outside')).toEqual({ status: 'OK' });
    for (const id of [primary, member, 'outside']) expect(await calls.tryStart(id)).toBe('OK');
  });

  test('loses all sessions, in all tenants and under all ids; nobody else does', async () => {
    await calls.addTenant('t1');
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    const other = await calls.startSession(await calls.signUp('c@x'));
    const handles = [await calls.startSession(primary), await calls.startSession(member), await calls.startSession(member, '/t1')];
    await calls.mapTo(member, 'outside', true);
    handles.push(await calls.startSession('outside'));
    const held = await session(primary);
    expect(await calls.disable(primary)).toEqual({ status: 'OK', endedSessions: 5 });
    expect(await calls.alive(...handles, other)).toEqual([false, false, false, false, true]);
    const refreshed = await calls.ask('POST', '/recipe/session/refresh', {
      refreshToken: held.refresh,
      enableAntiCsrf: false,
      useDynamicSigningKey: true,
    });
    expect(refreshed.body).toMatchObject({ status: 'UNAUTHORISED' });
    const verify = { accessToken: held.access, doAntiCsrfCheck: false, enableAntiCsrf: false };
    const verified = await calls.ask('POST', '/recipe/session/verify', { ...verify, checkDatabase: true });
    expect(verified.body).toMatchObject({ status: 'UNAUTHORISED' });
    const regenerated = await calls.ask('POST', '/recipe/session/regenerate', { accessToken: held.access });
    expect(regenerated.body).toMatchObject({ status: 'UNAUTHORISED' });
  });

  test('does not refresh a session that a killed process left', async () => {
    const id = await calls.signUp('a@x');
    const held = await session(id);
    const { store } = calls.core.services;
    const { setDisabled } = await import('../../../src/recipes/accounts/disable.ts');
    const { app } = await calls.tenant();
    await store.transact((tx) => setDisabled(tx, app, id, true));
    const body = { refreshToken: held.refresh, enableAntiCsrf: false, useDynamicSigningKey: true };
    expect((await calls.ask('POST', '/recipe/session/refresh', body)).body).toMatchObject({ status: 'UNAUTHORISED' });
    expect(await calls.disable(id), 'the same call again finishes it').toEqual({ status: 'OK', endedSessions: 1 });
  });

  test('may get a reset token, whose new password lets nobody in', async () => {
    const id = await calls.signUp('a@x', 'secret-1');
    await calls.disable(id);
    const asked = await calls.ask('POST', '/recipe/user/password/reset/token', { userId: id, email: 'a@x' });
    const reset = await calls.ask('POST', '/recipe/user/password/reset', {
      method: 'token',
      token: asked.body['token'],
      newPassword: 'secret-2',
    });
    expect(reset.body).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('a@x', 'secret-2')).toEqual(WRONG);
    await calls.enable(id);
    expect(await calls.signIn('a@x', 'secret-2')).toMatchObject({ status: 'OK' });
  });

  test('looks like everybody else to SDKs', async () => {
    const id = await calls.signUp('a@x');
    const before = await calls.user(id);
    await calls.disable(id);
    expect(await calls.user(id)).toEqual(before);
    expect(await calls.show(id)).toMatchObject({ isDisabled: true });
  });

  test('leaves nothing behind when removed', async () => {
    const id = await calls.signUp('a@x', 'secret-1');
    await calls.disable(id);
    await calls.manage('POST', '/user/remove', { userId: id });
    const again = await calls.signUp('a@x', 'secret-1');
    expect(await calls.tryStart(again)).toBe('OK');
  });

  test('is unknown by unknown ids', async () => {
    const unknown = { status: 'UNKNOWN_USER_ID_ERROR' };
    expect(await calls.disable('nobody')).toEqual(unknown);
    expect(await calls.enable('nobody')).toEqual(unknown);
    expect(await calls.tryStart('nobody'), 'ids of other systems have sessions as before').toBe('OK');
  });
});

describe('groups of login methods', () => {
  test('who is linked to a disabled user is disabled, and loses all sessions', async () => {
    const [primary = ''] = await calls.group('a@x');
    const joining = await calls.signUp('b@x');
    const handle = await calls.startSession(joining);
    await calls.disable(primary);
    expect((await calls.linkTo(joining, primary)).body).toMatchObject({ status: 'OK' });
    expect(await calls.alive(handle)).toEqual([false]);
    expect(await calls.tryStart(joining)).toBe(REFUSED);
    expect(await calls.signIn('b@x', 'secret-1')).toEqual(WRONG);
  });

  test('a user to whom a disabled one is linked is disabled, and loses all sessions', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    const joining = await calls.signUp('c@x');
    const handles = [await calls.startSession(primary), await calls.startSession(member)];
    await calls.disable(joining);
    const linked = await calls.linkTo(joining, primary);
    expect(Object.keys(linked.body).toSorted()).toEqual(['accountsAlreadyLinked', 'status', 'user']);
    expect(await calls.alive(...handles)).toEqual([false, false]);
    for (const id of [primary, member, joining]) expect(await calls.tryStart(id)).toBe(REFUSED);
  });

  test('a login method that leaves a disabled user stays disabled, and is enabled by itself', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    await calls.disable(primary);
    await calls.unlink(member);
    expect([await calls.tryStart(primary), await calls.tryStart(member)]).toEqual([REFUSED, REFUSED]);
    await calls.enable(primary);
    expect([await calls.tryStart(primary), await calls.tryStart(member)]).toEqual(['OK', REFUSED]);
  });

  test('a disabled user whose own login method is gone stays disabled', async () => {
    const [primary = '', member = ''] = await calls.group('a@x', 'b@x');
    await calls.unlink(primary);
    await calls.disable(member);
    expect([await calls.tryStart(primary), await calls.tryStart(member)]).toEqual([REFUSED, REFUSED]);
    await calls.enable(primary);
    expect([await calls.tryStart(primary), await calls.tryStart(member)]).toEqual(['OK', 'OK']);
  });

  test('only the user is disabled whose own id another has outside', async () => {
    const id = await calls.signUp('a@x');
    const other = await calls.signUp('b@x');
    const handle = await calls.startSession(other);
    // By force, the id of the second is the external one of the first.
    await calls.map(id, other);
    expect(await calls.disable(id)).toEqual({ status: 'OK', endedSessions: 0 });
    expect(await calls.alive(handle)).toEqual([true]);
    expect([await calls.tryStart(id), await calls.tryStart(other)]).toEqual([REFUSED, 'OK']);
  });
});

describe('races', () => {
  test.each([1, 2, 3, 4, 5])('no session that is made meanwhile outlives the call, round %i', async (round) => {
    const email = `race-${round}@x`;
    const [primary = '', member = ''] = await calls.group(email, `other-${email}`);
    const starting = Array.from({ length: 12 }, (_, at) => calls.tryStart(at % 2 === 0 ? primary : member));
    const disabled = await calls.disable(primary);
    const made = (await Promise.all(starting)).filter((status) => status === 'OK').length;
    expect(disabled).toEqual({ status: 'OK', endedSessions: made });
    expect(await calls.show(primary)).toMatchObject({ sessionCount: 0 });
  });

  test('a session whose tokens are signed while the user is disabled is not made', async () => {
    const id = await calls.signUp('a@x');
    const { keys } = calls.core.services;
    const original = keys.masterKey.bind(keys);
    vi.spyOn(keys, 'masterKey').mockImplementationOnce(async (tenant) => {
      await calls.disable(id);
      return original(tenant);
    });
    expect(await calls.tryStart(id)).toBe(REFUSED);
    expect(await calls.show(id)).toMatchObject({ sessionCount: 0 });
  });

  test('of linking and disabling at once both hold', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [primary = ''] = await calls.group(`p-${round}@x`);
      const joining = await calls.signUp(`j-${round}@x`);
      await Promise.all([calls.linkTo(joining, primary), calls.disable(primary)]);
      expect([await calls.tryStart(primary), await calls.tryStart(joining)]).toEqual([REFUSED, REFUSED]);
    }
  });
});

test('imports bring the mark along', async () => {
  const method = { recipeId: 'passwordless', tenantIds: ['public'], email: 'a@x', isVerified: true };
  const user = { externalUserId: 'outside', isDisabled: true, loginMethods: [method] };
  expect((await calls.ask('POST', '/bulk-import/import', user)).body).toMatchObject({ status: 'OK' });
  expect(await calls.show('outside')).toMatchObject({ isDisabled: true });
  expect(await calls.tryStart('outside')).toBe(REFUSED);
});
