import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupJob, backupName, backupsIn, lastBackup } from '../../src/jobs/scheduled-backups.ts';
import { temporaryFolder } from '../store/engines.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 10, 22, 14, 5, 9, 123);

/** A folder, and a job whose backups are made by a function. */
function scene(save: (file: string) => Promise<boolean>) {
  const folder = join(temporaryFolder(), 'backups');
  const clock = { now: () => START };
  const job = backupJob<typeof clock>(
    { folder, every: 24, keep: 2 },
    {
      saveBackup: (file) => {
        mkdirSync(folder, { recursive: true });
        return save(file);
      },
    },
  );
  return { folder, job, at: (now: number) => job.run({ now: () => now }, 100) };
}

test('names are in the order of times', () => {
  expect(backupName(START)).toBe('watchword-20261122T140509Z.backup');
});

test('keeps the newest, and touches nothing that it did not name', async () => {
  const { folder, at, job } = scene(async (file) => {
    writeFileSync(file, 'x'.repeat(10));
    return true;
  });
  expect(job.everyMs).toBe(24 * HOUR_MS);
  expect(lastBackup(folder)).toBeUndefined();
  expect(await at(START)).toBe(false);
  for (const name of ['watchword-old.backup', 'watchword-20200101T000000Z.backup.age', 'a.backup']) writeFileSync(join(folder, name), '');
  for (let hour = 1; hour < 4; hour++) expect(await at(START + hour * HOUR_MS)).toBe(false);
  expect(readdirSync(folder).toSorted()).toEqual([
    'a.backup',
    'watchword-20200101T000000Z.backup.age',
    'watchword-20261122T160509Z.backup',
    'watchword-20261122T170509Z.backup',
    'watchword-old.backup',
  ]);
  expect(lastBackup(folder)?.bytes).toBe(10);
  const newest = { name: 'watchword-20261122T170509Z.backup', bytes: 10, finishedAt: expect.any(Number) };
  expect(await backupsIn(folder)).toEqual([newest, { ...newest, name: 'watchword-20261122T160509Z.backup' }]);
  await expect(backupsIn(join(folder, 'none'))).rejects.toThrow('ENOENT');
});

test('one that takes long is waited for in pieces, so that the lease is renewed; one that fails is told', { timeout: 20_000 }, async () => {
  let end: (error?: Error) => void = () => {};
  let begun = 0;
  const { at } = scene(
    () =>
      new Promise((resolve, reject) => {
        begun += 1;
        end = (error) => (error ? reject(error) : resolve(true));
      }),
  );
  expect(await at(START)).toBe(true);
  expect(await at(START)).toBe(true);
  expect(begun).toBe(1);
  end(new Error('no room'));
  await expect(at(START)).rejects.toThrow('no room');
  const again = at(START);
  end();
  expect(await again).toBe(false);
  expect(begun).toBe(2);
});

test('waits for another one that is under way', { timeout: 20_000 }, async () => {
  const answers = [false, true];
  const { at } = scene(async () => answers.shift() ?? true);
  expect(await at(START)).toBe(true);
  expect(await at(START)).toBe(false);
});
