import { accessSync, constants, readdirSync, rmSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import type { BackupFile, BackupSaver } from '../recipes/backups.ts';
import { HOUR_MS, type Job } from '../recipes/recipe.ts';
import { makeFolder } from '../store/make-folder.ts';

/** Backups on a schedule, as the configuration asks for them. */
export interface BackupSchedule {
  readonly folder: string;
  /** Hours from the end of one to the start of the next. */
  readonly every: number;
  /** How many are kept. */
  readonly keep: number;
}

/** The newest backup of a folder. */
export interface LastBackup {
  /** When it was finished, ms since the epoch. */
  readonly at: number;
  readonly bytes: number;
}

/** What a backup on a schedule is called: the files that are counted, and removed when they are too many. */
const NAME = /^watchword-[0-9]{8}T[0-9]{6}Z\.backup$/;
/** How long a piece of the job's work takes; between two the lease is renewed. */
const PIECE_MS = 2_000;
/** Backups that are shown: more than anybody keeps. */
const MOST_SHOWN = 100;

/** What the job is called. */
export const BACKUP_JOB = 'backup';

/** What a backup of this time is called: in the order of names is the order of times. */
export function backupName(now: number): string {
  return `watchword-${new Date(now).toISOString().replace(/[-:]|\.[0-9]+/g, '')}.backup`;
}

/** Those of some names that backups have, the newest first. */
const backupsAmong = (names: readonly string[]): readonly string[] =>
  names
    .filter((name) => NAME.test(name))
    .toSorted()
    .toReversed();

/** The names of the backups in a folder, the newest first; none where there is no folder. */
function namesIn(folder: string): readonly string[] {
  try {
    return backupsAmong(readdirSync(folder));
  } catch {
    return [];
  }
}

/** The newest backups in a folder, for which no thread waits. @throws Error where it cannot be read */
export async function backupsIn(folder: string): Promise<readonly BackupFile[]> {
  const names = backupsAmong(await readdir(folder)).slice(0, MOST_SHOWN);
  const files = await Promise.all(
    names.map(async (name) => {
      // It may be removed meanwhile.
      const { size, mtimeMs } = (await stat(join(folder, name)).catch(() => undefined)) ?? {};
      return size === undefined || mtimeMs === undefined ? [] : [{ name, bytes: size, finishedAt: Math.round(mtimeMs) }];
    }),
  );
  return files.flat();
}

/** Throws where no backup could be made in a folder; makes the folder. */
export function checkBackupFolder(folder: string): void {
  makeFolder(folder);
  accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
}

/** The newest backup in a folder. */
export function lastBackup(folder: string): LastBackup | undefined {
  const [name] = namesIn(folder);
  const found = name === undefined ? undefined : statSync(join(folder, name), { throwIfNoEntry: false });
  return found && { at: found.mtimeMs, bytes: found.size };
}

/** The job that makes them, once in the whole cluster. @param saver makes one */
export function backupJob<S extends { readonly now: () => number }>({ folder, every, keep }: BackupSchedule, saver: BackupSaver): Job<S> {
  let saving: Promise<boolean> | undefined;
  const begin = (now: number): Promise<boolean> => {
    const begun = saver.saveBackup(join(folder, backupName(now)));
    // Its end is looked at in one of the next pieces.
    begun.catch(() => {});
    return begun;
  };
  /** A backup that runs is waited for in pieces, and so is its turn where another one is under way. */
  const run = async ({ now }: S): Promise<boolean> => {
    saving ??= begin(now());
    const isOver = await Promise.race([saving.then(() => true), later(PIECE_MS, false)]).catch(() => true);
    if (!isOver) return true;
    const ended = saving;
    saving = undefined;
    if (!(await ended)) {
      await later(PIECE_MS);
      return true;
    }
    for (const name of namesIn(folder).slice(keep)) rmSync(join(folder, name), { force: true });
    return false;
  };
  return { name: BACKUP_JOB, everyMs: every * HOUR_MS, run };
}
