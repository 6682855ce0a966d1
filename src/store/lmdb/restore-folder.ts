import { linkSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { NoRoom, UnfitFolder } from '../copy.ts';
import type { LmdbPlan } from '../plan.ts';
import { makeFolder } from '../make-folder.ts';
import { syncFile } from '../sync-file.ts';
import { workFolderIn } from '../work-folder.ts';
import { databaseIn, holdsDatabase, locksIn, processesOn } from './data-folder.ts';
import { FILE as NAMESPACE_FILE, holdAlone } from './pid-namespace.ts';
import { freeBytes, mebibytes } from './room.ts';

/** Files that say nothing of a store: a folder with nothing else is empty. */
const NOTHING = new Set(['lost+found', 'config.yaml', NAMESPACE_FILE, basename(workFolderIn(''))]);
/** What the store needs beyond the copy to be opened. */
const SPARE_BYTES = 16 * 1024 * 1024;
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;

/** Whether a file that begins like this is, or was, a database. */
export function beginsAsDatabase(head: Uint8Array): boolean {
  return head.length >= MAGIC_AT + 4 && Buffer.from(head.buffer, head.byteOffset).readUInt32LE(MAGIC_AT) === MAGIC;
}

/**
 * Makes a folder ready to take a copy of so many bytes.
 * @returns where the copy is to be made: a place on the same disk, where nothing looks like a store
 * @throws UnfitFolder, NoRoom
 */
export function prepareForCopy(path: string, bytes: number): string {
  makeFolder(path);
  requireEmpty(path);
  const free = freeBytes(path);
  if (free < bytes + SPARE_BYTES)
    throw new NoRoom(`No room in ${path}: ${mebibytes(free)} MiB are free, ${mebibytes(bytes + SPARE_BYTES)} MiB are needed`);
  return workFolderIn(path);
}

/**
 * Moves a copy into the folder for which it was made. No process can have begun a store there meanwhile.
 * @throws UnfitFolder
 */
export function placeCopy(copy: LmdbPlan, { path }: LmdbPlan): void {
  requireEmpty(path);
  const release = holdAlone(path);
  if (!release) throw new UnfitFolder(`A process has ${path} open: stop it first`);
  try {
    // Of a store that was here before; for another one it would be wrong.
    rmSync(locksIn(path), { force: true });
    syncFile(databaseIn(copy.path));
    // Other than a new name it never takes the place of a file.
    linkSync(databaseIn(copy.path), databaseIn(path));
    syncFile(path);
    syncFile(dirname(path));
  } finally {
    release();
  }
}

/** Whether a store can be made in a folder. @throws UnfitFolder */
export function requireEmpty(path: string): void {
  if (!statSync(path).isDirectory()) throw new UnfitFolder(`${path} is no folder`);
  if (holdsDatabase(path)) {
    const [user] = processesOn(databaseIn(path));
    const use = user === undefined ? '' : `, which process ${user} uses`;
    throw new UnfitFolder(`${path} holds a store${use}: name another folder, or stop what uses it and move its files away`);
  }
  const other = readdirSync(path).find((name) => !NOTHING.has(name) && join(path, name) !== locksIn(path));
  if (other !== undefined) throw new UnfitFolder(`${path} is not empty: it holds ${other}`);
}
