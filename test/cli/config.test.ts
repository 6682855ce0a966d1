import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';
import { KEY, withPlaces } from './places.ts';

const { folder, core, onCore, onFolder } = withPlaces({ ACCESS_TOKEN_VALIDITY: '60' });

function file(text: string): string {
  const path = join(folder, 'watchword.yaml');
  writeFileSync(path, text);
  return path;
}

describe('config check', () => {
  test('says that a file is right, and what it cannot do', async () => {
    expect(await watchword(['config', 'check', file('port: 1\npostgresql_host: db\n')])).toEqual({
      code: 0,
      stdout: 'Options of the reference core that mean nothing here: postgresql_host\nThe configuration is right.\n',
      stderr: '',
    });
    expect(JSON.parse((await watchword(['config', 'check', '--json'])).stdout)).toEqual({ status: 'OK', warnings: [] });
  });

  test('names everything that is wrong, in the environment too', async () => {
    const wrong = file(`prot: 1\nhost: 0.0.0.0\n`);
    const env = { WATCHWORD_HOST: 'x', REQUEST_LOG: 'yes' };
    const { code, stdout } = await watchword(['config', 'check', wrong], { env });
    expect([code, stdout.trimEnd().split('\n')]).toEqual([
      78,
      [
        expect.stringMatching(/^'api_keys' must be set/),
        'Unknown key in the config file: prot (did you mean port?)',
        "'request_log' must be of type boolean",
        'Unknown environment variable: WATCHWORD_HOST (did you mean SUPERTOKENS_HOST?)',
      ],
    ]);
    const asJson = await watchword(['config', 'check', wrong, '--json']);
    expect([asJson.code, JSON.parse(asJson.stdout)]).toMatchObject([78, { status: 'INVALID_CONFIG_ERROR', faults: { length: 2 } }]);
  });
});

test('config sample prints a file that check finds right', async () => {
  const { code, stdout } = await watchword(['config', 'sample']);
  expect(code).toBe(0);
  expect(await watchword(['config', 'check', file(stdout)])).toMatchObject({ code: 0, stdout: 'The configuration is right.\n' });
});

test.each([
  ['a running core', onCore],
  ['a data folder', onFolder],
])('config show tells whose each value is, on %s', async (_, run) => {
  const { code, stdout } = await run(['config', 'show', '--changed']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^OPTION +VALUE +FROM\n/);
  expect(stdout).toMatch(/\naccess_token_validity +60 +environment\n/);
  expect(stdout).not.toMatch(/ default\n/);
  const all = JSON.parse((await run(['config', 'show', '--json'])).stdout);
  expect(all).toContainEqual(expect.objectContaining({ name: 'totp_max_attempts', value: 5, source: 'default' }));
  expect(JSON.stringify(all)).not.toContain(KEY);
});

describe('config reload', () => {
  test('says what came of it', async () => {
    expect(await onCore(['config', 'reload'])).toEqual({ code: 0, stdout: 'Nothing changed.\n', stderr: '' });
    expect(JSON.parse((await onCore(['config', 'reload', '--json'])).stdout)).toEqual({ status: 'OK', changed: [], needsRestart: [] });
    expect(core().output()).toContain('"msg":"the configuration was reloaded"');
  });

  test('ends with 78 where it was refused, and says why', async ({ onTestFinished }) => {
    const path = file('log_level: WARN\n');
    const other = await startCore({ flags: ['--config', path], faultsExpected: true });
    onTestFinished(async () => void (await other.stop()));
    file('log_level: LOUD\n');
    expect(await watchword(['config', 'reload', '--url', other.url])).toEqual({
      code: 78,
      stdout: '',
      stderr: expect.stringMatching(/goes on with what it had, since this is wrong:\n'log_level' config must be one of/),
    });
  });

  test('is nothing for a folder', async () => {
    expect(await onFolder(['config', 'reload'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('Only a running core reloads'),
    });
  });
});
