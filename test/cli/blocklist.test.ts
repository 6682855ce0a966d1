import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkPasswordBlocklist } from '../../src/doctor/blocklist-check.ts';
import { loadConfig } from '../../src/config/config.ts';
import { watchword } from '../transfer/program.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-cli-blocklist-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'passwords.blocklist');

function words(...passwords: readonly string[]): string {
  const file = join(folder, 'words.txt');
  writeFileSync(file, passwords.join('\n'));
  return file;
}

test('build and check tell what the file holds; only its owner can change it', async () => {
  const built = await watchword(['blocklist', 'build', FILE, words('one', 'two'), '--words', '--false-positives', '0.001']);
  const told =
    'passwords                               2\nother passwords taken for one of them  1 of 1,000\nbytes                                  8,192\n';
  expect(built).toEqual({ code: 0, stdout: told.replace('passwords   ', 'passwords  '), stderr: '' });
  expect(await watchword(['blocklist', 'check', FILE])).toEqual(built);
  expect(statSync(FILE).mode & 0o777).toBe(0o600);
  const asJson = JSON.parse((await watchword(['blocklist', 'check', FILE, '--json'])).stdout);
  expect(asJson).toMatchObject({ pages: 1, bits: 10, passwords: 2, falsePositives: 0.001 });
});

test.each([
  [['blocklist', 'build', FILE], 64, "missing required argument 'LIST'"],
  [['blocklist', 'build', FILE, 'x', '--false-positives', '1'], 64, '--false-positives must be a number from 1e-9 to 0.1'],
  [['blocklist', 'build', FILE, 'x', '--min-count', '0'], 64, '--min-count must be a whole number from 1'],
  [['blocklist', 'build', FILE, join(folder, 'gone.txt')], 1, 'no such file'],
  [['blocklist', 'build', FILE, words('one')], 1, 'words.txt: line 1 is not a SHA-1 digest'],
  [['blocklist', 'check', words('one')], 1, 'words.txt is not a blocklist'],
])('%j is refused', async (line, code, fault) => {
  const ended = await watchword(line);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toContain(fault);
});

describe('the doctor', () => {
  const look = (file: string | undefined) =>
    checkPasswordBlocklist(loadConfig({ argv: file === undefined ? [] : ['--password-blocklist', file], env: {}, cwd: folder }).config);

  test('reads all of it', async () => {
    expect(await look(undefined)).toEqual([]);
    await watchword(['blocklist', 'build', FILE, words('one', 'two'), '--words']);
    expect(await look(FILE)).toEqual([{ severity: 'ok', text: `2 passwords of ${FILE} cannot be chosen` }]);
    writeFileSync(FILE, Buffer.alloc(1), { flag: 'r+' });
    expect(await look(FILE)).toMatchObject([
      { severity: 'problem', text: `${FILE} is not a blocklist: "watchword blocklist build" makes one` },
    ]);
  });
});
