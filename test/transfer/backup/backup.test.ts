import { closeSync, existsSync, fstatSync, openSync, readdirSync, readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { planFolder } from '../../../src/store/plan.ts';
import { takeWorkFolder } from '../../../src/store/work-folder.ts';
import { backupFile, workFolderOf } from '../../../src/transfer/backup/backup-file.ts';
import { saveFetched } from '../../../src/transfer/backup/fetch-backup.ts';
import { checkBackup, restoreBackup } from '../../../src/transfer/backup/restore.ts';
import { saveBackup } from '../../../src/transfer/backup/write-backup.ts';
import { type RunningCore, startCore } from '../../running-core.ts';
import { temporaryFolder } from '../../store/engines.ts';
import { withCore } from '../../with-core.ts';
import { backupFolder, fetchTo, metadataOf, putMetadata, sourceOf, telling } from './scene.ts';

const WRITERS = 4;
const FILLER = 'x'.repeat(20_000);

let core: RunningCore;
withCore({}, (started) => {
  core = started;
});

/** Writes under one user id after the other until told to stop. */
async function write(name: string, acknowledged: string[], isStopped: () => boolean): Promise<void> {
  for (let n = 0; !isStopped(); n++) {
    expect(await putMetadata(core, `${name}-${n}`, { mark: `${name} ${n}`, filler: FILLER })).toBe(200);
    acknowledged.push(`${name}-${n}`);
  }
}

test('a backup beside writers holds all that was acknowledged before it began, and is sound', { timeout: 60_000 }, async () => {
  const acknowledged: string[] = [];
  let isStopped = false;
  const writers = Array.from({ length: WRITERS }, (_, n) => write(`w${n}`, acknowledged, () => isStopped));
  await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(200);
  const before = [...acknowledged];
  const folder = backupFolder();
  const file = join(folder, 'a.backup');
  const manifest = await fetchTo(core, file);
  const during = acknowledged.length - before.length;
  isStopped = true;
  await Promise.all(writers);

  expect(during, 'writes went on').toBeGreaterThan(0);
  expect(readdirSync(folder)).toEqual(['a.backup']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(join(core.dataDir, 'copying'))).toBe(false);
  const restored = join(temporaryFolder(), 'restored');
  const { parts, findings } = telling();
  const { count } = await restoreBackup(file, restored, parts);
  expect(findings).toEqual([]);
  expect(manifest.entries).toBe(count.records + count.indexEntries + 1);
  expect(readdirSync(restored).toSorted()).toEqual(['data.mdb', 'pid-namespace']);
  const other = await startCore({ dataDir: restored });
  try {
    for (const userId of before) expect(await metadataOf(other, userId)).toMatchObject({ mark: userId.replace('-', ' ') });
  } finally {
    await other.stop();
  }
});

test('of a folder, beside the core that serves it', { timeout: 30_000 }, async () => {
  await putMetadata(core, 'of-a-folder', { mark: 1 });
  const file = await backupFile(join(backupFolder(), 'a.backup'));
  const work = takeWorkFolder(workFolderOf(file));
  const manifest = await saveBackup(planFolder(core.dataDir), file, work, { product: '1' });
  work.close();
  const { parts } = telling();
  expect((await checkBackup(file, parts)).manifest).toEqual(manifest);
  expect(existsSync(workFolderOf(file))).toBe(false);
});

test('a second one at a time is refused, by name', { timeout: 30_000 }, async () => {
  const other = takeWorkFolder(join(core.dataDir, 'copying'));
  const folder = backupFolder();
  try {
    await expect(fetchTo(core, join(folder, 'a.backup'))).rejects.toThrow(
      'The core made no backup (503): Another backup is under way, try again later',
    );
  } finally {
    other.close();
  }
  expect(readdirSync(folder)).toEqual([]);
  await fetchTo(core, join(folder, 'a.backup'));
});

test('several at once: each is whole, or refused', { timeout: 30_000 }, async () => {
  const folder = backupFolder();
  const all = await Promise.allSettled(['a', 'b', 'c'].map((name) => fetchTo(core, join(folder, name))));
  const kept = all.flatMap((one) => (one.status === 'fulfilled' ? [one] : []));
  expect(kept.length).toBeGreaterThan(0);
  expect(readdirSync(folder)).toHaveLength(kept.length);
  for (const one of all) if (one.status === 'rejected') expect(String(one.reason)).toContain('Another backup is under way');
});

test('HEAD makes none, and leaves nothing', async () => {
  const response = await fetch(`${core.url}/manage/v1/backup`, { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
  await expect.poll(() => existsSync(join(core.dataDir, 'copying')), { timeout: 10_000 }).toBe(false);
  await fetchTo(core, join(backupFolder(), 'a.backup'));
});

test('a file in a data folder is refused, before the core is asked', async () => {
  await expect(saveFetched(sourceOf({ url: 'http://127.0.0.1:1' }), join(core.dataDir, 'a.backup'))).rejects.toThrow(
    /is in the data folder .*: a backup belongs elsewhere/,
  );
  await expect(backupFile(join(core.dataDir, 'none', 'a.backup'))).rejects.toThrow('There is no folder');
});

test('what is no core, or an older one, is named', async () => {
  const file = join(backupFolder(), 'a.backup');
  await expect(fetchTo({ url: 'http://127.0.0.1:1' }, file)).rejects.toThrow('No core answers at http://127.0.0.1:1/');
  await expect(fetchTo({ url: `${core.url}/appid-none` }, file)).rejects.toThrow(/The core made no backup \(400\): AppId/);
  await expect(fetchTo({ url: `${core.url}/unknown/path` }, file)).rejects.toThrow('knows no backups: it is older than this command');
});

/** A page that neither the tree nor the list of free pages knows of, as a damaged store may have. */
function losePage(dataDir: string): void {
  const file = openSync(join(dataDir, 'data.mdb'), 'r+');
  try {
    const metas = [0, 4096].map((at) => ({ at, bytes: Buffer.alloc(160) }));
    for (const { at, bytes } of metas) readSync(file, bytes, 0, 160, at);
    const [newest] = metas.toSorted((a, b) => Number(b.bytes.readBigUInt64LE(152) - a.bytes.readBigUInt64LE(152)));
    const last = Buffer.alloc(8);
    last.writeBigUInt64LE((newest?.bytes.readBigUInt64LE(144) ?? 0n) + 1n);
    writeSync(file, last, 0, 8, (newest?.at ?? 0) + 144);
    const { size } = fstatSync(file);
    writeSync(file, Buffer.alloc(4096), 0, 4096, Math.max(size, (Number(last.readBigUInt64LE()) + 1) * 4096 - 4096));
  } finally {
    closeSync(file);
  }
}

test('a store that does not know of all its pages is copied with its free ones', { timeout: 60_000 }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const before = await startCore({ dataDir });
  await putMetadata(before, 'u', { mark: 1 });
  await before.stop();
  losePage(dataDir);
  const folder = backupFolder();
  const work = takeWorkFolder(join(folder, 'work'));
  await saveBackup(planFolder(dataDir), join(folder, 'a.backup'), work, { product: '1' });
  work.close();
  const { parts } = telling();
  await checkBackup(join(folder, 'a.backup'), parts);
  const served = await startCore({ dataDir, faultsExpected: true });
  try {
    // The first is broken off at its end, and the client asks again.
    await fetchTo(served, join(folder, 'b.backup'));
    expect(served.output()).toContain('The store does not know of all of its free pages');
    await checkBackup(join(folder, 'b.backup'), parts);
  } finally {
    await served.stop();
  }
});
