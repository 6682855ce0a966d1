import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Finding } from '../../src/doctor/finding.ts';
import { type RunningCore } from '../running-core.ts';
import { temporaryFolder } from '../store/engines.ts';
import { watchword } from '../transfer/program.ts';
import { withCore } from '../with-core.ts';

let core: RunningCore;
withCore({}, (started) => {
  core = started;
});

const CHECKS = [
  'configuration',
  'file system',
  'room',
  'open files',
  'memory',
  'clock',
  'thread pool',
  'http engine',
  'permissions',
  'store',
  'api keys',
  'stored times',
  'signing keys',
  'certificates',
  'audit trail',
  'backups',
];

async function findingsOf(...words: readonly string[]): Promise<{ readonly code: number | null; readonly findings: readonly Finding[] }> {
  const { code, stdout } = await watchword(['doctor', '--json', ...words]);
  return { code, findings: JSON.parse(stdout) as Finding[] };
}

test('looks at everything beside a running core, and finds no problem on this machine', { timeout: 30_000 }, async () => {
  const { code, findings } = await findingsOf('--data-dir', core.dataDir);
  expect(findings.filter(({ severity }) => severity === 'problem')).toEqual([]);
  expect(code).toBe(0);
  expect([...new Set(findings.map(({ check }) => check))]).toEqual(CHECKS);
  expect(findings.filter(({ severity, remedy }) => (severity === 'ok') !== (remedy === undefined))).toEqual([]);
});

test('tells people in a table', { timeout: 30_000 }, async () => {
  const { code, stdout } = await watchword(['doctor', '--data-dir', core.dataDir]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^WHAT +IS +BECAUSE\nconfiguration +ok +it can be read/);
  expect(stdout).toMatch(/\nbackups +note +no backups are made on a schedule\n +-> set backup_dir/);
});

test('a configuration that is wrong is named whole', async () => {
  const file = join(temporaryFolder(), 'config.yaml');
  writeFileSync(file, 'core_config_version: 0\nport: 99999\nhttp_threads: 0\n');
  const { code, findings } = await findingsOf('--config', file);
  expect([code, findings.length]).toEqual([1, 2]);
  expect(findings.map(({ severity }) => severity)).toEqual(['problem', 'problem']);
});

test('a store that cannot be opened, and files that others can read', { timeout: 30_000 }, async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'data.mdb'), 'no database');
  chmodSync(folder, 0o755);
  const { code, findings } = await findingsOf('--data-dir', folder);
  expect(code).toBe(1);
  const of = (check: string): readonly string[] =>
    findings.filter((one) => one.check === check).map(({ severity, text }) => `${severity}: ${text}`);
  expect(of('store')).toEqual([expect.stringMatching(/^problem: .*data\.mdb is damaged/)]);
  expect(of('permissions')).toContain(`warning: others can get at ${folder} (mode 0755)`);
  expect(of('certificates')).toEqual([]);
});

test('a folder without a store is looked at too, and left as it is', { timeout: 30_000 }, async () => {
  const { code, findings } = await findingsOf('--data-dir', join(temporaryFolder(), 'data'));
  expect(code).toBe(0);
  expect(findings.find(({ check }) => check === 'store')?.severity).toBe('note');
});

test('advises costs of password hashes', { timeout: 60_000 }, async () => {
  const { code, stdout } = await watchword(['doctor', '--calibrate', '50']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nARGON2 +argon2_memory_kb: \d+, argon2_iterations: \d+, argon2_parallelism: \d+ +\d+ ms/);
  expect(stdout).toMatch(/\nBCRYPT +bcrypt_log_rounds: 1\d +\d+ ms/);
  expect((await watchword(['doctor', '--calibrate', '--json'])).code).toBe(0);
  expect(await watchword(['doctor', '--calibrate', 'much'])).toMatchObject({ code: 64 });
});
