import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { Dashboard, type ExpressApp, startApp } from './express-app.ts';
import { type AppAnswer, FrontEnd } from './front-end.ts';

/** The SDK's dashboard, whose users and sessions live in the core. */
const PASSWORD = 'validPass123';
const ADMIN = 'admin@example.com';

let core: RunningCore;
let app: ExpressApp;
let client: CdiClient;

beforeAll(async () => {
  core = await startCore();
  app = await startApp(core.url, undefined, [Dashboard.init({ admins: [ADMIN] })]);
  client = cdiClient(core.url);
  for (const email of [ADMIN, 'guest@example.com']) await client.post('/recipe/dashboard/user', { email, password: PASSWORD });
});
afterAll(async () => {
  await app?.close();
  await core?.stop();
});

async function ask(method: string, path: string, sessionId: string, body?: object, tenant = ''): Promise<AppAnswer> {
  const response = await fetch(`${app.url}/auth${tenant}/dashboard/api${path}`, {
    method,
    signal: AbortSignal.timeout(20_000),
    headers: { authorization: `Bearer ${sessionId}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

async function signIn(email: string, password = PASSWORD): Promise<string> {
  const { body } = await ask('POST', '/signin', '', { email, password });
  return String(body['sessionId'] ?? body['status']);
}

test('only who has an account and its password gets a session', async () => {
  expect(await signIn(ADMIN.toUpperCase())).toMatch(/^[0-9a-f-]{36}$/);
  expect(await signIn(ADMIN, 'wrongPass1')).toBe('INVALID_CREDENTIALS_ERROR');
  expect(await signIn('nobody@example.com')).toBe('INVALID_CREDENTIALS_ERROR');
  expect((await ask('GET', '/users/count', 'no session')).status).toBe(401);
});

describe('with a session', () => {
  test('users are counted, listed and searched', async () => {
    for (const name of ['ann', 'bob']) await new FrontEnd(app.url, 'header').signUp(`${name}@example.com`, 'correct-horse-1');
    const session = await signIn('guest@example.com');
    expect((await ask('GET', '/users/count', session)).body).toMatchObject({ status: 'OK', count: 2 });
    const emails = async (query: string) => {
      const { body } = await ask('GET', `/users?limit=10${query}`, session);
      return (body['users'] as { readonly emails: readonly string[] }[]).flatMap((user) => user.emails);
    };
    expect(await emails('')).toEqual(['bob@example.com', 'ann@example.com']);
    expect(await emails('&timeJoinedOrder=ASC')).toEqual(['ann@example.com', 'bob@example.com']);
    expect(await emails('&email=ann')).toEqual(['ann@example.com']);
    expect((await ask('GET', '/search/tags', session)).body).toEqual({ status: 'OK', tags: ['email', 'phone', 'provider'] });
  });

  test('an administrator changes options of a tenant, a guest does not', async () => {
    const options = async (session: string) => {
      const { body } = await ask('GET', '/tenant', session, undefined, '/t1');
      const { coreConfig } = body['tenant'] as { readonly coreConfig: readonly { readonly key: string; readonly value: unknown }[] };
      return new Map(coreConfig.map(({ key, value }) => [key, value]));
    };
    const change = async (session: string, value: unknown) => {
      return ask('PUT', '/tenant/core-config', session, { name: 'totp_max_attempts', value }, '/t1');
    };
    await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const admin = await signIn(ADMIN);
    const guest = await signIn('guest@example.com');
    expect((await options(guest)).get('totp_max_attempts')).toBe(5);
    expect((await change(guest, 7)).status).toBe(403);
    expect((await change(admin, 0)).body).toMatchObject({ status: 'INVALID_CONFIG_ERROR' });
    expect((await change(admin, 7)).body).toEqual({ status: 'OK' });
    expect((await options(guest)).get('totp_max_attempts')).toBe(7);
  });

  test('signing out, a new password and removal end it', async () => {
    const signedOut = await signIn(ADMIN);
    const live = await signIn(ADMIN);
    expect((await ask('POST', '/signout', signedOut)).body).toMatchObject({ status: 'OK' });
    expect((await ask('GET', '/users/count', signedOut)).status).toBe(401);
    expect((await ask('GET', '/users/count', live)).status).toBe(200);
    await client.put('/recipe/dashboard/user', { email: ADMIN, newPassword: 'another1234' });
    expect((await ask('GET', '/users/count', live)).status).toBe(401);
    const last = await signIn(ADMIN, 'another1234');
    expect((await ask('GET', '/users/count', last)).status).toBe(200);
    await client.call('DELETE', `/recipe/dashboard/user?email=${ADMIN}`);
    expect((await ask('GET', '/users/count', last)).status).toBe(401);
  });
});
