import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/config.ts';
import { effectiveOptions, type Layer } from '../../src/config/effective.ts';
import { OPTION_NAMES, type OptionName, optionOf } from '../../src/config/options.ts';

const SECRET = 'a-secret-of-more-than-forty-characters-in-all';
const loaded = loadConfig({ argv: ['--totp-max-attempts', '7'], env: { API_KEYS: SECRET, ACCESS_TOKEN_VALIDITY: '60' }, cwd: '/' });

function told(layers: readonly Layer[], name: OptionName) {
  const option = effectiveOptions(loaded, layers).find((one) => one.name === name);
  return [option?.value, option?.source];
}

describe('of the base', () => {
  test('every option once, in order, with its facts', () => {
    const options = effectiveOptions(loaded);
    expect(options.map(({ name }) => name)).toEqual(OPTION_NAMES);
    expect(options.find(({ name }) => name === 'port')).toEqual({
      name: 'port',
      value: 3567,
      source: 'default',
      level: 'B',
      needsRestart: true,
      doc: optionOf('port').doc,
    });
  });

  test('where a value comes from', () => {
    expect(told([], 'totp_max_attempts')).toEqual([7, 'flag']);
    expect(told([], 'access_token_validity')).toEqual([60, 'environment']);
    expect(told([], 'password_hashing_alg')).toEqual(['BCRYPT', 'default']);
  });

  test('secrets are not told, only whether there are any', () => {
    const options = effectiveOptions(loaded);
    expect(JSON.stringify(options)).not.toContain(SECRET);
    expect(options.find(({ name }) => name === 'api_keys')).toMatchObject({ value: null, isSet: true, source: 'environment' });
    expect(options.find(({ name }) => name === 'supertokens_saas_secret')).toMatchObject({ value: null, isSet: false });
    expect(options.filter(({ isSet }) => isSet !== undefined).map(({ name }) => name)).toEqual([
      'api_keys',
      'firebase_password_hashing_signer_key',
      'oauth_client_secret_encryption_key',
      'supertokens_saas_secret',
      'postgres_url',
      'postgres_listen_url',
      'otel_collector_headers',
    ]);
  });

  test('whatever is called a secret, a key or a password is told by none', () => {
    const suspects = OPTION_NAMES.filter((name) => /secret|password$|api_key|signer_key|encryption_key$/.test(name));
    const harmless = ['saml_publish_encryption_key', 'insecure_no_api_keys'];
    expect(suspects.filter((name) => !optionOf(name).secret && !harmless.includes(name))).toEqual([]);
  });
});

describe('of a tenant', () => {
  const layers: readonly Layer[] = [
    { source: 'tenant', values: { passwordless_code_lifetime: 1000 } },
    { source: 'app', values: { passwordless_code_lifetime: 2000, access_token_validity: 90, totp_max_attempts: null } },
    {
      source: 'connection-uri-domain',
      values: { access_token_validity: 95, email_verification_token_lifetime: 5, access_token_signing_key_update_interval: 5 },
    },
  ];

  test.each([
    ['passwordless_code_lifetime', 1000, 'tenant'],
    ['access_token_validity', 90, 'app'],
    ['email_verification_token_lifetime', 5, 'connection-uri-domain'],
    ['access_token_dynamic_signing_key_update_interval', 5, 'connection-uri-domain'],
    // A null hides what stands behind it, and means the default.
    ['totp_max_attempts', 5, 'app'],
    ['totp_rate_limit_cooldown_sec', 900, 'default'],
  ] as const)('%s: the nearest that says something', (name, value, source) => {
    expect(told(layers, name)).toEqual([value, source]);
  });

  test('what only the base may say, and what cannot be read, says nothing', () => {
    const odd: readonly Layer[] = [{ source: 'app', values: { port: 1, access_token_validity: 'x' } }];
    expect(told(odd, 'port')).toEqual([3567, 'default']);
    expect(told(odd, 'access_token_validity')).toEqual([60, 'environment']);
  });

  test('what this version refuses leaves the base in force', () => {
    const refused: readonly Layer[] = [{ source: 'app', values: { password_hashing_alg: 'MD5', access_token_validity: 90 } }];
    expect(told(refused, 'access_token_validity')).toEqual([60, 'environment']);
  });
});
