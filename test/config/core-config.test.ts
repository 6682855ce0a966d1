import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { type CoreConfigChange, checkCoreConfig, mergeCoreConfig, overlay, withoutProtected } from '../../src/config/core-config.ts';

const base = loadConfig({ argv: [], env: { IP_DENY_REGEX: '10[.].*' }, cwd: '/' }).config;

describe('overlay', () => {
  test('without values of its own a tenant shares the object', () => {
    expect(overlay(base, {}, {}).access_token_validity).toBe(3600);
  });

  test('the nearest layer counts', () => {
    const config = overlay(
      base,
      { totp_max_attempts: 1 },
      { totp_max_attempts: 2, access_token_validity: '7200' },
      { totp_max_attempts: 3 },
    );
    expect(config).toMatchObject({ totp_max_attempts: 1, access_token_validity: 7200, port: 3567 });
  });

  test('a null hides outer values and means the default', () => {
    expect(overlay(base, { ip_deny_regex: null, totp_max_attempts: null }, { totp_max_attempts: 9 })).toMatchObject({
      ip_deny_regex: null,
      totp_max_attempts: 5,
    });
  });

  test('the alias, and API keys in the form in which they are used', () => {
    const config = overlay(base, { access_token_signing_key_update_interval: 5, api_keys: 'zzzzzzzzzzzzzzzzzzzzz, aaaaaaaaaaaaaaaaaaaaa' });
    expect(config.access_token_dynamic_signing_key_update_interval).toBe(5);
    expect(config.api_keys).toEqual(['aaaaaaaaaaaaaaaaaaaaa', 'zzzzzzzzzzzzzzzzzzzzz']);
  });

  test('a comma at the end of the API keys adds none', () => {
    expect(overlay(base, { api_keys: 'zzzzzzzzzzzzzzzzzzzzz, ,' }).api_keys).toEqual(['zzzzzzzzzzzzzzzzzzzzz']);
  });

  test('a number of very many digits is read in one pass', () => {
    // Time in the square of the digits would be minutes, and so beyond the limit of every test.
    expect(overlay(base, { access_token_validity: `${'1'.repeat(2_000_000)}x` }).access_token_validity).toBe(3600);
  });

  test('options of the base and unknown keys have no effect', () => {
    expect(overlay(base, { port: 1, postgresql_host: 'x' })).toEqual(base);
  });
});

test('merge: values replace, a null removes what is stored and is stored otherwise', () => {
  expect(mergeCoreConfig<unknown>({ a: 1, b: 2 }, { a: '3', b: null, c: null })).toEqual({ a: '3', c: null });
  expect(mergeCoreConfig<unknown>({ c: null }, { c: null })).toEqual({});
});

test('protected values are left out', () => {
  expect(
    withoutProtected({ ip_allow_regex: 'x', postgresql_host: 'h', migration_mode: 'm', postgresql_users_table_name: 't', api_keys: 'k' }),
  ).toEqual({
    migration_mode: 'm',
    postgresql_users_table_name: 't',
    api_keys: 'k',
  });
});

describe('checks', () => {
  const check = (change: Partial<CoreConfigChange>) =>
    checkCoreConfig({
      base,
      testMode: false,
      protectedMode: false,
      isBaseTenant: false,
      before: {},
      after: {},
      outer: [],
      families: [],
      ...change,
    });
  const bad = (text: string) => ({ refusal: 'bad-input', text: `Invalid core config: ${text}` });

  test.each([
    [{ nonsense: 1, port: 'x' }, 'Invalid config key: nonsense'],
    [{ port: 1, access_token_validity: 'x' }, "'access_token_validity' must be of type long"],
    [{ totp_max_attempts: 1.5 }, "'totp_max_attempts' must be of type int"],
    [{ disable_telemetry: 'maybe' }, "'disable_telemetry' must be of type boolean"],
    // Names of what every object has.
    [{ disable_telemetry: 'constructor' }, "'disable_telemetry' must be of type boolean"],
    [{ access_token_blacklisting: '__proto__' }, "'access_token_blacklisting' must be of type boolean"],
    [{ access_token_validity_jitter: 'x' }, "'access_token_validity_jitter' must be of type double"],
    [{ saml_sp_entity_id: { a: 1 } }, "'saml_sp_entity_id' must be of type string"],
    [{ totp_max_attempts: 0, access_token_validity: 0 }, "'access_token_validity' must be between 1 and 86400000 seconds inclusive."],
    [{ refresh_token_validity: 1 }, "'refresh_token_validity' must be strictly greater than 'access_token_validity'."],
    [{ log_level: 'INFO' }, "log_level can only be set via the core's base config setting"],
    [{ log_level: 'INFO', totp_max_attempts: 0 }, "'totp_max_attempts' must be > 0"],
    // That an option belongs to the base is said last.
    [{ port: 1, log_level: 'x' }, '\'log_level\' config must be one of "NONE","DEBUG", "INFO", "WARN" or "ERROR".'],
    [
      { recent_token_reuse_behaviour: 'x' },
      'recent_token_reuse_behaviour property is not set correctly. It must be one of [TOKEN_THEFT, UNAUTHORISED]',
    ],
    [{ recent_token_reuse_behaviour: 'unauthorised' }, "recent_token_reuse_behaviour can only be set via the core's base config setting"],
    [{ max_server_pool_size: 0 }, "'max_server_pool_size' must be >= 1."],
    [{ argon2_iterations: 0 }, "argon2_iterations can only be set via the core's base config setting"],
    [{ argon2_iterations: 0, password_hashing_alg: 'ARGON2' }, "'argon2_iterations' must be >= 1"],
    // Rules of ours do not come before it.
    [{ bcrypt_log_rounds: 30 }, "bcrypt_log_rounds can only be set via the core's base config setting"],
    [{ http_threads: 0 }, "http_threads can only be set via the core's base config setting"],
    [{ token_theft_revokes: 'x' }, 'token_theft_revokes property is not set correctly. It must be one of [user, session, reference]'],
    [{ oauth_provider_public_service_url: 'x' }, 'oauth_provider_public_service_url is not a valid URL'],
    [
      { oauth_provider_public_service_url: 'http://x' },
      'If any of the following is set, all of them has to be set: oauth_provider_public_service_url, oauth_provider_admin_service_url, oauth_provider_consent_login_base_url',
    ],
  ])('%o', (after, text) => {
    expect(check({ after })).toEqual(bad(text));
  });

  test('values as texts and storage keys are fine', () => {
    expect(
      check({
        after: { access_token_validity: '7200', postgresql_host: 'x', migration_mode: 'LEGACY', refresh_token_validity: '0144000' },
      }),
    ).toBeUndefined();
  });

  test('the base tenant has no coreConfig', () => {
    expect(check({ isBaseTenant: true, after: { nonsense: 1 } })).toEqual({ refusal: 'bad-input', text: 'Cannot modify base config' });
    expect(check({ isBaseTenant: true })).toBeUndefined();
  });

  test('rules look at the effective values', () => {
    expect(check({ after: { refresh_token_validity: 100 }, outer: [{ access_token_validity: 6000 }] })).toEqual(
      bad("'refresh_token_validity' must be strictly greater than 'access_token_validity'."),
    );
  });

  test('test mode lifts what it lifts at start', () => {
    expect(check({ testMode: true, after: { access_token_dynamic_signing_key_update_interval: '0.001' } })).toBeUndefined();
  });

  test('a tenant may repeat but not change a value of its app', () => {
    const app = [{ access_token_validity: 7200 }];
    expect(check({ families: [{ app, tenants: [{ access_token_validity: '7200' }] }] })).toBeUndefined();
    expect(check({ families: [{ app, tenants: [{ access_token_validity: 7201, access_token_blacklisting: true }] }] })).toEqual(
      bad('You cannot set different values for access_token_validity for the same appId'),
    );
  });

  test('API keys are compared without blanks and order', () => {
    const [a, b] = ['a'.repeat(20), 'b'.repeat(20)];
    expect(check({ families: [{ app: [{ api_keys: `${a},${b}` }], tenants: [{ api_keys: `${b} , ${a}` }] }] })).toBeUndefined();
  });

  describe('protected mode', () => {
    const forbidden = (text: string) => ({ refusal: 'forbidden', text });
    test.each([
      [{ postgresql_host: 'x', ip_allow_regex: 'x' }, 'Not allowed to modify DB related configs.'],
      [{ ip_allow_regex: 'x' }, 'Not allowed to modify protected configs.'],
      [{ ip_deny_regex: null }, 'Not allowed to modify protected configs.'],
    ])('%o is refused', (after, text) => {
      expect(check({ protectedMode: true, after })).toEqual(forbidden(text));
      expect(check({ protectedMode: false, after })).toBeUndefined();
    });

    test('removing a protected value is a change too', () => {
      expect(check({ protectedMode: true, before: { ip_allow_regex: 'x' } })).toEqual(
        forbidden('Not allowed to modify protected configs.'),
      );
    });

    test('repeating the value in force is none', () => {
      expect(check({ protectedMode: true, after: { ip_deny_regex: '10[.].*' } })).toBeUndefined();
      expect(check({ protectedMode: true, after: { ip_allow_regex: 'x' }, outer: [{ ip_allow_regex: 'x' }] })).toBeUndefined();
      expect(check({ protectedMode: true, before: { ip_allow_regex: 'x' }, after: { ip_allow_regex: 'x' } })).toBeUndefined();
    });
  });
});
