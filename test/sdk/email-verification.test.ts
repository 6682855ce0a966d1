import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningCore, startCore } from '../running-core.ts';
import { EmailVerification, type ExpressApp, Session, startApp, SuperTokens } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** The SDK with email verification required: whoever has not verified an email may not use the protected routes. */
const PASSWORD = 'correct-horse-1';
const PATH = '/auth/user/email/verify';

let core: RunningCore;
let app: ExpressApp;
let number = 0;
/** The links that were sent, by email. */
const mailbox = new Map<string, string>();

beforeAll(async () => {
  core = await startCore();
  const emailDelivery = {
    service: {
      sendEmail: (mail: { readonly user: { readonly email: string }; readonly emailVerifyLink: string }): Promise<void> => {
        mailbox.set(mail.user.email, mail.emailVerifyLink);
        return Promise.resolve();
      },
    },
  };
  app = await startApp(core.url, undefined, [EmailVerification.init({ mode: 'REQUIRED', emailDelivery })]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

async function signedUp() {
  const front = new FrontEnd(app.url, 'header');
  const email = `ev-${(number += 1)}@example.com`;
  const { body } = await front.signUp(email, PASSWORD);
  expect(body['status'], JSON.stringify(body)).toBe('OK');
  const { id } = body['user'] as { readonly id: string };
  return { front, email, recipeUserId: SuperTokens.convertToRecipeUserId(id) };
}

function tokenSentTo(email: string): string {
  const token = new URL(String(mailbox.get(email))).searchParams.get('token');
  if (token === null) throw new Error(`no token was sent to ${email}`);
  return token;
}

describe('a visitor', () => {
  test('is let in once the email is verified', async () => {
    const { front, email } = await signedUp();
    expect(await front.get('/me')).toMatchObject({ status: 403, body: { claimValidationErrors: [{ id: 'st-ev' }] } });
    expect((await front.get(PATH)).body).toEqual({ status: 'OK', isVerified: false });
    expect((await front.post(`${PATH}/token`)).body).toMatchObject({ status: 'OK' });

    const token = tokenSentTo(email);
    expect((await front.post(PATH, { method: 'token', token: 'another' })).body['status']).toBe('EMAIL_VERIFICATION_INVALID_TOKEN_ERROR');
    expect((await front.post(PATH, { method: 'token', token, tenantId: 'public' })).body).toEqual({ status: 'OK' });
    expect(await front.get('/me')).toMatchObject({ status: 200, body: { claims: { 'st-ev': { v: true } } } });
    expect((await front.get(PATH)).body).toEqual({ status: 'OK', isVerified: true });
    expect((await front.post(`${PATH}/token`)).body['status']).toBe('EMAIL_ALREADY_VERIFIED_ERROR');
    expect((await front.post(PATH, { method: 'token', token })).body['status']).toBe('EMAIL_VERIFICATION_INVALID_TOKEN_ERROR');

    const back = new FrontEnd(app.url, 'cookie');
    expect((await back.signIn(email, PASSWORD)).body).toMatchObject({ status: 'OK', user: { loginMethods: [{ verified: true }] } });
    expect((await back.get('/me')).status).toBe(200);
  });

  test('may follow the link in another browser', async () => {
    const { front, email } = await signedUp();
    await front.post(`${PATH}/token`);
    const elsewhere = new FrontEnd(app.url, 'header');
    expect((await elsewhere.post(PATH, { method: 'token', token: tokenSentTo(email) })).body).toEqual({ status: 'OK' });
    // Asking for the state brings the claim of a session that does not know yet up to date.
    expect((await front.get(PATH)).body).toEqual({ status: 'OK', isVerified: true });
    expect((await front.get('/me')).status).toBe(200);
  });
});

describe('the back end', () => {
  test('verifies and unverifies', async () => {
    const { front, email, recipeUserId } = await signedUp();
    expect(await EmailVerification.isEmailVerified(recipeUserId)).toBe(false);
    const made = await EmailVerification.createEmailVerificationToken('public', recipeUserId);
    if (made.status !== 'OK') throw new Error(made.status);
    expect(await EmailVerification.verifyEmailUsingToken('public', made.token)).toMatchObject({ status: 'OK', user: { email } });
    expect(await EmailVerification.isEmailVerified(recipeUserId, email)).toBe(true);
    expect(await EmailVerification.createEmailVerificationToken('public', recipeUserId)).toEqual({
      status: 'EMAIL_ALREADY_VERIFIED_ERROR',
    });

    const [handle = ''] = await Session.getAllSessionHandlesForUser(recipeUserId.getAsString());
    expect(await Session.fetchAndSetClaim(handle, EmailVerification.EmailVerificationClaim)).toBe(true);
    await front.refresh();
    expect((await front.get('/me')).status).toBe(200);

    expect(await EmailVerification.unverifyEmail(recipeUserId)).toEqual({ status: 'OK' });
    expect(await EmailVerification.isEmailVerified(recipeUserId)).toBe(false);
    await Session.fetchAndSetClaim(handle, EmailVerification.EmailVerificationClaim);
    await front.refresh();
    expect((await front.get('/me')).status).toBe(403);
    expect((await SuperTokens.getUser(recipeUserId.getAsString()))?.loginMethods[0]?.verified).toBe(false);
  });

  test('revokes what was sent', async () => {
    const { recipeUserId } = await signedUp();
    const made = await EmailVerification.createEmailVerificationToken('public', recipeUserId);
    if (made.status !== 'OK') throw new Error(made.status);
    expect(await EmailVerification.revokeEmailVerificationTokens('public', recipeUserId)).toEqual({ status: 'OK' });
    expect(await EmailVerification.verifyEmailUsingToken('public', made.token)).toEqual({
      status: 'EMAIL_VERIFICATION_INVALID_TOKEN_ERROR',
    });
  });

  test('any email of a user may be verified', async () => {
    const { recipeUserId } = await signedUp();
    const made = await EmailVerification.createEmailVerificationToken('public', recipeUserId, ' Second@Example.com');
    if (made.status !== 'OK') throw new Error(made.status);
    expect(await EmailVerification.verifyEmailUsingToken('public', made.token)).toMatchObject({ user: { email: 'second@example.com' } });
    expect(await EmailVerification.isEmailVerified(recipeUserId, 'second@example.com')).toBe(true);
    expect(await EmailVerification.isEmailVerified(recipeUserId)).toBe(false);
  });
});
