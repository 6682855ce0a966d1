import { expect, test } from 'vitest';
import { type RunningFacts, warningsOf } from '../../src/doctor/running-checks.ts';
import { configOf, configWith, machineLike } from './machine.ts';

const machine = machineLike();
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** A core with which nothing is wrong. */
const WELL: RunningFacts = {
  loaded: configWith({ API_KEYS: 'a-key-of-twenty-letters' }, '--backup-dir', '/backups'),
  machine,
  isInFolder: true,
  lastBackup: { at: machine.now - HOUR_MS, bytes: 1 },
  keptKeys: 0,
  wasReloadRefused: false,
  isBlocked: false,
  auditLagMs: 500,
  jobs: [],
  deadLetters: 0,
};

const lines = (facts: Partial<RunningFacts>): readonly string[] =>
  warningsOf({ ...WELL, ...facts }).map(({ code, severity, text }) => `${severity} ${code}: ${text}`);

test('says nothing where nothing is wrong', () => {
  expect(warningsOf(WELL)).toEqual([]);
});

const OPEN = configOf('--host', '0.0.0.0', '--insecure-no-api-keys', '--backup-dir', '/backups');
const WITHOUT_TRAIL = configWith({ API_KEYS: 'a-key-of-twenty-letters' }, '--backup-dir', '/backups', '--audit-trail', 'false');
const FAILED = { name: 'backup', state: 'failed', fault: 'Error ENOSPC' } as const;

test.each<readonly [string, Partial<RunningFacts>, readonly string[]]>([
  ['an open address', { loaded: OPEN }, ['problem api-keys: no API key is asked, and it listens on 0.0.0.0']],
  ['keys in the store', { loaded: OPEN, keptKeys: 1 }, []],
  ['no reads', { keptKeys: undefined }, ['problem store: the store cannot be read']],
  ['no writes', { isBlocked: true }, ['problem store: the store takes no writes']],
  ['a refused reload', { wasReloadRefused: true }, ['problem reload: the last reload was refused: an older configuration is in force']],
  [
    'little room',
    { machine: machineLike({ disk: () => ({ kind: 'ext4', freeBytes: 100 * 2 ** 20 }) }) },
    [`warning room: 100 MiB are free on the disk of ${WELL.loaded.config.data_dir}`],
  ],
  ['no backup yet', { lastBackup: undefined }, ['warning backups: there is no backup in /backups yet']],
  [
    'an old backup',
    { lastBackup: { at: machine.now - 50 * HOUR_MS, bytes: 1 } },
    ['problem backups: the last backup in /backups is 50.0 hours old'],
  ],
  ['no trail', { loaded: WITHOUT_TRAIL }, ['warning audit-trail: the audit trail is off: nothing tells who changed what']],
  ['a late trail', { auditLagMs: 3 * MINUTE_MS }, ['note audit-trail: events of the audit trail have waited 3 minutes to be sealed']],
  ['a job that failed', { jobs: [FAILED] }, ['warning jobs: the job "backup" failed: Error ENOSPC']],
  ['a job that was cut off', { jobs: [{ name: 'backup', state: 'cut-off' }] }, []],
  ['dead letters', { deadLetters: 3 }, ['warning webhooks: 3 messages to webhooks were given up']],
])('%s', (_, facts, expected) => {
  expect(lines(facts)).toEqual(expected);
});

test('the worst comes first, and each says what to do', () => {
  const facts = { jobs: [FAILED], auditLagMs: 3 * MINUTE_MS, isBlocked: true };
  const found = warningsOf({ ...WELL, ...facts });
  expect(found.map(({ severity }) => severity)).toEqual(['problem', 'warning', 'note']);
  expect(found.filter(({ remedy }) => remedy === '')).toEqual([]);
});

test('a database has a disk and backups of its own', () => {
  expect(
    lines({ isInFolder: false, lastBackup: undefined, machine: machineLike({ disk: () => ({ kind: 'nfs', freeBytes: 1 }) }) }),
  ).toEqual([]);
});
