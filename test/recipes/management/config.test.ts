import { beforeEach, describe, expect, test } from 'vitest';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

const KEY = 'configured-key-of-20-characters';
const SECRET = 'a-secret-of-more-than-forty-characters-in-all';
const CONFIG = '/manage/v1/config';

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4', { API_KEYS: KEY, ACCESS_TOKEN_VALIDITY: '60' });
});

interface Shown {
  readonly name: string;
  readonly value: unknown;
  readonly source: string;
}

const call = (method: string, path: string, body?: object, apiKey = KEY) => core.call(method, path, body, { apiKey });

async function optionOf(name: string, prefix = '', apiKey = KEY): Promise<Shown | undefined> {
  const { status, body } = await call('GET', prefix + CONFIG, undefined, apiKey);
  expect(status).toBe(200);
  return (body['options'] as Shown[]).find((option) => option.name === name);
}

async function newKey(scope: string): Promise<string> {
  return String((await call('POST', '/manage/v1/api-keys', { name: scope, scopes: [scope] })).body['key']);
}

describe('the options in force', () => {
  test('of the base app: the base configuration, without its secrets', async () => {
    expect(await optionOf('access_token_validity')).toMatchObject({ value: 60, source: 'environment', level: 'A', needsRestart: false });
    expect(await optionOf('api_keys')).toMatchObject({ value: null, isSet: true, source: 'environment' });
    expect(JSON.stringify((await call('GET', CONFIG)).body)).not.toContain(KEY);
  });

  test('of an app and its tenant: whose each value is', async () => {
    await call('PUT', '/recipe/multitenancy/app/v2', { appId: 'a1', coreConfig: { access_token_validity: 90, api_keys: KEY } });
    await call('PUT', '/appid-a1/recipe/multitenancy/tenant/v2', { tenantId: 't1', coreConfig: { passwordless_code_lifetime: 1000 } });
    expect(await optionOf('access_token_validity', '/appid-a1')).toMatchObject({ value: 90, source: 'app' });
    expect(await optionOf('access_token_validity', '/appid-a1/t1')).toMatchObject({ value: 90, source: 'app' });
    expect(await optionOf('passwordless_code_lifetime', '/appid-a1/t1')).toMatchObject({ value: 1000, source: 'tenant' });
    expect(await optionOf('passwordless_code_lifetime', '/appid-a1')).toMatchObject({ value: 900_000, source: 'default' });
    expect(await optionOf('api_keys', '/appid-a1')).toMatchObject({ value: null, isSet: true, source: 'app' });
  });

  test('of what is not there: the refusal of every endpoint', async () => {
    expect((await call('GET', `/appid-none${CONFIG}`)).status).toBe(400);
  });

  test('are shown to a key that may read', async () => {
    expect((await call('GET', CONFIG, undefined, await newKey('read'))).status).toBe(200);
    expect((await call('GET', CONFIG, undefined, await newKey('users'))).status).toBe(403);
  });

  test('where a secret guards some, these are shown to its holder alone', async () => {
    core = await openInProcessCore('5.4', { API_KEYS: KEY, SUPERTOKENS_SAAS_SECRET: SECRET, IP_DENY_REGEX: '10[.].*' });
    expect(await optionOf('ip_deny_regex')).toBeUndefined();
    expect(await optionOf('ip_deny_regex', '', SECRET)).toMatchObject({ value: '10[.].*' });
    expect(await optionOf('supertokens_saas_secret', '', SECRET)).toMatchObject({ value: null, isSet: true });
  });
});

describe('a reload', () => {
  test('needs a key for everything', async () => {
    const refused = await call('POST', `${CONFIG}/reload`, undefined, await newKey('tenants'));
    expect([refused.status, refused.body['text']]).toEqual([403, "This API key lacks the scope 'all'\n"]);
    expect((await call('POST', `${CONFIG}/reload`)).body).toEqual({ status: 'OK', changed: [], needsRestart: [] });
  });
});
