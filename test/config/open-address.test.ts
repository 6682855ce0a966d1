import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { isLoopback } from '../../src/config/loopback.ts';

const KEY = 'a'.repeat(20);
const FAULT = /^'api_keys' must be set where 'host' is not a loopback address/;

function faultsOf(argv: readonly string[], serves?: boolean, env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    loadConfig({ argv, env, cwd: '/', ...(serves !== undefined && { serves }) });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('an address that others can reach', () => {
  test.each(['0.0.0.0', '::', '192.168.1.7', 'auth.internal', '::ffff:10.0.0.1'])('%s is refused without API keys', (host) => {
    expect(faultsOf(['--host', host])).toEqual([expect.stringMatching(FAULT)]);
    expect(faultsOf(['--host', host, '--test-mode'])).toEqual([expect.stringMatching(FAULT)]);
  });

  test('is let through with keys, by name, and where nothing listens', () => {
    expect(faultsOf(['--host', '0.0.0.0'], true, { API_KEYS: KEY })).toEqual([]);
    expect(faultsOf(['--host', '0.0.0.0', '--insecure-no-api-keys'])).toEqual([]);
    expect(faultsOf(['--host', '0.0.0.0'], false)).toEqual([]);
  });
});

test.each(['localhost', 'LOCALHOST', '127.0.0.1', '127.8.9.10', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])('%s is loopback', (host) => {
  expect(isLoopback(host)).toBe(true);
  expect(faultsOf(['--host', host])).toEqual([]);
});
