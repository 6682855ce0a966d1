import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KEY } from '../cli/places.ts';
import { addOperator, Browser, COOKIE, type Headers, PASSWORD, send } from '../recipes/admin/browser.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { withCore } from '../with-core.ts';

/* What pages of other sites, people on the way and holders of small keys try against operators in browsers. */

const EMAIL = 'admin@example.com';
const OWN = '/manage/v1/operator';
const PROXY_NET = '127.0.0.0/8';
let core: RunningCore;
let browser: Browser;

withCore({ env: { API_KEYS: KEY, BCRYPT_LOG_ROUNDS: '5', DASHBOARD_SIGN_IN_FAILURES_PER_ADDRESS: '0' } }, async (started) => {
  core = started;
  await addOperator(core.port, KEY, EMAIL, 'admin');
  browser = new Browser(core.port);
  await browser.signIn(EMAIL);
});

const usersCount = async (): Promise<unknown> => (await send(core.port, 'GET', '/users/count', { 'api-key': KEY })).body['count'];

describe('requests of other sites', () => {
  const CROSS_SITE = [403, 'This request comes from a page of another site'];
  const WITHOUT_TOKEN = [403, 'The CSRF token is missing or is not that of the session: load the page again'];

  test.each<[title: string, other: Headers, answer: readonly unknown[]]>([
    ['a form of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', 'x-csrf-token': '' }, CROSS_SITE],
    ['a page of a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'http://other.localhost' }, CROSS_SITE],
    ['a page of another port', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:1' }, CROSS_SITE],
    ['an old browser, another origin', { 'sec-fetch-site': '', origin: 'https://evil.example' }, CROSS_SITE],
    ['a sandboxed frame', { 'sec-fetch-site': '', origin: 'null' }, CROSS_SITE],
    ['typed into the address bar', { 'sec-fetch-site': 'none', origin: '' }, CROSS_SITE],
    ['nothing tells from where', { 'sec-fetch-site': '', origin: '' }, CROSS_SITE],
    ['no token', { 'x-csrf-token': '' }, WITHOUT_TOKEN],
    ['a wrong token', { 'x-csrf-token': 'A'.repeat(43) }, WITHOUT_TOKEN],
  ])('%s changes nothing', async (_, other, answer) => {
    const before = await usersCount();
    const { status, text } = await browser.ask('POST', '/recipe/signup', { email: 'csrf@example.com', password: PASSWORD }, other);
    expect([status, text]).toEqual(answer);
    expect(await usersCount()).toBe(before);
  });

  test('the token of another session is wrong', async () => {
    const other = new Browser(core.port);
    await other.signIn(EMAIL);
    const answer = await browser.ask('POST', '/recipe/signup', {}, { 'x-csrf-token': String(other.csrfToken) });
    expect([answer.status, answer.text]).toEqual(WITHOUT_TOKEN);
  });

  test('reads are refused too, where the browser says who asks', async () => {
    for (const site of ['cross-site', 'same-site']) {
      expect((await browser.ask('GET', '/users', undefined, { 'sec-fetch-site': site })).status).toBe(403);
      expect((await browser.ask('GET', OWN, undefined, { 'sec-fetch-site': site })).status).toBe(403);
    }
    expect((await browser.ask('GET', '/users')).status).toBe(200);
  });

  test('nobody is signed in by another site, and no answer opens to one', async () => {
    const victim = new Browser(core.port);
    const body = { email: EMAIL, password: PASSWORD };
    const answer = await victim.ask('POST', `${OWN}/sign-in`, body, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
    expect([answer.status, answer.text]).toEqual(CROSS_SITE);
    expect(victim.cookie).toBeUndefined();
    const headers = [await browser.ask('GET', '/users'), await browser.ask('OPTIONS', '/users'), answer].flatMap((one) =>
      Object.keys(one.headers),
    );
    expect(headers.filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('cookies', () => {
  test('a session that was planted before the sign-in is not the one that begins', async () => {
    const planted = 'p'.repeat(43);
    const victim = new Browser(core.port);
    victim.cookie = planted;
    await victim.signIn(EMAIL);
    expect(victim.cookie).not.toBe(planted);
    expect((await send(core.port, 'GET', '/users', { host: `localhost:${core.port}`, cookie: `${COOKIE}=${planted}` })).status).toBe(401);
  });

  test('one of a session that goes on ends with the next sign-in', async () => {
    const one = new Browser(core.port);
    await one.signIn(EMAIL);
    const { cookie: before } = one;
    await one.signIn(EMAIL);
    const again = await one.ask('GET', '/users', undefined, { cookie: `${COOKIE}=${before}` });
    expect(again.status).toBe(401);
  });

  test('beside a key counts for nothing, right or wrong', async () => {
    const headers = { ...browser.headers(), 'api-key': 'another-key-of-twenty-letters' };
    expect((await send(core.port, 'GET', '/users', headers)).text).toBe('Invalid API key');
    const authorization = { ...browser.headers(), authorization: 'Bearer nothing' };
    expect((await send(core.port, 'GET', '/users', authorization)).text).toBe('Invalid API key');
    const change = { ...browser.headers(), 'api-key': KEY };
    expect((await send(core.port, 'POST', `${OWN}/sign-out`, change)).status).toBe(401);
    expect((await browser.ask('GET', OWN)).body['status']).toBe('OK');
  });

  test('an API key is no cookie', async () => {
    for (const cookie of [KEY, '', 'a;b', '"', '%00'])
      expect((await send(core.port, 'GET', '/users', { ...browser.headers(), cookie: `${COOKIE}=${cookie}` })).status).toBe(401);
  });

  test.each(['/recipe/session/verify', '/recipe/session/refresh'])('on the hot path %s too', async (path) => {
    const answer = await send(core.port, 'POST', path, { ...browser.headers('POST'), 'cdi-version': '5.4', cookie: `${COOKIE}=x` }, {});
    expect([answer.status, answer.text]).toEqual([401, 'Sign in: there is no session, or it has ended']);
  });
});

describe('hosts', () => {
  const BY_NAME =
    'On this machine, open the admin page as http://localhost with its port: under another name nobody can sign in without TLS.';

  test.each(['evil.example', 'localhost.evil.example', 'evil.example:3567', '10.0.0.1', '127.0.0.1.evil.example'])(
    'under the name %s (DNS rebinding) no cookie opens anything',
    async (host) => {
      const answer = await browser.ask('GET', '/users', undefined, { host });
      expect([answer.status, answer.text]).toEqual([403, BY_NAME]);
      const stranger = new Browser(core.port, { host });
      expect((await stranger.ask('GET', OWN)).body).toEqual({ status: 'INSECURE_CONNECTION_ERROR', message: BY_NAME });
      expect((await stranger.signIn(EMAIL)).body['status']).toBe('INSECURE_CONNECTION_ERROR');
      expect(stranger.cookie).toBeUndefined();
    },
  );

  test.each(['localhost', 'LOCALHOST:99', '127.0.0.1:3567', '[::1]:3567'])('%s is this machine', async (host) => {
    expect((await new Browser(core.port, { host }).ask('GET', OWN)).body).toEqual({ status: 'SIGNED_OUT_ERROR' });
  });

  test.each(['x-forwarded-for', 'x-forwarded-proto', 'forwarded', 'via', 'x-real-ip'])(
    'a proxy that nobody named (%s) is not believed',
    async (name) => {
      const { body } = await new Browser(core.port, { [name]: 'https' }).ask('GET', OWN);
      expect(body).toEqual({ status: 'INSECURE_CONNECTION_ERROR', message: expect.stringContaining('trusted_proxies') });
    },
  );
});

describe('a key for less than everything', () => {
  test('makes, changes and removes no operator', async () => {
    const made = await send(
      core.port,
      'POST',
      '/manage/v1/api-keys',
      { 'api-key': KEY },
      { name: 'sdk', scopes: ['cdi', 'read', 'users', 'keys'] },
    );
    const small = { 'api-key': String(made.body['key']) };
    const refused = [403, "This dashboard user is an operator: changing one needs the scope 'all'"];
    const change = await send(core.port, 'PUT', '/recipe/dashboard/user', small, { email: EMAIL, newPassword: 'a new password 1' });
    expect([change.status, change.text]).toEqual(refused);
    const removal = await send(core.port, 'DELETE', `/recipe/dashboard/user?email=${EMAIL}`, small);
    expect([removal.status, removal.text]).toEqual(refused);
    const grant = await send(core.port, 'POST', '/manage/v1/operators/grant', small, { email: EMAIL, role: 'admin' });
    expect([grant.status, grant.text]).toEqual([403, "This API key lacks the scope 'all'"]);
    // Who is no operator is changed as ever.
    await send(core.port, 'POST', '/recipe/dashboard/user', small, { email: 'plain@example.com', password: PASSWORD });
    const plain = await send(core.port, 'PUT', '/recipe/dashboard/user', small, {
      email: 'plain@example.com',
      newPassword: 'a new password 1',
    });
    expect(plain.body['status']).toBe('OK');
  });
});

describe('unknown operators', () => {
  test.each([EMAIL, 'nobody@example.com'])('%s costs one hash, over the limit too', async (email) => {
    const hashes = async (): Promise<number> => {
      const { text } = await send(core.port, 'GET', '/metrics', { 'api-key': KEY });
      return Number(/^watchword_lane_completed_total\{lane="hash"\} (\d+)$/m.exec(text)?.[1]);
    };
    for (let attempt = 1; attempt <= 22; attempt += 1) {
      const before = await hashes();
      expect((await new Browser(core.port).signIn(email, 'a wrong password 1')).body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
      expect(await hashes()).toBe(before + 1);
    }
  });
});

describe('behind a proxy that is named', () => {
  let behind: RunningCore;
  beforeAll(async () => {
    behind = await startCore({ env: { API_KEYS: KEY, TRUSTED_PROXIES: PROXY_NET, DASHBOARD_SIGN_IN_FAILURES_PER_ADDRESS: '3' } });
    await addOperator(behind.port, KEY, EMAIL, 'viewer');
  });
  afterAll(() => behind?.stop());
  const through = (headers: Headers = {}): Browser =>
    new Browser(behind.port, {
      host: 'auth.example.com',
      origin: 'https://auth.example.com',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '203.0.113.7',
      ...headers,
    });

  test('operators sign in under its name, and sessions say from where', async () => {
    const one = through();
    expect((await one.signIn(EMAIL)).body['status']).toBe('OK');
    const { body } = await one.ask('GET', `${OWN}/sessions`);
    expect(body['sessions']).toMatchObject([{ address: '203.0.113.7' }]);
  });

  test.each([['http'], ['https, http'], ['http, https'], ['']])('not where it says %j', async (proto) => {
    const one = through({ 'x-forwarded-proto': proto });
    expect((await one.signIn(EMAIL)).body).toMatchObject({
      status: 'INSECURE_CONNECTION_ERROR',
      message: expect.stringContaining('without TLS'),
    });
  });

  test('failures count for the address that it tells, and not for one that the browser made up', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1)
      await through({ 'x-forwarded-for': `198.51.100.${attempt}, 203.0.113.9` }).signIn('nobody@example.com', 'wrong password 1');
    const refused = await through({ 'x-forwarded-for': '198.51.100.4, 203.0.113.9' }).signIn(EMAIL);
    expect(refused.body).toEqual({ status: 'INVALID_CREDENTIALS_ERROR' });
    expect((await through({ 'x-forwarded-for': '203.0.113.9, 203.0.113.8' }).signIn(EMAIL)).body['status']).toBe('OK');
  });
});
