import { describe, expect, test } from 'vitest';
import { ConfigError, loadConfig } from '../../src/config/config.ts';
import { flagName, OPTION_NAMES, optionOf } from '../../src/config/options.ts';
import { START } from '../../src/cli/start.ts';

const SECRET = 'a=secret-of-more-than-forty-letters-and-hyphens';

function faultsOf(argv: readonly string[], env: Readonly<Record<string, string>> = {}): readonly string[] {
  try {
    loadConfig({ argv, env, cwd: '/' });
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('a secret on the command line', () => {
  const secrets = OPTION_NAMES.filter((name) => optionOf(name).secret === true);

  test.each(secrets)('%s is refused, in one line that names where it may stand and not itself', (name) => {
    const [fault, ...others] = faultsOf([`--${flagName(name)}`, SECRET], { API_KEYS: SECRET });
    expect(others).toEqual([]);
    expect(fault).toMatch(
      /^Flag --\S+ would show a secret to everybody who lists processes: use the variable [A-Z_]+ or the file of --config$/,
    );
    expect(fault).not.toContain(SECRET);
    expect(START.command.flags).not.toHaveProperty(flagName(name));
  });

  test('there are such options', () => {
    expect(secrets).toEqual(expect.arrayContaining(['api_keys', 'supertokens_saas_secret', 'firebase_password_hashing_signer_key']));
  });

  test.each([
    'postgres://u:hidden@h/d',
    'postgres://:hidden@h/d',
    'postgres://u@h/d?password=hidden',
    'postgres://u@h/d?sslpassword=hidden',
    'postgres://u:12#hidden@h/d',
    'postgres://u:hid#den@h/d',
  ])('%s is refused: it holds a password', (url) => {
    const [fault, ...others] = faultsOf(['--postgres-url', url]);
    expect(others).toEqual([]);
    expect(fault).toMatch(/^Flag --postgres-url would show a secret .*PGPASSWORD or the file of --postgres-password-file$/);
    expect(fault).not.toContain('hid');
  });

  test('a URL without a password may be a flag, and one with it a variable', () => {
    expect(faultsOf(['--postgres-url', 'postgres://u@h:5432/d?sslmode=verify-full'])).toEqual([]);
    expect(faultsOf([], { POSTGRES_URL: 'postgres://u:hidden@h/d' })).toEqual([]);
  });
});
