import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Manifest, tailOf } from '../../../src/transfer/backup/manifest.ts';
import { checkBackup, restoreBackup } from '../../../src/transfer/backup/restore.ts';
import type { RunningCore } from '../../running-core.ts';
import { temporaryFolder } from '../../store/engines.ts';
import { withCore } from '../../with-core.ts';
import { fetchTo, putMetadata, telling } from './scene.ts';

const MARK = 'a text by which its record is found';

let core: RunningCore;
/** A backup. */
let sound: Buffer;
let manifest: Manifest;

withCore({}, async (started) => {
  core = started;
  for (let n = 0; n < 50; n++) await putMetadata(core, `u${n}`, { text: `${MARK} ${n}` });
  const folder = mkdtempSync(join(tmpdir(), 'watchword-backup-'));
  try {
    manifest = await fetchTo(core, join(folder, 'a.backup'));
    sound = readFileSync(join(folder, 'a.backup'));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** A file of the running test. */
function fileOf(content: Uint8Array | string): string {
  const file = join(temporaryFolder(), 'a.backup');
  writeFileSync(file, content);
  return file;
}

/** The copy of the store in a backup, changed, with a manifest that says whatever it is to say. */
function forged(change: (copy: Buffer) => void, said: Partial<Manifest> = {}): string {
  const copy = Buffer.from(sound.subarray(0, manifest.bytes));
  change(copy);
  const sha256 = createHash('sha256').update(copy).digest('hex');
  return fileOf(Buffer.concat([copy, tailOf({ ...manifest, sha256, ...said })]));
}

/** What a restore into a new folder says; it must leave nothing there. */
async function refusalOf(file: string): Promise<string> {
  const folder = join(temporaryFolder(), 'data');
  const { parts } = telling();
  const error: unknown = await restoreBackup(file, folder, parts).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(existsSync(folder), 'nothing is left').toBe(false);
  return error instanceof Error ? error.message.replace(file, 'FILE') : 'restored';
}

test('a sound one is restored, and checked without being restored', async () => {
  const { parts } = telling();
  const checked = await checkBackup(fileOf(sound), parts, temporaryFolder());
  expect(checked.manifest).toEqual(manifest);
  expect(checked.count).toMatchObject({ findings: 0, withoutSum: 0 });
  expect(checked.count.records).toBeGreaterThan(50);
});

test('the throw-away folder of a check is thrown away', async () => {
  const within = temporaryFolder();
  const { parts } = telling();
  await checkBackup(fileOf(sound), parts, within);
  await expect(checkBackup(fileOf(sound.subarray(0, 5000)), parts, within)).rejects.toThrow('cut off');
  expect(readdirSync(within)).toEqual([]);
});

test('what is cut off anywhere', async () => {
  const cuts = [4096, 8192, 20_000, manifest.bytes, manifest.bytes + 1, manifest.bytes + 100, sound.length - 32, sound.length - 1];
  for (const length of cuts)
    expect(`${length} ${await refusalOf(fileOf(sound.subarray(0, length)))}`).toMatch(/FILE cannot be restored: it is cut off: /);
});

test('what is something else', async () => {
  expect(await refusalOf(fileOf(''))).toBe('FILE cannot be restored: it is empty');
  expect(await refusalOf(fileOf('x'))).toBe('FILE cannot be restored: it is no backup of Watchword');
  expect(await refusalOf(fileOf(Buffer.alloc(1_000_000, 'backup ')))).toBe('FILE cannot be restored: it is no backup of Watchword');
  expect(await refusalOf(fileOf(`{"a":1}\nWATCHWORD-BACKUP 001 0000000008\n`))).toBe(
    'FILE cannot be restored: it is damaged: its manifest cannot be read',
  );
  expect(await refusalOf(join(temporaryFolder(), 'none'))).toContain('ENOENT');
});

test('what a newer version made', async () => {
  const newer = Buffer.from(sound);
  newer.write('002', newer.length - 32 + 'WATCHWORD-BACKUP '.length);
  expect(await refusalOf(fileOf(newer))).toBe('FILE cannot be restored: it was made by a newer version (format 2, this version knows 1)');
  expect(await refusalOf(forged(() => {}, { layout: 99 }))).toBe(
    'FILE cannot be restored: it was made by a newer version (layout 99 of the store, this version knows 2)',
  );
});

test('what is damaged: by its size, its digest, or its records', async () => {
  expect(await refusalOf(fileOf(Buffer.concat([sound.subarray(0, 8192), sound.subarray(12_288)])))).toMatch(
    /it has not the size that its manifest tells/,
  );
  const flipped = Buffer.from(sound);
  flipped[20_000] = (flipped[20_000] ?? 0) ^ 1;
  expect(await refusalOf(fileOf(flipped))).toMatch(/it is damaged: its content is not what its manifest tells/);
  const { parts, findings } = telling();
  const file = forged((copy) => {
    for (let at = copy.indexOf(MARK); at >= 0; at = copy.indexOf(MARK, at + 1)) copy[at] = (copy[at] ?? 0) ^ 1;
  });
  await expect(checkBackup(file, parts, temporaryFolder())).rejects.toThrow('the store that it holds is damaged');
  expect(findings.length).toBeGreaterThan(0);
});

test('onto a folder in use, or in which something is', async () => {
  const file = fileOf(sound);
  const { parts } = telling();
  await expect(restoreBackup(file, core.dataDir, parts)).rejects.toThrow(
    `${core.dataDir} holds a store, which process ${core.pid} uses: name another folder, or stop what uses it and move its files away`,
  );
  const folder = join(temporaryFolder(), 'data');
  await restoreBackup(file, folder, parts);
  await expect(restoreBackup(file, folder, parts)).rejects.toThrow(`${folder} holds a store: name another folder`);
  const other = temporaryFolder();
  writeFileSync(join(other, 'letter'), 'dear');
  await expect(restoreBackup(file, other, parts)).rejects.toThrow(`${other} is not empty: it holds letter`);
  expect(readdirSync(other)).toEqual(['letter']);
});

test('onto an empty folder, also where a database was lost or a restore was killed', async () => {
  const { parts } = telling();
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'copying'));
  writeFileSync(join(folder, 'copying', 'data.mdb'), 'half');
  writeFileSync(join(folder, 'lock.mdb'), 'of the one that was lost');
  await restoreBackup(fileOf(sound), folder, parts);
  expect(readdirSync(folder).toSorted()).toEqual(['data.mdb', 'pid-namespace']);
});
