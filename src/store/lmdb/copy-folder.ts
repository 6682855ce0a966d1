import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import type { CheckReport } from '../check-store.ts';
import type { Collection } from '../collection.ts';
import { type CopyFacts, type CopyManner, LostPages, NoRoom, type StoreCopy, UnfitFolder } from '../copy.ts';
import { checkLayout } from '../layout-version.ts';
import type { LmdbPlan } from '../plan.ts';
import { finishFile } from '../sync-file.ts';
import { takeWorkFolder, workFolderIn } from '../work-folder.ts';
import { checkFolder } from './check-folder.ts';
import { databaseIn, holdsDatabase, locksIn, prepareDataFolder } from './data-folder.ts';
import { holdUnused } from './hold-folder.ts';
import { openFolder } from './open-folder.ts';
import { readMeta } from './pages.ts';
import { freeBytes, mebibytes } from './room.ts';
import { openDatabase } from './snapshot.ts';

/** What a copy leaves free on its disk, for those who go on to write there. */
const LEFT_FREE_BYTES = 64 * 1024 * 1024;

/**
 * Begins to copy the database as it is at one moment, beside processes that go on to write: LMDB holds a snapshot as
 * long as it copies, and no lock. (With free pages, the write lock while it copies the meta pages.)
 * @param into an empty folder
 * @throws NoRoom, UnfitFolder; `whole` may reject with `LostPages`
 */
export async function copyFolder({ path }: LmdbPlan, into: string, { withFree }: CopyManner): Promise<StoreCopy> {
  requireDatabase(path);
  const mostBytes = statSync(databaseIn(path)).size;
  requireRoom(into, mostBytes);
  const found: { layout?: number | undefined } = {};
  const engine = await openFolder({ engine: 'lmdb', path, readAhead: true }, async (opened) => {
    found.layout = (await checkLayout(opened))?.[0];
  });
  const copying = named(engine.copyTo(into, withFree)).then(() => factsOf(into));
  const whole = copying.finally(() => engine.close());
  // Whoever follows the file is told.
  whole.catch(() => {});
  return { file: databaseIn(into), layout: found.layout ?? 0, mostBytes, whole };
}

/**
 * Writes the database anew without its free pages, which gives their room back to the disk. What is new is checked
 * before it takes the place of the old one, in one step.
 * @returns bytes before and after
 * @throws NoRoom, UnfitFolder where a process has the folder open
 */
export async function compactFolder(
  { path }: LmdbPlan,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<{ readonly before: number; readonly after: number }> {
  requireDatabase(path);
  await prepareDataFolder(path);
  const release = holdUnused(path);
  try {
    const work = takeWorkFolder(workFolderIn(path));
    try {
      const before = statSync(databaseIn(path)).size;
      await compactInto(path, work.path);
      const checked = await checkFolder({ engine: 'lmdb', path: work.path }, collections, report, signal);
      if (checked?.findings !== 0) throw new UnfitFolder(`${path} was left as it is: its compacted copy is not sound`);
      finishFile(databaseIn(work.path), databaseIn(path));
      rmSync(locksIn(path), { force: true });
      return { before, after: statSync(databaseIn(path)).size };
    } finally {
      work.close();
    }
  } finally {
    release();
  }
}

async function compactInto(path: string, into: string): Promise<void> {
  requireRoom(into, statSync(databaseIn(path)).size);
  const database = openDatabase(path, true);
  try {
    await named(database.backup(into, true));
  } finally {
    await database.close();
  }
  if (factsOf(path).entries !== factsOf(into).entries) throw new Error('the compacted copy does not hold all entries');
}

/** What LMDB says where its tree and its list of free pages do not make up all pages. */
const INCOMPATIBLE = 'MDB_INCOMPATIBLE';

async function named(copying: Promise<void>): Promise<void> {
  try {
    await copying;
  } catch (error) {
    const isLost = error instanceof Error && error.message.includes(INCOMPATIBLE);
    throw isLost ? new LostPages('The store does not know of all of its free pages', { cause: error }) : error;
  }
}

function requireDatabase(path: string): void {
  if (!holdsDatabase(path)) throw new UnfitFolder(`There is no store in ${path}`);
}

function requireRoom(folder: string, bytes: number): void {
  const free = freeBytes(folder);
  const needed = bytes + LEFT_FREE_BYTES;
  if (free < needed)
    throw new NoRoom(`No room for a copy of the store in ${folder}: ${mebibytes(free)} MiB are free, ${mebibytes(needed)} MiB are needed`);
}

function factsOf(folder: string): CopyFacts {
  const file = openSync(databaseIn(folder), 'r');
  try {
    return { entries: readMeta(file)?.entries ?? 0 };
  } finally {
    closeSync(file);
  }
}
