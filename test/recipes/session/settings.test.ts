import { afterEach, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { type RunningCore, startCore } from '../../running-core.ts';
import { create, decode, exists, grantOf, type SessionAnswer, tryCreate, tryRefresh, verify } from './session-calls.ts';
import { withCore } from '../../with-core.ts';

/** What settings and switches do to sessions, where one core can hold them all: an app per setting. */
describe('sessions under other settings', () => {
  let core: RunningCore;
  let base: CdiClient;
  withCore({ flags: ['--test-mode'] }, (started) => {
    core = started;
    base = cdiClient(core.url);
  });

  async function appWith(appId: string, coreConfig: Readonly<Record<string, unknown>>): Promise<CdiClient> {
    const made = await base.put('/recipe/multitenancy/app/v2', { appId, coreConfig });
    expect(made.text).toContain('"OK"');
    return cdiClient(core.url, { app: appId });
  }

  test('without jitter every access token lives exactly as long as configured', async () => {
    const client = await appWith('steady', { access_token_validity: 1800, access_token_validity_jitter: 0 });
    for (let i = 0; i < 5; i += 1) {
      const { access } = await create(client, 'u');
      const { iat, exp } = decode(access).claims;
      expect(exp - iat).toBe(1800);
    }
  });

  test('with jitter lives are shorter, never longer', async () => {
    const client = await appWith('jittery', { access_token_validity: 10_000, access_token_validity_jitter: 0.25 });
    const lives = [];
    for (let i = 0; i < 20; i += 1) {
      const { iat, exp } = decode((await create(client, 'u')).access).claims;
      lives.push(exp - iat);
    }
    expect(Math.max(...lives)).toBeLessThanOrEqual(10_000);
    expect(Math.min(...lives)).toBeGreaterThanOrEqual(7499);
    expect(new Set(lives).size).toBeGreaterThan(1);
  });

  test('what belongs to one app is nothing to another', async () => {
    const one = await appWith('app-one', {});
    const other = await appWith('app-two', {});
    const grant = await create(one, 'u');
    expect(await verify(other, grant.access)).toEqual({ status: 'TRY_REFRESH_TOKEN', message: 'Key not found' });
    expect((await tryRefresh(other, grant.refresh)).body).toMatchObject({ status: 'UNAUTHORISED' });
    expect(await exists(other, grant.handle)).toBe(false);
    const revoked = await other.post<SessionAnswer>('/recipe/session/remove', { sessionHandles: [grant.handle] });
    expect(revoked.body.sessionHandlesRevoked).toEqual([]);
    expect(await exists(one, grant.handle)).toBe(true);
  });

  test('an app that is removed takes its sessions along, and comes back without them', async () => {
    const client = await appWith('short-lived', {});
    const grant = await create(client, 'u');
    await base.post('/recipe/multitenancy/app/remove', { appId: 'short-lived' });
    expect((await tryRefresh(client, grant.refresh)).status).toBe(400);
    await appWith('short-lived', {});
    expect(await exists(client, grant.handle)).toBe(false);
    expect((await verify(client, grant.access)).status).toBe('TRY_REFRESH_TOKEN');
  });

  test('sessions of a removed tenant are not among those that were revoked', async () => {
    const client = await appWith('with-tenant', {});
    await client.put('/recipe/multitenancy/tenant/v2', { tenantId: 'short-lived' });
    await create(client, 'u', {}, { tenant: 'short-lived' });
    const { handle } = await create(client, 'u');
    await client.post('/recipe/multitenancy/tenant/remove', { tenantId: 'short-lived' });
    const revoked = await client.post<SessionAnswer>('/recipe/session/remove', { userId: 'u' });
    expect(revoked.body.sessionHandlesRevoked).toEqual([handle]);
  });
});

describe('anti-CSRF', () => {
  let core: RunningCore;
  let client: CdiClient;
  withCore({}, (started) => {
    core = started;
    client = cdiClient(core.url);
  });

  test('the value is asked for where it was given', async () => {
    const grant = await create(client, 'csrf', { enableAntiCsrf: true });
    const antiCsrfToken = grant.answer.antiCsrfToken;
    const check = { doAntiCsrfCheck: true, enableAntiCsrf: true };
    expect(await verify(client, grant.access, { ...check, antiCsrfToken })).toMatchObject({ status: 'OK' });
    expect(await verify(client, grant.access, check)).toEqual({ status: 'TRY_REFRESH_TOKEN', message: 'anti-csrf check failed' });
    expect(await verify(client, grant.access, { ...check, doAntiCsrfCheck: false })).toMatchObject({ status: 'OK' });
    expect((await tryRefresh(client, grant.refresh, { enableAntiCsrf: true })).body).toEqual({
      status: 'UNAUTHORISED',
      message: 'Anti CSRF token missing, or not matching',
    });
    const next = grantOf(await tryRefresh(client, grant.refresh, { enableAntiCsrf: true, antiCsrfToken }));
    expect(next.answer.antiCsrfToken).not.toBe(antiCsrfToken);
  });

  test('a token made without one fails a check for it', async () => {
    const grant = await create(client, 'no-csrf');
    expect(await verify(client, grant.access, { doAntiCsrfCheck: true, enableAntiCsrf: true, antiCsrfToken: 'x' })).toEqual({
      status: 'TRY_REFRESH_TOKEN',
      message: 'Access token does not contain all the information. Maybe the structure has changed?',
    });
  });
});

describe('settings of the whole core', () => {
  let core: RunningCore | undefined;
  afterEach(async () => {
    await core?.stop();
    core = undefined;
  });

  test('an API key is asked for, but not for the public keys', async () => {
    const key = 'a-key-of-more-than-twenty-characters';
    core = await startCore({ env: { API_KEYS: `another-key-of-twenty-characters,${key}` } });
    const client = cdiClient(core.url);
    expect((await tryCreate(client, 'u')).status).toBe(401);
    expect((await tryCreate(client, 'u', {}, { headers: { 'api-key': key.slice(1) } })).text.trim()).toBe('Invalid API key');
    expect((await tryCreate(client, 'u', {}, { headers: { 'api-key': key } })).status).toBe(200);
    expect((await tryCreate(client, 'u', {}, { headers: { authorization: `Bearer ${key}` } })).status).toBe(200);
    expect((await client.get('/.well-known/jwks.json')).status).toBe(200);
    expect((await client.get('/hello')).status).toBe(200);
  });

  test('old clients get the static key and the database check where the old options say so', async () => {
    core = await startCore({ env: { ACCESS_TOKEN_SIGNING_KEY_DYNAMIC: 'false', ACCESS_TOKEN_BLACKLISTING: 'true' } });
    const client = cdiClient(core.url, { cdi: '2.18' });
    const made = await client.post<SessionAnswer & { readonly jwtSigningPublicKeyExpiryTime: number }>('/recipe/session', {
      userId: 'u',
      userDataInJWT: {},
      userDataInDatabase: {},
      enableAntiCsrf: false,
    });
    expect(made.body.jwtSigningPublicKeyExpiryTime).toBe(315_360_000_000);
    const access = String(made.body.accessToken?.token);
    await client.post('/recipe/session/remove', { sessionHandles: [made.body.session?.handle] });
    expect(await verify(client, access)).toMatchObject({
      status: 'UNAUTHORISED',
      message: 'Either the session has ended or has been blacklisted',
    });
  });
});
