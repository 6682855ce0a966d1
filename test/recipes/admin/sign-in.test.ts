import { beforeEach, describe, expect, test } from 'vitest';
import { KEY } from '../../cli/places.ts';
import type { RunningCore } from '../../running-core.ts';
import { totpCode } from '../../totp-code.ts';
import { withCore } from '../../with-core.ts';
import { addOperator, Browser, PASSWORD, send } from './browser.ts';

let core: RunningCore;
let browser: Browser;
let count = 0;
let email = '';
const OWN = '/manage/v1/operator';
const byKey = { 'api-key': KEY };
const STEP_MS = 30_000;

withCore({ env: { API_KEYS: KEY, DASHBOARD_SIGN_IN_FAILURES_PER_ADDRESS: '0' } }, (started) => {
  core = started;
});

beforeEach(async () => {
  count += 1;
  email = `operator${count}@example.com`;
  await addOperator(core.port, KEY, email, 'support');
  browser = new Browser(core.port);
});

/** The events of operators, the newest first. */
async function trail(): Promise<readonly Record<string, unknown>[]> {
  // Events get their places each second.
  for (let tries = 0; tries < 50; tries += 1) {
    const { body } = await send(core.port, 'GET', '/manage/v1/audit?limit=50', byKey);
    const events = body['events'] as readonly Record<string, unknown>[];
    if (events.some(({ kind }) => kind === 'user.disabled')) return events;
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error('nothing was sealed');
}

/** Enrols, and answers the secret; the code of the present step is used then. */
async function enrol(): Promise<string> {
  const { body } = await browser.ask('POST', `${OWN}/totp`, { password: PASSWORD });
  const secret = String(body['secret']);
  expect(body['uri']).toBe(`otpauth://totp/${encodeURIComponent(`Watchword:${email}`)}?secret=${secret}&issuer=Watchword&period=30`);
  const totp = totpCode({ secret, period: 30, skew: 1 }, Date.now());
  expect((await browser.ask('POST', `${OWN}/totp/verify`, { totp })).body).toMatchObject({ status: 'OK', operator: { hasTotp: true } });
  return secret;
}

describe('by password', () => {
  test('a session in a cookie that no script and no other site can use', async () => {
    expect((await browser.ask('GET', OWN)).body).toEqual({ status: 'SIGNED_OUT_ERROR' });
    const answer = await browser.signIn(` ${email.toUpperCase()} `);
    expect(answer.body).toEqual({
      status: 'OK',
      operator: { userId: expect.stringMatching(/^[0-9a-f-]{36}$/), email, role: 'support', scopes: ['read', 'users'], hasTotp: false },
      mustEnrolTotp: false,
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      now: expect.any(Number),
      session: { id: expect.any(String), createdAt: expect.any(Number), expiresAt: expect.any(Number), idleMs: 1_800_000 },
    });
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-watchword=[\w-]{43}; Max-Age=43200; Path=\/; Secure; HttpOnly; SameSite=Strict$/),
    ]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.text).not.toContain(String(browser.cookie));
    const later = (await browser.ask('GET', OWN)).body;
    expect(later).toEqual({ ...answer.body, now: later['now'] });
    expect(Number(later['now'])).toBeGreaterThanOrEqual(Number(answer.body['now']));
  });

  test('what is wrong is told in one way, and a user without a role what is missing', async () => {
    const wrong = { status: 'INVALID_CREDENTIALS_ERROR' };
    expect((await browser.signIn(email, 'a wrong password 1')).body).toEqual(wrong);
    expect((await browser.signIn('nobody@example.com')).body).toEqual(wrong);
    const other = `plain${count}@example.com`;
    await send(core.port, 'POST', '/recipe/dashboard/user', byKey, { email: other, password: PASSWORD });
    expect((await browser.signIn(other, 'a wrong password 1')).body).toEqual(wrong);
    expect((await browser.signIn(other)).body).toEqual({ status: 'NOT_AN_OPERATOR_ERROR' });
    expect(browser.cookie).toBeUndefined();
  });

  test('what an operator changes stands in the trail under the id', async () => {
    const { body } = await browser.signIn(email);
    const made = await browser.ask('POST', '/recipe/signup', { email, password: PASSWORD });
    const { id } = made.body['user'] as { readonly id: string };
    const session = { userId: id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
    const begin = async (): Promise<unknown> => (await send(core.port, 'POST', '/recipe/session', byKey, session)).body['session'];
    // Back ends end sessions the same way, whenever somebody signs out.
    await begin();
    await send(core.port, 'POST', '/recipe/session/remove', byKey, { userId: id });
    const { handle } = (await begin()) as { readonly handle: string };
    await browser.ask('POST', '/recipe/session/remove', { userId: id });
    expect((await browser.ask('POST', '/manage/v1/user/disable', { userId: id })).body).toMatchObject({ status: 'OK' });
    const { userId } = body['operator'] as { readonly userId: string };
    const actor = { type: 'operator', name: userId };
    const events = await trail();
    expect(events.filter(({ kind }) => kind === 'session.revoked')).toHaveLength(1);
    const own = events.filter((event) => (event['actor'] as { readonly name?: string }).name === userId);
    expect(own).toMatchObject([
      { kind: 'user.disabled', userId: id, actor, via: 'POST /manage/v1/user/disable' },
      { kind: 'session.revoked', userId: id, actor, tenantId: 'public', details: { session: handle } },
      { kind: 'user.created', userId: id, actor },
      { kind: 'operator.signed-in', actor },
    ]);
  });

  test('who signs out is out, and so is the cookie', async () => {
    await browser.signIn(email);
    const { cookie } = browser;
    const answer = await browser.ask('POST', `${OWN}/sign-out`);
    expect(answer.headers['set-cookie']).toEqual([`__Host-watchword=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict`]);
    browser.cookie = cookie;
    const later = await browser.ask('GET', '/users');
    expect([later.status, later.text]).toEqual([401, 'Sign in: there is no session, or it has ended']);
  });

  test('failures are counted with those of the dashboard, and over the limit the right password is wrong too', async () => {
    for (let attempt = 1; attempt <= 20; attempt += 1) await new Browser(core.port).signIn(email, `wrong password ${attempt}`);
    expect((await browser.signIn(email)).body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
    // Whoever sets the password, by a key, lets the operator in again.
    await send(core.port, 'PUT', '/recipe/dashboard/user', byKey, { email, newPassword: PASSWORD });
  });
});

describe('the own password', () => {
  test('needs the old one, and ends all other sessions', async () => {
    await browser.signIn(email);
    const other = new Browser(core.port);
    await other.signIn(email);
    const weak = await browser.ask('POST', `${OWN}/password`, { password: PASSWORD, newPassword: 'short' });
    expect(weak.body['status']).toBe('PASSWORD_WEAK_ERROR');
    const wrong = await browser.ask('POST', `${OWN}/password`, { password: 'wrong', newPassword: 'another password 2' });
    expect(wrong.body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
    const { cookie: before } = browser;
    const changed = await browser.ask('POST', `${OWN}/password`, { password: PASSWORD, newPassword: 'another password 2' });
    expect(changed.body['status']).toBe('OK');
    expect(browser.cookie).not.toBe(before);
    expect((await browser.ask('GET', '/users')).status).toBe(200);
    expect((await other.ask('GET', '/users')).status).toBe(401);
    expect((await other.signIn(email)).body['status']).toBe('INVALID_CREDENTIALS_ERROR');
    expect((await other.signIn(email, 'another password 2')).body['status']).toBe('OK');
  });
});

describe('one-time codes', () => {
  test('are asked for after the password, and taken once', async () => {
    await browser.signIn(email);
    expect((await browser.ask('POST', `${OWN}/totp/verify`, { totp: '000000' })).body).toEqual({ status: 'NO_ENROLMENT_ERROR' });
    expect((await browser.ask('POST', `${OWN}/totp`, { password: 'wrong' })).body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
    const secret = await enrol();
    expect((await browser.ask('POST', `${OWN}/totp`, { password: PASSWORD })).body).toEqual({ status: 'TOTP_ALREADY_ENROLLED_ERROR' });
    const next = new Browser(core.port);
    expect((await next.signIn(email, 'wrong', '000000')).body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
    expect((await next.signIn(email)).body).toEqual({ status: 'TOTP_REQUIRED_ERROR' });
    expect((await next.signIn(email, PASSWORD, '00000x')).body).toEqual({ status: 'INVALID_TOTP_ERROR' });
    // The present one proved the enrolment.
    const used = totpCode({ secret, period: 30, skew: 1 }, Date.now());
    const code = totpCode({ secret, period: 30, skew: 1 }, Date.now() + STEP_MS);
    if (used !== code) expect((await next.signIn(email, PASSWORD, used)).body).toEqual({ status: 'INVALID_TOTP_ERROR' });
    expect((await next.signIn(email, PASSWORD, code)).body['status']).toBe('OK');
    expect((await next.signIn(email, PASSWORD, code)).body).toEqual({ status: 'INVALID_TOTP_ERROR' });
  });

  test('go with password and code, or by an admin for who lost the device', async () => {
    await browser.signIn(email);
    await enrol();
    const removed = await browser.ask('POST', `${OWN}/totp/remove`, { password: PASSWORD, totp: '00000x' });
    expect(removed.body).toEqual({ status: 'INVALID_TOTP_ERROR' });
    expect((await send(core.port, 'POST', '/manage/v1/operators/totp/remove', byKey, { email })).body).toEqual({
      status: 'OK',
      didExist: true,
    });
    expect((await browser.ask('GET', '/users')).status).toBe(401);
    expect((await browser.signIn(email)).body['status']).toBe('OK');
  });

  test('wrong ones are limited, also for the right password', async () => {
    await browser.signIn(email);
    const secret = await enrol();
    const next = new Browser(core.port);
    for (let attempt = 1; attempt <= 5; attempt += 1) await next.signIn(email, PASSWORD, '00000x');
    const code = totpCode({ secret, period: 30, skew: 1 }, Date.now() + STEP_MS);
    expect((await next.signIn(email, PASSWORD, code)).body).toEqual({ status: 'INVALID_TOTP_ERROR' });
  });
});

describe('sessions', () => {
  const list = async (): Promise<readonly { readonly id: string; readonly isThis: boolean }[]> =>
    (await browser.ask('GET', `${OWN}/sessions`)).body['sessions'] as never;

  test('are listed without their cookies, and ended one by one or all but this', async () => {
    const others = [new Browser(core.port), new Browser(core.port), new Browser(core.port)];
    for (const other of others) await other.signIn(email);
    await browser.signIn(email);
    const sessions = await list();
    expect(sessions.map(({ isThis }) => isThis)).toEqual([true, false, false, false]);
    expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual(['address', 'createdAt', 'expiresAt', 'id', 'isThis', 'usedAt']);
    expect((await browser.ask('POST', `${OWN}/sessions/end`, { id: sessions[1]?.id })).body).toEqual({ status: 'OK', ended: 1 });
    expect((await browser.ask('POST', `${OWN}/sessions/end`, {})).body).toEqual({ status: 'OK', ended: 2 });
    for (const other of others) expect((await other.ask('GET', '/users')).status).toBe(401);
    expect(await list()).toHaveLength(1);
  });

  test('the twentieth and one more end the oldest', async () => {
    await browser.signIn(email);
    for (let at = 1; at < 20; at += 1) await new Browser(core.port).signIn(email);
    expect((await browser.ask('GET', '/users')).status).toBe(200);
    await new Browser(core.port).signIn(email);
    expect((await browser.ask('GET', '/users')).status).toBe(401);
  });

  test.each<[title: string, change: () => Promise<unknown>]>([
    ['another role', () => send(core.port, 'POST', '/manage/v1/operators/grant', byKey, { email, role: 'viewer' })],
    ['no role any more', () => send(core.port, 'POST', '/manage/v1/operators/revoke', byKey, { email })],
    ['an end by an admin', () => send(core.port, 'POST', '/manage/v1/operators/sessions/end', byKey, { email })],
    ['another password', () => send(core.port, 'PUT', '/recipe/dashboard/user', byKey, { email, newPassword: 'another password 2' })],
    ['removal', () => send(core.port, 'DELETE', `/recipe/dashboard/user?email=${email}`, byKey)],
  ])('end with %s', async (_, change) => {
    await browser.signIn(email);
    expect((await browser.ask('GET', '/users')).status).toBe(200);
    await change();
    expect((await browser.ask('GET', '/users')).status).toBe(401);
    expect((await browser.ask('GET', OWN)).body).toEqual({ status: 'SIGNED_OUT_ERROR' });
  });
});
