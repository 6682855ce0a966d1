import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { totpCode } from '../totp-code.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { type ExpressApp, MultiFactorAuth, startApp, Totp } from './express-app.ts';
import { FrontEnd } from './front-end.ts';

/** The SDK with TOTP as a second factor: whoever has not shown a code may not use the protected routes. */
const PASSWORD = 'correct-horse-1';
/** Long, so that a code holds as long as the test takes. */
const PERIOD = 100_000;

let core: RunningCore;
let app: ExpressApp;
let number = 0;

beforeAll(async () => {
  core = await startCore();
  const requireTotp = MultiFactorAuth.init({
    firstFactors: ['emailpassword'],
    override: { functions: (original) => ({ ...original, getMFARequirementsForAuth: () => ['totp'] }) },
  });
  app = await startApp(core.url, undefined, [Totp.init({ defaultPeriod: PERIOD }), requireTotp]);
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

/** One moment for all codes: should a period end meanwhile, those of this step and of the next are good still. */
const NOW = Date.now();

/** The code of a secret now, or some steps away. */
const code = (secret: string, steps = 0): string => totpCode({ secret, period: PERIOD, skew: 0 }, NOW + steps * PERIOD * 1000) ?? '';
/** Six digits that are no code of the secret about now. */
const wrong = (secret: string): string => {
  const right = new Set([-2, -1, 0, 1, 2].map((steps) => code(secret, steps)));
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((text) => !right.has(text)) ?? '';
};

async function signedUp() {
  const front = new FrontEnd(app.url, 'header');
  const email = `totp-${(number += 1)}@example.com`;
  const { body } = await front.signUp(email, PASSWORD);
  expect(body['status'], JSON.stringify(body)).toBe('OK');
  const { id } = body['user'] as { readonly id: string };
  return { front, email, userId: id };
}

/** A user who has set up a device in the browser; the code of this step is used. */
async function withDevice() {
  const user = await signedUp();
  const { body } = await user.front.post('/auth/totp/device', { deviceName: 'phone' });
  const secret = String(body['secret']);
  const proven = await user.front.post('/auth/totp/device/verify', { deviceName: 'phone', totp: code(secret) });
  expect(proven.body).toEqual({ status: 'OK', wasAlreadyVerified: false });
  return { ...user, secret };
}

describe('a visitor', () => {
  test('sets a device up and is let in', async () => {
    const { front, email } = await signedUp();
    expect(await front.get('/me')).toMatchObject({ status: 403, body: { claimValidationErrors: [{ id: 'st-mfa' }] } });
    const { body: made } = await front.post('/auth/totp/device', { deviceName: 'phone' });
    expect(made).toMatchObject({ status: 'OK', deviceName: 'phone', secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
    expect(made['qrCodeString']).toBe(
      `otpauth://totp/Test%20application:${encodeURI(email)}?secret=${made['secret']}&issuer=Test%20application&digits=6&period=${PERIOD}`,
    );
    const secret = String(made['secret']);
    const prove = (totp: string) => front.post('/auth/totp/device/verify', { deviceName: 'phone', totp });
    expect((await prove(wrong(secret))).body).toEqual({
      status: 'INVALID_TOTP_ERROR',
      currentNumberOfFailedAttempts: 1,
      maxNumberOfFailedAttempts: 5,
    });
    expect((await prove(code(secret))).body).toEqual({ status: 'OK', wasAlreadyVerified: false });
    expect(await front.get('/me')).toMatchObject({ status: 200, body: { claims: { 'st-mfa': { v: true } } } });
    expect((await front.get('/auth/totp/device/list')).body).toEqual({
      status: 'OK',
      devices: [{ name: 'phone', period: PERIOD, skew: 1, verified: true }],
    });
  });

  test('shows a code at the next sign-in', async () => {
    const { email, secret } = await withDevice();
    const front = new FrontEnd(app.url, 'header');
    await front.signIn(email, PASSWORD);
    expect((await front.get('/me')).status).toBe(403);
    expect((await front.post('/auth/totp/verify', { totp: code(secret) })).body['status']).toBe('INVALID_TOTP_ERROR');
    expect((await front.post('/auth/totp/verify', { totp: code(secret, 1) })).body).toEqual({ status: 'OK' });
    expect((await front.get('/me')).status).toBe(200);
  });

  test('who guesses has to wait', async () => {
    const { email, secret } = await withDevice();
    const front = new FrontEnd(app.url, 'header');
    await front.signIn(email, PASSWORD);
    const verify = async (totp: string) => (await front.post('/auth/totp/verify', { totp })).body;
    for (let failed = 1; failed <= 5; failed++) {
      expect(await verify(wrong(secret))).toMatchObject({ status: 'INVALID_TOTP_ERROR', currentNumberOfFailedAttempts: failed });
    }
    const limited = await verify(code(secret, 1));
    expect(limited).toMatchObject({ status: 'LIMIT_REACHED_ERROR' });
    // Of the fifteen minutes as many are left as matter.
    expect(limited['retryAfterMs']).toBeGreaterThan(600_000);
    expect((await front.get('/me')).status).toBe(403);
  });
});

describe('what the back end does', () => {
  test('devices are made, renamed, listed and removed', async () => {
    const { userId } = await signedUp();
    const made = await Totp.createDevice(userId);
    if (made.status !== 'OK') throw new Error(made.status);
    expect(made.deviceName).toBe('TOTP Device 0');
    expect(await Totp.verifyDevice('public', userId, made.deviceName, code(made.secret))).toEqual({
      status: 'OK',
      wasAlreadyVerified: false,
    });
    expect(await Totp.createDevice(userId, undefined, made.deviceName)).toEqual({ status: 'DEVICE_ALREADY_EXISTS_ERROR' });
    expect(await Totp.updateDevice(userId, made.deviceName, 'watch')).toEqual({ status: 'OK' });
    expect(await Totp.updateDevice(userId, made.deviceName, 'clock')).toEqual({ status: 'UNKNOWN_DEVICE_ERROR' });
    expect(await Totp.listDevices(userId)).toMatchObject({ devices: [{ name: 'watch', period: PERIOD, skew: 1, verified: true }] });
    expect(await Totp.verifyTOTP('public', userId, code(made.secret, 1))).toEqual({ status: 'OK' });
    expect(await Totp.removeDevice(userId, 'watch')).toMatchObject({ status: 'OK', didDeviceExist: true });
    expect(await Totp.removeDevice(userId, 'watch')).toMatchObject({ status: 'OK', didDeviceExist: false });
    expect(await Totp.verifyTOTP('public', userId, code(made.secret))).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('of many uses of one code at once, one is right, on all threads together', async () => {
    const { userId, secret } = await withDevice();
    const answers = await Promise.all(Array.from({ length: 20 }, () => Totp.verifyTOTP('public', userId, code(secret, 1))));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'INVALID_TOTP_ERROR')).toHaveLength(5);
    expect(answers.filter(({ status }) => status === 'LIMIT_REACHED_ERROR')).toHaveLength(14);
  });
});
