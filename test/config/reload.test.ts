import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { OPTION_NAMES, optionOf } from '../../src/config/options.ts';
import { reread } from '../../src/config/reload.ts';

const KEY = 'a'.repeat(20);

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'reload-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const from = (env: Record<string, string> = {}) => ({ argv: ['--config', 'config.yaml'], env, cwd: folder });
const write = (text: string): void => writeFileSync(join(folder, 'config.yaml'), text);

/** What a core that was started with one file makes of another. */
function after(before: string, now: string, env: Record<string, string> = {}) {
  write(before);
  const running = loadConfig(from(env));
  write(now);
  return { running, taken: reread(running, from(env)) };
}

function faultsOf(before: string, now: string): readonly string[] {
  try {
    after(before, now);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('what a running process takes over', () => {
  test('changed values, with where they come from', () => {
    const { taken } = after('access_token_validity: 60\n', `log_level: WARN\napi_keys: ${KEY}\n`);
    expect(taken).toMatchObject({ status: 'OK', changed: ['access_token_validity', 'api_keys', 'log_level'], needsRestart: [] });
    expect(taken.loaded.config).toMatchObject({ access_token_validity: 3600, log_level: 'WARN', api_keys: [KEY] });
    expect(taken.loaded.sources).toMatchObject({ access_token_validity: 'default', log_level: 'file' });
    expect(Object.isFrozen(taken.loaded.config)).toBe(true);
  });

  test('nothing, where nothing changed', () => {
    const { running, taken } = after('saml_email_attributes: [a, b]\n', 'saml_email_attributes: "a,b"\n');
    expect(taken).toEqual({ status: 'OK', changed: [], needsRestart: [], loaded: running });
  });

  test('environment and flags go on beating the file', () => {
    const { taken } = after('port: 1\n', 'access_token_validity: 60\n', { ACCESS_TOKEN_VALIDITY: '90' });
    expect(taken.loaded.config.access_token_validity).toBe(90);
    expect(taken.changed).toEqual([]);
  });

  test('what needs a restart stays, is named, and is named again', () => {
    const { running, taken } = after('port: 1\n', 'port: 2\nhttp_threads: 1\nrequest_log: true\n');
    const expected = running.config.http_threads === 1 ? ['port'] : ['port', 'http_threads'];
    expect(taken).toMatchObject({ changed: ['request_log'], needsRestart: expected });
    expect(taken.loaded.config).toMatchObject({ port: 1, http_threads: running.config.http_threads, request_log: true });
    expect(taken.loaded.sources.port).toBe('file');
    expect(reread(taken.loaded, from())).toMatchObject({ changed: [], needsRestart: expected });
  });
});

test('what apps and tenants may set needs no restart', () => {
  expect(OPTION_NAMES.filter((name) => optionOf(name).restart && optionOf(name).level !== 'B')).toEqual([]);
});

describe('what is refused', () => {
  test('a wrong file, whole, with every fault', () => {
    expect(faultsOf('', 'log_level: LOUD\nprot: 1\naccess_token_validity: 60\n')).toEqual([
      '\'log_level\' config must be one of "NONE","DEBUG", "INFO", "WARN" or "ERROR".',
      'Unknown key in the config file: prot (did you mean port?)',
    ]);
  });

  test('a file that is gone', () => {
    write('');
    const running = loadConfig(from());
    rmSync(join(folder, 'config.yaml'));
    expect(() => reread(running, from())).toThrow(/^The config file cannot be read: ENOENT/);
  });

  test('a good file of which the part that needs no restart would open the door', () => {
    expect(faultsOf(`host: 0.0.0.0\napi_keys: ${KEY}\n`, 'host: localhost\n')).toEqual([
      expect.stringMatching(/^'api_keys' must be set where .* \(until the restart that host needs\)$/),
    ]);
  });
});
