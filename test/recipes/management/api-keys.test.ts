import { beforeEach, describe, expect, test } from 'vitest';
import { apiKeyUses } from '../../../src/recipes/tenants/records.ts';
import type { AppNumber } from '../../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const CONFIGURED = 'configured-key-of-20-characters';
const KEYS = '/manage/v1/api-keys';

let core: InProcessCore;

beforeEach(async () => {
  core = await openInProcessCore('5.4', { API_KEYS: CONFIGURED });
});

const call = (method: string, path: string, body?: object, apiKey = CONFIGURED) => core.call(method, path, body, { apiKey });

async function newKey(scopes: readonly string[], more: object = {}, path = KEYS): Promise<string> {
  const { status, body } = await call('POST', path, { name: `k-${scopes.join('-')}`, scopes, ...more });
  expect(status).toBe(200);
  return String(body['key']);
}

const usersOf = (apiKey: string, prefix = '') => call('GET', `${prefix}/users?limit=1`, undefined, apiKey);

describe('what a key opens', () => {
  test('cdi: the interface of its app, and nothing of the management endpoints', async () => {
    const key = await newKey(['cdi']);
    expect((await usersOf(key)).status).toBe(200);
    const refused = await call('GET', KEYS, undefined, key);
    expect([refused.status, refused.body['text']]).toEqual([403, "This API key lacks the scope 'keys'\n"]);
  });

  test('another scope: its endpoints, not the interface', async () => {
    const key = await newKey(['keys', 'read']);
    expect((await call('GET', KEYS, undefined, key)).status).toBe(200);
    expect((await call('GET', '/manage/v1/signing-keys', undefined, key)).status).toBe(200);
    const refused = await usersOf(key);
    expect([refused.status, refused.body['text']]).toEqual([403, "This API key lacks the scope 'cdi'\n"]);
  });

  test('tenants: the endpoints that configure apps and tenants, and no other of the interface', async () => {
    const key = await newKey(['tenants']);
    expect((await call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' }, key)).body).toMatchObject({ createdNew: true });
    expect((await call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' }, key)).body).toMatchObject({ createdNew: true });
    expect((await call('GET', '/recipe/multitenancy/tenant/list/v2', undefined, key)).status).toBe(200);
    expect((await call('POST', '/recipe/multitenancy/app/remove', { appId: 'a1' }, key)).body).toMatchObject({ didExist: true });
    const refused = [await usersOf(key), await call('POST', '/t1/recipe/multitenancy/tenant/user', { recipeUserId: 'u' }, key)];
    expect(refused.map(({ status }) => status)).toEqual([403, 403]);
    expect((await call('GET', '/manage/v1/config', undefined, key)).status).toBe(403);
    const reading = await newKey(['read', 'users', 'keys']);
    expect((await call('GET', '/recipe/multitenancy/tenant/list/v2', undefined, reading)).status, 'it shows client secrets').toBe(403);
  });

  test('all: everything', async () => {
    const key = await newKey(['all']);
    expect((await usersOf(key)).status).toBe(200);
    expect((await call('GET', KEYS, undefined, key)).status).toBe(200);
  });

  test('a key that is none opens nothing, and says so as before', async () => {
    const refused = await usersOf('ww-0000');
    expect([refused.status, refused.body['text']]).toEqual([401, 'Invalid API key\n']);
  });

  test('a probe that asks for a key takes one that may read', async () => {
    const [reading, other] = [await newKey(['read']), await newKey(['cdi'])];
    core = await openInProcessCore('5.4', [], core.services.store);
    expect((await call('GET', '/hello', undefined, reading)).status).toBe(200);
    expect((await call('GET', '/manage/v1/signing-keys', undefined, reading)).status).toBe(200);
    expect((await call('GET', '/manage/v1/signing-keys', undefined, other)).status).toBe(403);
    expect((await usersOf('')).status, 'a kept key alone means that keys are asked for').toBe(401);
  });

  test('of another app: that app alone', async () => {
    await call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    const key = await newKey(['cdi'], {}, `/appid-a1${KEYS}`);
    expect((await usersOf(key, '/appid-a1')).status).toBe(200);
    expect((await usersOf(key)).status).toBe(401);
    expect((await call('GET', `/appid-a1${KEYS}`, undefined, key)).status, 'the management of the app too').toBe(401);
  });

  test('until it expires or is removed', async () => {
    const [shortLived, removed] = [await newKey(['cdi'], { validityMs: 1000 }), await newKey(['cdi', 'read'])];
    expect((await usersOf(shortLived)).status).toBe(200);
    core.clock.now += 1000;
    expect((await usersOf(shortLived)).status).toBe(401);
    expect((await usersOf(removed)).status).toBe(200);
    expect((await call('POST', `${KEYS}/remove`, { name: 'k-cdi-read' })).body).toEqual({ status: 'OK', didExist: true });
    expect((await usersOf(removed)).status).toBe(401);
    expect((await call('POST', `${KEYS}/remove`, { name: 'k-cdi-read' })).body).toEqual({ status: 'OK', didExist: false });
  });

  test('also after the tenant it stands with is written again', async () => {
    const key = await newKey(['cdi']);
    await call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'public', firstFactors: ['emailpassword'] });
    expect((await usersOf(key)).status).toBe(200);
  });
});

describe('making keys', () => {
  test('a key gives no more than it has', async () => {
    const key = await newKey(['keys']);
    const refused = await call('POST', KEYS, { name: 'more', scopes: ['all'] }, key);
    expect([refused.status, refused.body['text']]).toEqual([403, "This API key lacks the scope 'all'\n"]);
    expect((await call('POST', KEYS, { name: 'same', scopes: ['keys'] }, key)).body['status']).toBe('OK');
  });

  test.each([
    [{ name: 'a b', scopes: ['cdi'] }, 'A name has'],
    [{ name: 'a', scopes: [] }, 'scopes must be some of'],
    [{ name: 'a', scopes: ['root'] }, 'scopes must be some of'],
    [{ name: 'a', scopes: ['cdi'], validityMs: 0 }, 'validityMs must be'],
  ])('%j is refused', async (body, text) => {
    const refused = await call('POST', KEYS, body);
    expect(refused.status).toBe(400);
    expect(refused.body['text']).toContain(text);
  });

  test('a name is given once; other apps have keys for the interface only', async () => {
    await newKey(['cdi']);
    expect((await call('POST', KEYS, { name: 'k-cdi', scopes: ['read'] })).body).toEqual({ status: 'API_KEY_ALREADY_EXISTS_ERROR' });
    await call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1' });
    expect((await call('POST', `/appid-a1${KEYS}`, { name: 'a', scopes: ['read'] })).status).toBe(400);
  });

  test('the list tells everything but the key, and when it was used', async () => {
    const key = await newKey(['cdi']);
    expect((await call('GET', KEYS)).body).toEqual({
      status: 'OK',
      inConfiguration: 1,
      apiKeys: [{ name: 'k-cdi', scopes: ['cdi'], createdAt: core.clock.now, expiresAt: null, lastUsedAt: null }],
    });
    await usersOf(key);
    await expect.poll(async () => JSON.stringify((await call('GET', KEYS)).body)).toContain(`"lastUsedAt":${core.clock.now}`);
  });

  test('a use of a key tells nothing about a later one of the same name, whose own is written at once', async () => {
    await usersOf(await newKey(['cdi']));
    const lastUse = async () => (await call('GET', KEYS)).body as unknown as { apiKeys: readonly { lastUsedAt: number | null }[] };
    const { now } = core.clock;
    await expect.poll(lastUse).toMatchObject({ apiKeys: [{ lastUsedAt: now }] });
    await call('POST', `${KEYS}/remove`, { name: 'k-cdi' });
    await core.services.store.transact((tx) => tx.put(apiKeyUses, { app: 1 as AppNumber, name: 'k-cdi', at: now }));
    core.clock.now += 1000;
    const later = await newKey(['cdi']);
    expect(await lastUse()).toMatchObject({ apiKeys: [{ lastUsedAt: null }] });
    await usersOf(later);
    await expect.poll(lastUse).toMatchObject({ apiKeys: [{ lastUsedAt: now + 1000 }] });
  });
});
