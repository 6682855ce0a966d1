import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { nearestName } from '../../src/config/nearest-name.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unknown-options-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function faultsOf(argv: readonly string[], env: Record<string, string> = {}): readonly string[] {
  try {
    loadConfig({ argv, env, cwd: folder });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('in the file', () => {
  test.each([
    ['acess_token_validity: 1', 'Unknown key in the config file: acess_token_validity (did you mean access_token_validity?)'],
    ['Port: 1', 'Unknown key in the config file: Port (did you mean port?)'],
    ['api-keys: x', 'Unknown key in the config file: api-keys (did you mean api_keys?)'],
    ['prot: 1', 'Unknown key in the config file: prot (did you mean port?)'],
    ['something_else: 1', 'Unknown key in the config file: something_else'],
  ])('%s', (line, fault) => {
    writeFileSync(join(folder, 'config.yaml'), `${line}\n`);
    expect(faultsOf(['--config', 'config.yaml'])).toEqual([fault]);
  });
});

describe('on the command line', () => {
  test.each([
    ['--prot', 'Unknown flag: --prot (did you mean --port?)'],
    ['--access_token_validity', 'Unknown flag: --access_token_validity (did you mean --access-token-validity?)'],
    ['--confg', 'Unknown flag: --confg (did you mean --config?)'],
    ['--testmode', 'Unknown flag: --testmode (did you mean --test-mode?)'],
    ['--nothing-of-ours', 'Unknown flag: --nothing-of-ours'],
  ])('%s', (flag, fault) => {
    expect(faultsOf([flag, '1'])).toEqual([fault]);
  });
});

describe('in the environment', () => {
  test.each([
    ['WATCHWORD_PORT', 'SUPERTOKENS_PORT'],
    ['WATCHWORD_API_KEYS', 'API_KEYS'],
    ['SUPERTOKENS_DATA_DIR', 'WATCHWORD_DATA_DIR'],
    ['SUPERTOKENS_HOTS', 'SUPERTOKENS_HOST'],
    ['SUPERTOKENS_ACCESS_TOKEN_VALIDTY', 'ACCESS_TOKEN_VALIDITY'],
  ])('%s', (variable, meant) => {
    expect(faultsOf([], { [variable]: '1' })).toEqual([`Unknown environment variable: ${variable} (did you mean ${meant}?)`]);
  });

  test('what is like nothing of ours is named alone', () => {
    expect(faultsOf([], { WATCHWORD_XYZ: '1' })).toEqual(['Unknown environment variable: WATCHWORD_XYZ']);
  });

  test('the value of a fault is not shown', () => {
    expect(faultsOf([], { WATCHWORD_API_KEYS: 'secret-value' }).join()).not.toContain('secret-value');
  });

  test('names that begin otherwise, empty values, and what commands and tests read are none of ours', () => {
    const env = { PROT: '1', MY_WATCHWORD_PORT: '1', WATCHWORD_PORT: '', WATCHWORD_API_KEY: 'k', WATCHWORD_CONFORMANCE: '/x' };
    expect(faultsOf([], { ...env, WATCHWORD_REFERENCE_DATABASE: 'x' })).toEqual([]);
  });

  test('what container platforms set for a service of our name means nothing', () => {
    const env = {
      SUPERTOKENS_SERVICE_HOST: '10.0.0.1',
      SUPERTOKENS_SERVICE_PORT: '3567',
      SUPERTOKENS_SERVICE_PORT_HTTP: '3567',
      SUPERTOKENS_PORT: 'tcp://10.0.0.1:3567',
      SUPERTOKENS_PORT_3567_TCP: 'tcp://10.0.0.1:3567',
      SUPERTOKENS_PORT_3567_TCP_PROTO: 'tcp',
      SUPERTOKENS_PORT_3567_TCP_PORT: '3567',
      SUPERTOKENS_PORT_3567_TCP_ADDR: '10.0.0.1',
      WATCHWORD_PORT: 'udp://10.0.0.1:3567',
      WATCHWORD_CORE_SERVICE_HOST: '10.0.0.1',
    };
    const { config, warnings } = loadConfig({ argv: [], env, cwd: folder });
    expect([config.port, warnings]).toEqual([3567, []]);
  });
});

describe('the nearest name', () => {
  test.each([
    ['port', ['host', 'port'], 'port'],
    ['ports', ['host', 'port'], 'port'],
    ['hsot', ['port', 'host'], 'host'],
    ['hst', ['port', 'host'], 'host'],
    ['HOST', ['host'], 'host'],
    ['xy', ['port', 'host'], undefined],
    ['', ['port'], undefined],
  ])('%s', (text, names, nearest) => {
    expect(nearestName(text, names)).toBe(nearest);
  });
});
