import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { EmailPassword, type ExpressApp, resetLinks, Session, startApp, SuperTokens } from './express-app.ts';
import { FrontEnd, type Transfer } from './front-end.ts';

/** The published Node SDK, unmodified, in an Express application, against this core. */
const PASSWORD = 'correct-horse-1';
const TRANSFERS: readonly Transfer[] = ['header', 'cookie'];

let core: RunningCore;
let app: ExpressApp;
let number = 0;
const freshEmail = (): string => `sdk-${(number += 1)}@example.com`;

beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

async function signedUp(transfer: Transfer): Promise<{ readonly front: FrontEnd; readonly userId: string; readonly email: string }> {
  const front = new FrontEnd(app.url, transfer);
  const email = freshEmail();
  const made = await front.signUp(email, PASSWORD);
  expect(made.body['status'], JSON.stringify(made)).toBe('OK');
  const { id } = made.body['user'] as { readonly id: string };
  return { front, userId: id, email };
}

describe.each(TRANSFERS)('with tokens in a %s', (transfer) => {
  test('sign up, look, sign out, sign in', async () => {
    const { front, userId, email } = await signedUp(transfer);
    expect(await front.get('/me')).toMatchObject({
      status: 200,
      body: { userId, tenantId: 'public', claims: { sub: userId, iss: 'http://127.0.0.1:3001/auth' } },
    });
    const access = front.access;
    expect(await front.signOut()).toMatchObject({ status: 200, body: { status: 'OK' } });
    expect(front.access).toBe('');
    front.access = access;
    expect((await front.get('/me/checked')).status).toBe(401);

    const back = new FrontEnd(app.url, transfer);
    expect((await back.signIn(email.toUpperCase(), PASSWORD)).body).toMatchObject({ status: 'OK', user: { id: userId, emails: [email] } });
    expect((await back.get('/me/checked')).body['userId']).toBe(userId);
  });

  test('who has no account, or the wrong password, stays out', async () => {
    const { email } = await signedUp(transfer);
    const front = new FrontEnd(app.url, transfer);
    expect((await front.signIn(email, 'wrong-horse-1')).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await front.signIn(freshEmail(), PASSWORD)).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
    expect((await front.signUp(email, PASSWORD)).body['status']).toBe('FIELD_ERROR');
    expect((await front.signUp('no-address', PASSWORD)).body['status']).toBe('FIELD_ERROR');
    expect((await front.get('/me')).status).toBe(401);
    expect((await front.get('/me/if-any')).status).toBe(200);
    expect((await front.get(`/auth/emailpassword/email/exists?email=${email}`)).body).toMatchObject({ exists: true });
    expect((await front.get(`/auth/emailpassword/email/exists?email=${freshEmail()}`)).body).toMatchObject({ exists: false });
  });

  test('who is disabled is out at once, and in again when enabled', async () => {
    const { front, userId, email } = await signedUp(transfer);
    const operator = cdiClient(core.url);
    expect((await operator.post('/manage/v1/user/disable', { userId })).body).toEqual({ status: 'OK', endedSessions: 1 });
    expect((await front.get('/me/checked')).status).toBe(401);
    expect((await front.refresh()).status).toBe(401);
    const back = new FrontEnd(app.url, transfer);
    expect((await back.signIn(email, PASSWORD)).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
    await operator.post('/manage/v1/user/enable', { userId });
    expect((await back.signIn(email, PASSWORD)).body).toMatchObject({ status: 'OK', user: { id: userId } });
  });

  test('refresh again and again', async () => {
    const { front, userId } = await signedUp(transfer);
    for (let i = 0; i < 4; i += 1) {
      const before = { access: front.access, refresh: front.refreshToken };
      expect((await front.refresh()).status).toBe(200);
      expect(front.access).not.toBe(before.access);
      expect(front.refreshToken).not.toBe(before.refresh);
      // The first use of a refreshed session makes the SDK ask the core, which hands out the settled access token.
      expect((await front.get('/me')).body['userId']).toBe(userId);
      expect(front.renewed).toBe(true);
      await front.get('/me');
      expect(front.renewed).toBe(false);
    }
  });

  test('a lost answer to a refresh is no theft', async () => {
    const { front, userId } = await signedUp(transfer);
    const kept = { access: front.access, refresh: front.refreshToken };
    await front.refresh();
    front.access = kept.access;
    front.refreshToken = kept.refresh;
    expect((await front.refresh()).status).toBe(200);
    expect((await front.get('/me')).body['userId']).toBe(userId);
  });

  test('a stolen refresh token ends every session of the user', async () => {
    const { front, email } = await signedUp(transfer);
    const elsewhere = new FrontEnd(app.url, transfer);
    await elsewhere.signIn(email, PASSWORD);
    const thief = new FrontEnd(app.url, transfer);
    thief.access = front.access;
    thief.refreshToken = front.refreshToken;
    await front.refresh();
    await front.get('/me');
    expect((await thief.refresh()).status).toBe(401);
    expect((await front.get('/me/checked')).status).toBe(401);
    expect((await front.refresh()).status).toBe(401);
    expect((await elsewhere.get('/me/checked')).status).toBe(401);
  });

  test('claims are changed, signed and kept over a refresh', async () => {
    const { front } = await signedUp(transfer);
    expect((await front.post('/claims', { plan: 'gold', odd: null })).body['claims']).toMatchObject({ plan: 'gold' });
    expect(front.renewed).toBe(true);
    expect((await front.get('/me')).body['claims']).toMatchObject({ plan: 'gold' });
    await front.refresh();
    expect((await front.get('/me')).body['claims']).toMatchObject({ plan: 'gold' });
  });
});

describe('what the back end does', () => {
  test('access tokens verify against the published keys without asking the core', async () => {
    const { front, userId } = await signedUp('header');
    const keys = createRemoteJWKSet(new URL(`${core.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(front.access, keys, { algorithms: ['RS256'] });
    expect(payload).toMatchObject({ sub: userId, rsub: userId, tId: 'public' });
    expect(protectedHeader).toMatchObject({ typ: 'JWT', version: '5' });
    expect(protectedHeader.kid).toMatch(/^d-\d+$/);
  });

  test('sessions are listed, described and revoked', async () => {
    const { front, userId, email } = await signedUp('header');
    const second = new FrontEnd(app.url, 'header');
    await second.signIn(email, PASSWORD);
    const handles = await Session.getAllSessionHandlesForUser(userId);
    expect(handles).toHaveLength(2);

    const [one = '', other = ''] = handles;
    const described = await Session.getSessionInformation(one);
    expect(described).toMatchObject({ sessionHandle: one, userId, tenantId: 'public', sessionDataInDatabase: {} });
    expect(described?.recipeUserId.getAsString()).toBe(userId);

    expect(await Session.revokeSession(one)).toBe(true);
    expect(await Session.revokeSession(one)).toBe(false);
    expect(await Session.getSessionInformation(one)).toBeUndefined();
    expect(await Session.revokeAllSessionsForUser(userId)).toEqual([other]);
    expect(await Session.getAllSessionHandlesForUser(userId)).toEqual([]);
    expect((await front.get('/me/checked')).status).toBe(401);
    expect((await second.refresh()).status).toBe(401);
  });

  test('several sessions go at once, unknown ones are left out', async () => {
    const { userId } = await signedUp('header');
    const handles = await Session.getAllSessionHandlesForUser(userId, true, 'public');
    const removed = await Session.revokeMultipleSessions([...handles, '00000000-0000-4000-8000-000000000000']);
    expect(removed).toEqual(handles);
  });

  test('session data and claims are written from outside a request', async () => {
    const { front, userId } = await signedUp('header');
    const [handle = ''] = await Session.getAllSessionHandlesForUser(userId);
    expect(await Session.updateSessionDataInDatabase(handle, { cart: [1, 2, { deep: null }] })).toBe(true);
    expect(await Session.mergeIntoAccessTokenPayload(handle, { plan: 'silver' })).toBe(true);
    expect(await Session.getSessionInformation(handle)).toMatchObject({
      sessionDataInDatabase: { cart: [1, 2, { deep: null }] },
      customClaimsInAccessTokenPayload: { plan: 'silver' },
    });
    expect((await front.get('/me/checked')).body['claims']).toMatchObject({ plan: 'silver' });
    expect(await Session.mergeIntoAccessTokenPayload('no-such-session', { plan: 'x' })).toBe(false);
    expect(await Session.updateSessionDataInDatabase('no-such-session', {})).toBe(false);
  });

  test('a session is made without a request, and verified', async () => {
    const { userId } = await signedUp('header');
    const recipeUserId = SuperTokens.convertToRecipeUserId(userId);
    const made = await Session.createNewSessionWithoutRequestResponse('public', recipeUserId, { role: 'robot' }, { note: 'n' });
    const tokens = made.getAllSessionTokensDangerously();
    const seen = await Session.getSessionWithoutRequestResponse(tokens.accessToken, undefined, { checkDatabase: true });
    expect(seen.getAccessTokenPayload()).toMatchObject({ role: 'robot' });
    expect(await seen.getSessionDataFromDatabase()).toEqual({ note: 'n' });
    const next = await Session.refreshSessionWithoutRequestResponse(String(tokens.refreshToken));
    expect(next.getHandle()).toBe(made.getHandle());
  });

  test('claims that belong to the core cannot be chosen', async () => {
    const recipeUserId = SuperTokens.convertToRecipeUserId('anybody');
    const made = await Session.createNewSessionWithoutRequestResponse('public', recipeUserId, { sub: 'somebody-else', mine: true });
    expect(made.getAccessTokenPayload()).toMatchObject({ sub: 'anybody', rsub: 'anybody', mine: true });
  });

  test('other tokens are signed by the core', async () => {
    const signed = await Session.createJWT({ purpose: 'invitation' }, 60);
    if (signed.status !== 'OK') throw new Error(signed.status);
    const keys = createRemoteJWKSet(new URL(`${core.url}/.well-known/jwks.json`));
    const { payload, protectedHeader } = await jwtVerify(signed.jwt, keys);
    expect(payload['purpose']).toBe('invitation');
    expect(protectedHeader.kid).toMatch(/^s-/);
    expect((await Session.getJWKS()).keys).toHaveLength(2);
  });
});

/** The published bcrypt hash of `testPass123`. */
const BCRYPT_HASH = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const NEW_PASSWORD = 'another-horse-2';

/** Asks for a reset as a front end does; answers the token of the mail that was sent. */
async function mailedToken(email: string): Promise<string> {
  const before = resetLinks.length;
  const asked = await new FrontEnd(app.url, 'header').post('/auth/user/password/reset/token', {
    formFields: [{ id: 'email', value: email }],
  });
  expect(asked.body['status'], JSON.stringify(asked)).toBe('OK');
  await vi.waitFor(() => expect(resetLinks).toHaveLength(before + 1), 20_000);
  const link = resetLinks.at(-1);
  expect(link?.searchParams.get('tenantId')).toBe('public');
  return String(link?.searchParams.get('token'));
}

const resetTo = (token: string, value: string) =>
  new FrontEnd(app.url, 'header').post('/auth/user/password/reset', { method: 'token', token, formFields: [{ id: 'password', value }] });
const statusOfSignIn = async (email: string, password: string): Promise<unknown> =>
  (await new FrontEnd(app.url, 'header').signIn(email, password)).body['status'];

describe('passwords and emails', () => {
  test('a forgotten password is reset by a mailed link, once', async () => {
    const { email } = await signedUp('header');
    const [first, second] = [await mailedToken(email), await mailedToken(email.toUpperCase())];
    expect((await resetTo(second, 'weak')).body['status']).toBe('FIELD_ERROR');
    expect((await resetTo(second, NEW_PASSWORD)).body['status']).toBe('OK');
    for (const token of [first, second, 'nonsense']) {
      expect((await resetTo(token, PASSWORD)).body['status']).toBe('RESET_PASSWORD_INVALID_TOKEN_ERROR');
    }
    expect(await statusOfSignIn(email, PASSWORD)).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await statusOfSignIn(email, NEW_PASSWORD)).toBe('OK');
  });

  test('nobody learns whether a reset mail was sent', async () => {
    const before = resetLinks.length;
    const formFields = [{ id: 'email', value: freshEmail() }];
    const asked = await new FrontEnd(app.url, 'header').post('/auth/user/password/reset/token', { formFields });
    expect(asked.body['status']).toBe('OK');
    expect(resetLinks).toHaveLength(before);
  });

  test('the back end makes, reads and uses reset tokens', async () => {
    const { userId, email } = await signedUp('header');
    const made = await EmailPassword.createResetPasswordToken('public', userId, email);
    if (made.status !== 'OK') throw new Error(made.status);
    expect(await EmailPassword.consumePasswordResetToken('public', made.token)).toEqual({ status: 'OK', userId, email });
    expect(await EmailPassword.consumePasswordResetToken('public', made.token)).toEqual({ status: 'RESET_PASSWORD_INVALID_TOKEN_ERROR' });
    const again = await EmailPassword.createResetPasswordToken('public', userId, email);
    if (again.status !== 'OK') throw new Error(again.status);
    expect(await EmailPassword.resetPasswordUsingToken('public', again.token, NEW_PASSWORD)).toMatchObject({ status: 'OK' });
    expect(await statusOfSignIn(email, NEW_PASSWORD)).toBe('OK');
    expect(await EmailPassword.createResetPasswordToken('public', 'nobody', email)).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('the back end changes emails and passwords', async () => {
    const [{ userId, email }, other] = [await signedUp('header'), await signedUp('header')];
    const recipeUserId = SuperTokens.convertToRecipeUserId(userId);
    const changed = freshEmail();
    const update = (change: { email?: string; password?: string }) => EmailPassword.updateEmailOrPassword({ recipeUserId, ...change });
    expect(await update({ email: other.email })).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect(await update({ email: changed, password: NEW_PASSWORD })).toEqual({ status: 'OK' });
    expect(await statusOfSignIn(email, PASSWORD)).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await statusOfSignIn(changed, NEW_PASSWORD)).toBe('OK');
    expect(await EmailPassword.verifyCredentials('public', changed, NEW_PASSWORD)).toMatchObject({ status: 'OK' });
    expect((await SuperTokens.getUser(userId))?.emails).toEqual([changed]);
    const nobody = { recipeUserId: SuperTokens.convertToRecipeUserId('nobody'), password: NEW_PASSWORD };
    expect(await EmailPassword.updateEmailOrPassword(nobody)).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('who was imported with a password hash signs in', async () => {
    const email = freshEmail();
    const imported = await cdiClient(core.url).post('/recipe/user/passwordhash/import', { email, passwordHash: BCRYPT_HASH });
    expect(imported.body).toMatchObject({ status: 'OK', didUserAlreadyExist: false });
    const front = new FrontEnd(app.url, 'cookie');
    expect((await front.signIn(email, 'testPass123')).body).toMatchObject({ status: 'OK', user: { emails: [email] } });
    expect((await front.get('/me')).status).toBe(200);
    expect((await front.get(`/auth/emailpassword/email/exists?email=${email}`)).body).toMatchObject({ exists: true });
  });
});
