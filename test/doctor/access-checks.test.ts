import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBackups, checkOpenAddress, checkPermissions } from '../../src/doctor/access-checks.ts';
import { lastBackup } from '../../src/jobs/scheduled-backups.ts';
import { temporaryFolder } from '../store/engines.ts';
import { configOf, configWith, linesOf, machineLike } from './machine.ts';

const HOUR_MS = 3_600_000;
const KEY = 'a-key-of-twenty-letters';

test('who can read what is kept', () => {
  const loaded = configOf('--data-dir', '/data');
  const modes = new Map([
    ['/data', { mode: 0o755, owner: 1000 }],
    ['/data/data.mdb', { mode: 0o640, owner: 0 }],
  ]);
  const machine = machineLike({ access: (path) => modes.get(path), list: () => ['data.mdb'] });
  expect(linesOf(checkPermissions(loaded, machine))).toEqual([
    'warning: others can get at /data (mode 0755)',
    'warning: /data/data.mdb belongs to user 0, not to 1000',
    'warning: others can get at /data/data.mdb (mode 0640)',
  ]);
  expect(checkPermissions(loaded, machineLike())[0]?.severity).toBe('ok');
  expect(checkPermissions(loaded, machineLike({ user: 0 }))[0]?.severity).toBe('ok');
});

test('an address that anybody may reach', () => {
  const severity = (flags: readonly string[], kept?: number) => checkOpenAddress(configOf(...flags), kept)[0]?.severity;
  expect(severity(['--host', '127.0.0.1'])).toBe('note');
  const keyed = configWith({ API_KEYS: KEY }, '--host', '0.0.0.0');
  expect([undefined, 0].map((kept) => checkOpenAddress(keyed, kept)[0]?.severity)).toEqual(['ok', 'ok']);
  const open = configOf('--host', '0.0.0.0', '--insecure-no-api-keys');
  expect(linesOf(checkOpenAddress(open, 0))).toEqual(['problem: no API key is asked, and it listens on 0.0.0.0']);
  expect(checkOpenAddress(open, 2)[0]?.text).toBe('2 API keys open the base app');
});

test('backups', () => {
  const folder = temporaryFolder();
  const loaded = configOf('--backup-dir', folder);
  const now = Date.UTC(2026, 10, 22);
  const lines = () => linesOf(checkBackups(loaded, now, lastBackup(folder)));
  expect(linesOf(checkBackups(configOf(), now, undefined))).toEqual(['note: no backups are made on a schedule']);
  expect(lines()).toEqual([`warning: there is no backup in ${folder} yet`]);
  const file = join(folder, 'watchword-20261121T000000Z.backup');
  writeFileSync(file, '');
  const made = (hours: number): void => utimesSync(file, new Date(), new Date(now - hours * HOUR_MS));
  made(20);
  expect(lines()).toEqual([`ok: the last backup in ${folder} is 20.0 hours old`]);
  made(50);
  expect(lines()).toEqual([`problem: the last backup in ${folder} is 50.0 hours old`]);
});
