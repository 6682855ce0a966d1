import { beforeEach, describe, expect, test } from 'vitest';
import { newWorld, type World } from './tenancy-world.ts';

let world: World;
beforeEach(async () => {
  world = await newWorld();
});

const OK_NEW = { status: 'OK', createdNew: true };
const OK_OLD = { status: 'OK', createdNew: false };
const IN_A = { from: { appId: 'a' } };
const IN_DOMAIN = { from: { cud: 'foo.com' } };
const put = (path: string, command: object, caller = {}) => world.call('PUT', `${path}/v2`, command, caller);
const get = (caller = {}) => world.call('GET', '/tenant/v2', {}, caller);

describe('create and update', () => {
  test('tenant, app and connection URI domain come into being and are found at once', async () => {
    expect(await put('/tenant', { tenantId: ' T1 ' })).toEqual(OK_NEW);
    expect(await put('/tenant', { tenantId: 't1' })).toEqual(OK_OLD);
    expect(await put('/app', { appId: 'a' })).toEqual(OK_NEW);
    expect(await put('/connectionuridomain', { connectionUriDomain: 'FOO.com:8080' })).toEqual(OK_NEW);
    expect(await put('/app', { appId: 'b' }, IN_DOMAIN)).toEqual(OK_NEW);
    expect(world.directory.find({ cud: '', appId: 'public', tenantId: 't1' })).toMatchObject({ tenantId: 't1' });
    expect(world.directory.find({ cud: 'foo.com', appId: 'b', tenantId: 'public' })).toMatchObject({ cud: 'foo.com', appId: 'b' });
    expect(world.directory.cudOf('Foo.com:3567')).toBe('foo.com');
    expect(world.directory.cudOf('bar.com')).toBe('');
  });

  test('what GET shows, in all generations', async () => {
    await put('/tenant', {
      tenantId: 't1',
      firstFactors: ['emailpassword'],
      coreConfig: { totp_max_attempts: '7', access_token_validity: 3600 },
    });
    const caller = { from: { tenantId: 't1' } };
    const coreConfig = { totp_max_attempts: '7', access_token_validity: 3600 };
    expect(await get(caller)).toEqual({
      status: 'OK',
      tenantId: 't1',
      thirdParty: { providers: [] },
      firstFactors: ['emailpassword'],
      coreConfig,
    });
    expect(await world.call('GET', '/tenant', {}, { ...caller, version: '5.0' })).toEqual({
      status: 'OK',
      tenantId: 't1',
      emailPassword: { enabled: true },
      thirdParty: { enabled: true, providers: [] },
      passwordless: { enabled: true },
      firstFactors: ['emailpassword'],
      coreConfig,
    });
    expect(await world.call('GET', '/tenant', {}, { ...caller, version: '4.0' })).toEqual({
      status: 'OK',
      tenantId: 't1',
      emailPassword: { enabled: true },
      thirdParty: { enabled: false, providers: [] },
      passwordless: { enabled: false },
      coreConfig,
    });
  });

  test('an unknown tenant or app is an outcome of GET', async () => {
    expect(await get({ from: { tenantId: 'nobody' } })).toEqual({ status: 'TENANT_NOT_FOUND_ERROR' });
    expect(await get({ from: { appId: 'nobody' } })).toEqual({ status: 'TENANT_NOT_FOUND_ERROR' });
  });

  test('a malformed id beats a missing source, which beats everything else', async () => {
    const caller = { from: { appId: 'nobody' } };
    expect(await put('/tenant', { tenantId: 'recipe' }, caller)).toBe("bad-input: Cannot use 'recipe' as a tenantId");
    expect(await put('/tenant', { tenantId: 't', firstFactors: ['a b'] }, caller)).toBe('tenant-not-found: (, nobody, public)');
  });

  test.each([
    ['/tenant', { tenantId: ' ' }, 'tenantId should not be an empty String'],
    ['/tenant', { tenantId: 'appid-x' }, "tenantId must not start with 'appid-'"],
    ['/tenant', { tenantId: 'a_b' }, 'tenantId can only contain letters, numbers and hyphens'],
    ['/tenant', { tenantId: 'x'.repeat(65) }, 'tenantId must not be longer than 64 characters'],
    ['/app', { appId: '' }, 'appId should not be an empty String'],
    ['/app', { appId: 'appid-x' }, "appId must not start with 'appid-'"],
    ['/app', { appId: 'a/b' }, 'appId can only contain letters, numbers and hyphens'],
    ['/connectionuridomain', { connectionUriDomain: '' }, 'connectionUriDomain should not be an empty String'],
    ['/connectionuridomain', { connectionUriDomain: 'a.b/c' }, 'connectionUriDomain is invalid'],
    ['/connectionuridomain', { connectionUriDomain: 'http://a' }, 'connectionUriDomain is invalid'],
    ['/connectionuridomain', { connectionUriDomain: '\u00a0a.b' }, 'connectionUriDomain is invalid'],
  ])('PUT %s %o', async (path, command, text) => {
    expect(await put(path, command)).toBe(`bad-input: ${text}`);
  });

  test('of concurrent creators exactly one is told that it created', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => put('/tenant', { tenantId: 'race' })));
    expect(answers.filter((answer) => JSON.stringify(answer) === JSON.stringify(OK_NEW))).toHaveLength(1);
  });

  test('v1 follows the CDI version', async () => {
    await world.call('PUT', '/tenant', { tenantId: 'old', emailPasswordEnabled: true }, { version: '4.0' });
    await world.call('PUT', '/tenant', { tenantId: 'mid', emailPasswordEnabled: true }, { version: '5.0' });
    expect(await get({ from: { tenantId: 'old' } })).toMatchObject({ firstFactors: ['emailpassword'] });
    expect(world.directory.find({ cud: '', appId: 'public', tenantId: 'mid' })).toMatchObject({
      enabledRecipes: { 'flags-5': { emailPassword: true, thirdParty: false, passwordless: false } },
    });
    expect(
      await world.call('PUT', '/tenant', { tenantId: 'mid', thirdPartyEnabled: false, firstFactors: ['thirdparty'] }, { version: '5.0' }),
    ).toBe("bad-input: Invalid core config: firstFactors should not contain 'thirdparty' because thirdParty is disabled for the tenant.");
  });
});

describe('permission', () => {
  beforeEach(async () => {
    await put('/app', { appId: 'a' });
    await put('/tenant', { tenantId: 't1' }, IN_A);
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com' });
    await put('/tenant', { tenantId: 'b1' });
  });

  const TENANT = 'forbidden: You must use the public or same tenant to add/update a tenant';
  const APP = 'forbidden: You must use the public or same app to add/update an app';
  const DOMAIN = 'forbidden: You must use the default or same connectionUriDomain to create/update a connectionUriDomain';
  const IN_T1 = { from: { appId: 'a', tenantId: 't1' } };

  test.each([
    ['/tenant', { tenantId: 't1' }, IN_T1, OK_OLD],
    ['/tenant', { tenantId: 't2' }, IN_T1, TENANT],
    ['/tenant', {}, IN_T1, APP],
    ['/app', { appId: 'other' }, IN_A, APP],
    ['/app', { appId: 'a' }, IN_A, OK_OLD],
    ['/app', { appId: 'a' }, IN_T1, APP],
    ['/app', { appId: 'b' }, IN_DOMAIN, OK_NEW],
    ['/connectionuridomain', { connectionUriDomain: 'foo.com' }, IN_DOMAIN, OK_OLD],
    ['/connectionuridomain', { connectionUriDomain: 'bar.com' }, IN_DOMAIN, DOMAIN],
    ['/connectionuridomain', { connectionUriDomain: 'foo.com' }, IN_A, DOMAIN],
    ['/app', {}, IN_A, DOMAIN],
    ['/connectionuridomain', {}, IN_A, DOMAIN],
    ['/connectionuridomain', {}, IN_DOMAIN, DOMAIN],
    ['/app', {}, {}, OK_OLD],
    ['/connectionuridomain', {}, {}, OK_OLD],
    ['/tenant', {}, { from: { tenantId: 'b1' } }, OK_OLD],
  ])('PUT %s %o from %o', async (path, command, caller, answer) => {
    expect(await put(path, command, caller)).toEqual(answer);
  });

  test('a permission beats a bad configuration', async () => {
    expect(await put('/app', { appId: 'x', coreConfig: { nonsense: 1 } }, IN_A)).toBe(APP);
  });
});

describe('coreConfig', () => {
  const find = (appId: string, tenantId = 'public', cud = '') => world.directory.find({ cud, appId, tenantId });

  test('the base tenant has none', async () => {
    expect(await put('/app', { coreConfig: { totp_max_attempts: 1 } })).toBe('bad-input: Cannot modify base config');
    expect(await put('/app', { coreConfig: {} })).toEqual(OK_OLD);
  });

  test('values are inherited, and a change of an app reaches its tenants', async () => {
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com', coreConfig: { totp_max_attempts: 2 } });
    await put('/app', { appId: 'b', coreConfig: { access_token_validity: 100 } }, IN_DOMAIN);
    await put('/tenant', { tenantId: 't', coreConfig: { passwordless_code_lifetime: 5 } }, { from: { cud: 'foo.com', appId: 'b' } });
    expect(find('b', 't', 'foo.com')).toMatchObject({
      config: { totp_max_attempts: 2, access_token_validity: 100, passwordless_code_lifetime: 5 },
      appConfig: { passwordless_code_lifetime: 900_000, access_token_validity: 100 },
    });
    await put('/app', { appId: 'b', coreConfig: { access_token_validity: 200 } }, IN_DOMAIN);
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com', coreConfig: { totp_max_attempts: null } });
    expect(find('b', 't', 'foo.com')).toMatchObject({ config: { totp_max_attempts: 5, access_token_validity: 200 } });
  });

  test('an app may change its values although its tenants inherit them; not although one holds its own', async () => {
    await put('/app', { appId: 'a', coreConfig: { access_token_validity: 100 } });
    await put('/tenant', { tenantId: 't1' }, IN_A);
    await put('/tenant', { tenantId: 't2', coreConfig: { access_token_validity: '100', totp_max_attempts: 1 } }, IN_A);
    const text = 'bad-input: Invalid core config: You cannot set different values for access_token_validity for the same appId';
    expect(await put('/tenant', { tenantId: 't1', coreConfig: { access_token_validity: 101 } }, IN_A)).toBe(text);
    expect(await put('/app', { appId: 'a', coreConfig: { access_token_validity: 101 } }, IN_A)).toBe(text);
    await put('/tenant', { tenantId: 't2', coreConfig: { access_token_validity: null } }, IN_A);
    expect(await put('/app', { appId: 'a', coreConfig: { access_token_validity: 101 } }, IN_A)).toEqual(OK_OLD);
    expect(find('a', 't2')).toMatchObject({ config: { access_token_validity: 101, totp_max_attempts: 1 } });
  });

  test('a change of a domain counts for all its apps', async () => {
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com' });
    await put('/app', { appId: 'b', coreConfig: { refresh_token_validity: 100 } }, IN_DOMAIN);
    await put('/tenant', { tenantId: 't', coreConfig: { access_token_validity: 3600 } }, { from: { cud: 'foo.com', appId: 'b' } });
    expect(await put('/connectionuridomain', { connectionUriDomain: 'foo.com', coreConfig: { access_token_validity: 6000 } })).toMatch(
      /must be strictly greater than/,
    );
    expect(await put('/connectionuridomain', { connectionUriDomain: 'foo.com', coreConfig: { access_token_validity: 5000 } })).toMatch(
      /different values for access_token_validity/,
    );
  });

  test('API keys go away with a null although the app has tenants', async () => {
    await put('/app', { appId: 'a', coreConfig: { api_keys: 'k'.repeat(20) } });
    await put('/tenant', { tenantId: 't1' }, IN_A);
    expect(find('a', 't1')).toMatchObject({ config: { api_keys: ['k'.repeat(20)] } });
    expect(await put('/app', { appId: 'a', coreConfig: { api_keys: null } })).toEqual(OK_OLD);
    expect(find('a', 't1')).toMatchObject({ config: { api_keys: null } });
  });

  test('storage keys are kept and given back; a null that hides is shown', async () => {
    await put('/app', { appId: 'a', coreConfig: { postgresql_host: 'db', ip_allow_regex: '1.*', totp_max_attempts: null } });
    const coreConfig = { postgresql_host: 'db', ip_allow_regex: '1.*', totp_max_attempts: null };
    expect(await get(IN_A)).toMatchObject({ coreConfig });
    expect(await get({ ...IN_A, protectedMode: true })).toMatchObject({ coreConfig: { totp_max_attempts: null } });
    expect(await put('/app', { appId: 'a', coreConfig: { ip_allow_regex: '2.*' } }, { protectedMode: true })).toBe(
      'forbidden: Not allowed to modify protected configs.',
    );
    await put('/tenant', { tenantId: 't1' }, IN_A);
    expect(await put('/tenant', { tenantId: 't1', coreConfig: { ip_allow_regex: '1.*' } }, { ...IN_A, protectedMode: true })).toEqual(
      OK_OLD,
    );
  });

  test('it has a size', async () => {
    expect(await put('/app', { appId: 'a', coreConfig: { saml_sp_entity_id: 'x'.repeat(70_000) } })).toMatch(/must not be larger/);
  });

  test('tenants with the same values share one configuration', async () => {
    for (const tenantId of ['t1', 't2', 't3'])
      await put('/tenant', { tenantId, ...(tenantId === 't3' && { coreConfig: { totp_max_attempts: 1 } }) });
    const [t1, t2, t3] = await Promise.all(['t1', 't2', 't3'].map((tenantId) => find('public', tenantId)));
    expect(t1?.config).toBe(t2?.config);
    expect(t1?.config).toBe(t3?.appConfig);
    expect(t3?.config).not.toBe(t1?.config);
  });
});

test('supertokens_saas_load_only_cud shuts other domains out', async () => {
  world = await newWorld({ SUPERTOKENS_SAAS_LOAD_ONLY_CUD: 'foo.com' });
  const text = 'bad-input: Creation of connection uri domain or app or tenant is disallowed';
  expect(await put('/connectionuridomain', { connectionUriDomain: 'bar.com' })).toBe(text);
  expect(await put('/connectionuridomain', { connectionUriDomain: 'foo.com' })).toEqual(OK_NEW);
  expect(await put('/tenant', { tenantId: 't' })).toEqual(OK_NEW);
});

describe('lists', () => {
  beforeEach(async () => {
    await put('/app', { appId: 'a' });
    await put('/tenant', { tenantId: 't1' }, IN_A);
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com' });
    await put('/app', { appId: 'b' }, IN_DOMAIN);
  });

  const ids = (tenants: readonly { tenantId: string }[]) => tenants.map(({ tenantId }) => tenantId);

  test('tenants of an app', async () => {
    const answer = (await world.call('GET', '/tenant/list/v2', {}, IN_A)) as { tenants: { tenantId: string }[] };
    expect(ids(answer.tenants)).toEqual(['public', 't1']);
    expect(await world.call('GET', '/tenant/list', {}, { from: { appId: 'a', tenantId: 't1' } })).toBe(
      'forbidden: Only the public tenantId is allowed to list all tenants associated with this app',
    );
    expect(await world.call('GET', '/tenant/list', {}, { from: { appId: 'nobody' } })).toBe('tenant-not-found: (, nobody, public)');
  });

  test('apps of a domain', async () => {
    expect(await world.call('GET', '/app/list/v2', {}, IN_DOMAIN)).toMatchObject({ apps: [{ appId: 'b' }, { appId: 'public' }] });
    expect(await world.call('GET', '/app/list/v2', {}, IN_A)).toMatch(
      /^forbidden: Only the public tenantId and public appId is allowed to list/,
    );
  });

  test('domains of the core', async () => {
    expect(await world.call('GET', '/connectionuridomain/list', {})).toMatchObject({
      connectionUriDomains: [
        { connectionUriDomain: '', apps: [{ appId: 'a', tenants: [{ tenantId: 'public' }, { tenantId: 't1' }] }, { appId: 'public' }] },
        { connectionUriDomain: 'foo.com', apps: [{ appId: 'b' }, { appId: 'public' }] },
      ],
    });
    expect(await world.call('GET', '/connectionuridomain/list', {}, IN_DOMAIN)).toMatch(
      /^forbidden: Only the public tenantId, public appId and default/,
    );
  });

  test('lists go on past a page', async () => {
    for (let i = 0; i < 510; i++) await put('/tenant', { tenantId: `n${i}` }, IN_A);
    const answer = (await world.call('GET', '/tenant/list/v2', {}, IN_A)) as { tenants: { tenantId: string }[] };
    expect(new Set(ids(answer.tenants)).size).toBe(512);
    expect(answer.tenants).toHaveLength(512);
  });
});
