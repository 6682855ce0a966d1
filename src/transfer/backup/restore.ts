import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CheckCount } from '../../store/check-store.ts';
import type { Collection } from '../../store/collection.ts';
import { checkStored, openPlacing, type StorePlacing } from '../../store/open-store.ts';
import { planFolder } from '../../store/plan.ts';
import { takeWorkFolder, type WorkFolder } from '../../store/work-folder.ts';
import { type Manifest, NoBackup } from './manifest.ts';
import { readManifest } from './read-backup.ts';

const PIECE_BYTES = 1024 * 1024;

/** What a restore needs and whom it tells. */
export interface RestoreParts {
  /** Every collection of the product. */
  readonly collections: readonly Collection<unknown>[];
  /** What is done now, and how far it is. */
  readonly progress: (what: 'copied' | 'checked', done: number, total: number) => void;
  /** One line for each thing that is wrong with the records. */
  readonly finding: (text: string) => void;
  readonly signal: AbortSignal;
}

/** A backup that was found sound. */
export interface Restored {
  readonly manifest: Manifest;
  readonly count: CheckCount;
}

/**
 * Makes a data folder of a backup. Everything is checked before the folder holds a store: manifest, size, digest, and
 * every page and record.
 * @throws NoBackup, UnfitFolder, NoRoom, FolderTaken
 */
export async function restoreBackup(file: string, folder: string, parts: RestoreParts): Promise<Restored> {
  const wasThere = existsSync(folder);
  try {
    return await withCopy(file, folder, parts, (copy, placing) => placing.place(planFolder(copy), planFolder(folder)));
  } catch (error) {
    // As it was before; what is not empty stays.
    if (!wasThere) removeIfEmpty(folder);
    throw error;
  }
}

/**
 * Checks a backup as `restoreBackup` does, in a folder that is thrown away.
 * @param within where that folder is made; where left out, where the system has its temporary files
 * @throws NoBackup, NoRoom
 */
export async function checkBackup(file: string, parts: RestoreParts, within: string = tmpdir()): Promise<Restored> {
  const folder = mkdtempSync(join(within, 'watchword-check-'));
  try {
    return await withCopy(file, folder, parts, () => {});
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Makes a checked copy of what a backup holds, which is there until `use` has ended. */
async function withCopy(
  path: string,
  folder: string,
  parts: RestoreParts,
  use: (copy: string, placing: StorePlacing) => void,
): Promise<Restored> {
  const placing = await openPlacing();
  const manifest = await named(path, () => manifestOf(path, placing));
  const work = takeWorkFolder(placing.prepare(folder, manifest.bytes));
  try {
    await named(path, () => copyOut(path, placing.fileIn(work.path), manifest, parts));
    const count = await named(path, () => checkCopy(work, parts));
    use(work.path, placing);
    return { manifest, count };
  } finally {
    work.close();
  }
}

/** Names the file in what is wrong with it. */
async function named<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof NoBackup ? new NoBackup(`${path} cannot be restored: ${error.message}`) : error;
  }
}

async function manifestOf(path: string, placing: StorePlacing): Promise<Manifest> {
  const file = await open(path, 'r');
  try {
    return await readManifest(file, placing);
  } finally {
    await file.close();
  }
}

async function copyOut(path: string, into: string, { bytes, sha256 }: Manifest, { progress, signal }: RestoreParts): Promise<void> {
  const hash = createHash('sha256');
  let done = 0;
  const watch = new Transform({
    transform: (piece: Buffer, _encoding, next) => {
      hash.update(piece);
      done += piece.length;
      progress('copied', done, bytes);
      next(null, piece);
    },
  });
  const source = createReadStream(path, { end: bytes - 1, highWaterMark: PIECE_BYTES });
  await pipeline(source, watch, createWriteStream(into, { flags: 'wx', mode: 0o600 }), { signal });
  if (hash.digest('hex') !== sha256) throw new NoBackup('it is damaged: its content is not what its manifest tells');
}

async function checkCopy({ path }: WorkFolder, parts: RestoreParts): Promise<CheckCount> {
  const { collections, finding, signal } = parts;
  const progress = (checked: number, total: number): void => parts.progress('checked', checked, total);
  const count = await checkStored(planFolder(path, true), collections, { finding, progress }, signal);
  if (count?.findings !== 0) throw new NoBackup('the store that it holds is damaged');
  return count;
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it.
  }
}
