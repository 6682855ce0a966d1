import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, type LoadedConfig, loadConfig } from '../../src/config/config.ts';

const KEY_A = 'a'.repeat(20);
const KEY_B = 'B'.repeat(25);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function load(argv: readonly string[] = [], env: Record<string, string> = {}): LoadedConfig {
  return loadConfig({ argv, env, cwd: folder });
}

function yaml(text: string, name = 'config.yaml'): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function faultsOf(argv: readonly string[], env: Record<string, string> = {}): readonly string[] {
  try {
    load(argv, env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('sources', () => {
  test('without any source: the defaults', () => {
    const { config, configFile, testMode, warnings } = load();
    expect(config).toMatchObject({
      core_config_version: 0,
      port: 3567,
      host: 'localhost',
      access_token_validity: 3600,
      api_keys: null,
      password_hashing_alg: 'BCRYPT',
      saml_relay_state_validity: 900_000,
      saml_claims_validity: 600_000,
      saml_sp_entity_id: 'https://saml.supertokens.com',
      token_theft_revokes: 'user',
      data_dir: join(folder, 'data'),
      info_log_path: null,
    });
    expect(configFile).toBe(join(folder, 'data', 'config.yaml'));
    expect(testMode).toBe(false);
    expect(warnings).toEqual([]);
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('default, file, environment, flag: the later wins', () => {
    const file = yaml('core_config_version: 0\nport: 1\nhost: 127.0.0.2\nbase_path: x\nlog_level: warn\n');
    const { config, configFile, sources } = load(['--config', file, '--port', '3'], {
      SUPERTOKENS_PORT: '2',
      SUPERTOKENS_HOST: '127.0.0.3',
    });
    expect(config).toMatchObject({ port: 3, host: '127.0.0.3', base_path: '/x', log_level: 'WARN' });
    expect(sources).toMatchObject({ port: 'flag', host: 'environment', base_path: 'file', log_level: 'file', data_dir: 'default' });
    expect(configFile).toBe(join(folder, file));
  });

  test('every form of a flag', () => {
    const { config, testMode } = load(['--http-threads=2', '--request-log', '--disable-telemetry', 'false', '--test-mode', '--port', '0']);
    expect(config).toMatchObject({ http_threads: 2, request_log: true, disable_telemetry: false, port: 0 });
    expect(testMode).toBe(true);
  });

  test('environment: empty is not set, quotes are unwrapped, and so is case in true and false', () => {
    const { config, sources } = load([], {
      SUPERTOKENS_PORT: '',
      BASE_PATH: '"/a\\\\b\\"c"',
      DISABLE_TELEMETRY: 'TRUE',
      ACCESS_TOKEN_SIGNING_KEY_DYNAMIC: '"False"',
      WATCHWORD_DATA_DIR: '/var/lib/watchword',
      PORT: '1',
      CORE_CONFIG_VERSION: '7',
    });
    expect(config).toMatchObject({
      port: 3567,
      base_path: '/a\\b"c',
      disable_telemetry: true,
      access_token_signing_key_dynamic: false,
      data_dir: '/var/lib/watchword',
      core_config_version: 0,
    });
    expect(sources).toMatchObject({ port: 'default', base_path: 'environment' });
  });

  test('API keys come sorted and without blanks', () => {
    expect(load([], { API_KEYS: ` ${KEY_A} ,${KEY_B}` }).config.api_keys).toEqual([KEY_B, KEY_A]);
  });

  test('the alias of the key interval; the later entry wins', () => {
    const file = yaml(
      'core_config_version: 0\naccess_token_dynamic_signing_key_update_interval: 2\naccess_token_signing_key_update_interval: 3\n',
    );
    expect(load(['--config', file]).config.access_token_dynamic_signing_key_update_interval).toBe(3);
  });

  test('scalars are read by type', () => {
    const file = yaml(
      'core_config_version: "0"\naccess_token_validity: 60.0\nrefresh_token_validity: "1e3"\ninfo_log_path: "null"\ndata_dir: 12\n',
    );
    expect(load(['--config', file]).config).toMatchObject({
      access_token_validity: 60,
      refresh_token_validity: 1000,
      info_log_path: null,
      data_dir: join(folder, '12'),
    });
  });

  test('null means the default, or none where none is a value', () => {
    const file = yaml('core_config_version: 0\nport:\nbulk_migration_sleep_between_rounds_in_batch_ms: null\n');
    expect(load(['--config', file]).config).toMatchObject({ port: 3567, bulk_migration_sleep_between_rounds_in_batch_ms: null });
  });

  test('a file needs to say nothing but what it is for', () => {
    expect(load(['--config', yaml('port: 1234\n')]).config).toMatchObject({ port: 1234, core_config_version: 0 });
    expect(load(['--config', yaml('')]).config).toEqual(load().config);
  });

  test('what means nothing here but something to the reference core is one warning', () => {
    const file = yaml('postgresql_host: db\nmigration_mode: LEGACY\ndisable_telemetry: true\n');
    const { warnings } = load(['--config', file, '--deadlock-logger-enable'], {
      SUPERTOKENS_MIGRATION_MODE: 'LEGACY',
      DISABLE_TELEMETRY: 'true',
    });
    expect(warnings).toEqual([
      'Options of the reference core that mean nothing here: disable_telemetry, deadlock_logger_enable, postgresql_host, migration_mode, SUPERTOKENS_MIGRATION_MODE',
    ]);
  });

  test('base path and the one domain are brought into form', () => {
    const { config } = load([], { BASE_PATH: 'some//path/', SUPERTOKENS_SAAS_LOAD_ONLY_CUD: 'LOCALHOST:3567' });
    expect(config).toMatchObject({ base_path: '/some/path', supertokens_saas_load_only_cud: 'localhost' });
    expect(load([], { BASE_PATH: '/' }).config.base_path).toBe('');
  });
});

describe('faults', () => {
  test('all at once, the texts of the contract first', () => {
    const faults = faultsOf(['--nonsense', '1', 'stray', '--port', 'x'], {
      ACCESS_TOKEN_VALIDITY: '0',
      API_KEYS: 'short',
      TOTP_MAX_ATTEMPTS: '0',
    });
    expect(faults).toEqual([
      "'access_token_validity' must be between 1 and 86400000 seconds inclusive.",
      "'totp_max_attempts' must be > 0",
      'One of the API keys is too short. Please use at least 20 characters',
      "'--port' must be of type int",
      'Unknown flag: --nonsense',
      'Unknown argument: stray',
    ]);
  });

  test('some texts name the file', () => {
    const file = yaml('core_config_version: 0\naccess_token_validity: 0\n');
    expect(faultsOf(['--config', file])).toEqual([
      `'access_token_validity' must be between 1 and 86400000 seconds inclusive. The config file can be found here: ${join(folder, file)}`,
    ]);
  });

  test.each([
    ['a file that is not there', ['--config', 'missing.yaml'], /^The config file cannot be read: ENOENT/],
    ['a folder', ['--config', '.'], /^The config file cannot be read: EISDIR/],
    ['--config without a file', ['--config'], /^Flag --config needs a value/],
    ['a flag without its value', ['--port', '--request-log'], /^Flag --port needs a value/],
  ])('%s', (_, argv, text) => {
    expect(faultsOf(argv).join('\n')).toMatch(text);
  });

  test('a file that is not YAML, or not a table', () => {
    expect(faultsOf(['--config', yaml('port: 1\na: b: c', 'bad.yaml')])).toEqual([
      'The config file cannot be read: it is not plain YAML at line 2, column 4 (BLOCK_AS_IMPLICIT_KEY)',
    ]);
    expect(faultsOf(['--config', yaml('- 1', 'list.yaml')])[0]).toMatch(/must hold names with values/);
  });

  test.each([
    [{ REFRESH_TOKEN_VALIDITY: '60' }, "'refresh_token_validity' must be strictly greater than 'access_token_validity'."],
    [{ ACCESS_TOKEN_DYNAMIC_SIGNING_KEY_UPDATE_INTERVAL: '0.5' }, /must be greater than, equal to 1 hour\.$/],
    [{ REFRESH_TOKEN_ROTATION_GRACE_PERIOD: '301' }, /must be between 0 and 300 seconds inclusive\.$/],
  ])('%o is lifted in test mode', (env, text) => {
    expect(faultsOf([], env)).toEqual([expect.stringMatching(text)]);
    expect(faultsOf(['--test-mode'], env)).toEqual([]);
  });

  test('a flag never takes test mode for a value', () => {
    expect(faultsOf(['--test-mode=true'])).toEqual(['Flag --test-mode takes no value']);
  });

  test.each([
    [{ ACCESS_TOKEN_VALIDITY_JITTER: '0.3' }, "'access_token_validity_jitter' must be between 0 and 0.25 inclusive."],
    [{ PASSWORD_HASHING_ALG: 'MD5' }, "'password_hashing_alg' must be one of 'ARGON2' or 'BCRYPT'"],
    [{ PASSWORD_HASHING_ALG: 'argon2', ARGON2_ITERATIONS: '0' }, "'argon2_iterations' must be >= 1"],
    [{ PASSWORD_HASHING_ALG: 'argon2', ARGON2_HASHING_POOL_SIZE: '11' }, "'argon2_hashing_pool_size' must be <= 'max_server_pool_size'"],
    [{ LOG_LEVEL: 'LOUD' }, '\'log_level\' config must be one of "NONE","DEBUG", "INFO", "WARN" or "ERROR".'],
    [
      { RECENT_TOKEN_REUSE_BEHAVIOUR: 'x' },
      'recent_token_reuse_behaviour property is not set correctly. It must be one of [TOKEN_THEFT, UNAUTHORISED]',
    ],
    [{ IP_ALLOW_REGEX: '(' }, 'Provided regular expression is invalid for ip_allow_regex config'],
    [{ SUPERTOKENS_MAX_CDI_VERSION: 'x' }, 'supertokens_max_cdi_version is not a valid semantic version'],
    [{ SUPERTOKENS_MIN_CDI_VERSION: '5.0.0' }, 'supertokens_min_cdi_version is not a supported version'],
    [
      { SUPERTOKENS_MIN_CDI_VERSION: '2.21', SUPERTOKENS_MAX_CDI_VERSION: '2.9' },
      'supertokens_min_cdi_version cannot be greater than supertokens_max_cdi_version',
    ],
    [{ SUPERTOKENS_SAAS_SECRET: 'x'.repeat(40) }, 'supertokens_saas_secret can only be used when api_key is also defined'],
    [{ API_KEYS: KEY_A, SUPERTOKENS_SAAS_SECRET: 'x' }, 'supertokens_saas_secret is too short. Please use at least 40 characters'],
    [{ API_KEYS: `${KEY_A}!` }, "Invalid characters in API key. Please only use '=', '-' and alpha-numeric (including capitals)"],
    [{ SUPERTOKENS_SAAS_LOAD_ONLY_CUD: 'a/b' }, 'supertokens_saas_load_only_cud is invalid'],
    [{ BASE_PATH: 'a b' }, 'Invalid characters in base_path config'],
    [{ BULK_MIGRATION_PARALLELISM: '0' }, 'Provided bulk_migration_parallelism must be >= 1'],
    [{ HTTP_THREADS: '0' }, "'http_threads' must be between 1 and 128"],
    [{ SIGN_IN_FAILURES_PER_ACCOUNT: '-1' }, "'sign_in_failures_per_account' must be >= 0"],
    [{ SIGN_IN_FAILURES_PER_ADDRESS: '-1' }, "'sign_in_failures_per_address' must be >= 0"],
    [{ DASHBOARD_SIGN_IN_FAILURES_PER_ACCOUNT: '-1' }, "'dashboard_sign_in_failures_per_account' must be >= 0"],
    [{ DASHBOARD_SIGN_IN_FAILURES_PER_ADDRESS: '-1' }, "'dashboard_sign_in_failures_per_address' must be >= 0"],
    [{ SIGN_IN_FAILURE_WINDOW_MS: '999' }, "'sign_in_failure_window_ms' must be between 1000 and 86400000"],
    [{ SIGN_IN_ADDRESS_HEADER: 'x user' }, "'sign_in_address_header' must be the name of a header"],
    [{ REQUEST_LOG: 'yes' }, "'request_log' must be of type boolean"],
    [{ BULK_MIGRATION_CRON_ENABLED: '1' }, "'bulk_migration_cron_enabled' must be of type boolean"],
    [{ ACCESS_TOKEN_VALIDITY: '1.5' }, "'access_token_validity' must be of type long"],
    [{ BULK_MIGRATION_SLEEP_BETWEEN_ROUNDS_IN_BATCH_MS: 'x' }, "'bulk_migration_sleep_between_rounds_in_batch_ms' must be of type Integer"],
  ])('%o', (env, text) => {
    expect(faultsOf([], env)).toEqual([text]);
  });

  test('no fault repeats a secret', () => {
    expect(faultsOf([], { API_KEYS: 'secret!' }).join()).not.toContain('secret!');
    const lines = [
      'api_keys: secret!',
      'api_keys: *secret',
      'api_keys: !secret x',
      'api_keys: |secret',
      'api_keys: "secret',
      'api_keys: [secret]',
    ];
    for (const line of lines) {
      const faults = faultsOf(['--config', yaml(line)]);
      expect([line, faults.length]).toEqual([line, 1]);
      expect(faults.join()).not.toContain('secret');
    }
  });
});
