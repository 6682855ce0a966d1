import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { makeFolder } from '../make-folder.ts';
import { DamagedFile, holdsAllPages, PageWalk, readMeta } from './pages.ts';

const DATABASE = 'data.mdb';
const LOCKS = 'lock.mdb';
/** Another process that makes a database has an empty file for some milliseconds. */
const MAKING_MS = 3_000;
const LOOK_AGAIN_MS = 20;
/** What a new database takes before anything is in it. */
const ROOM_BYTES = 256 * 1024;

/** The file with everything that a folder holds. */
export const databaseIn = (path: string): string => join(path, DATABASE);

/** Its list of readers and locks, of no meaning once no process has the folder open. */
export const locksIn = (path: string): string => join(path, LOCKS);

/** Whether there is a database in a folder. @throws Error where that cannot be seen, as in a folder of another user */
export function holdsDatabase(path: string): boolean {
  return statSync(databaseIn(path), { throwIfNoEntry: false }) !== undefined;
}

function checkRoom(path: string): void {
  const probe = join(path, `room-${process.pid}.probe`);
  try {
    writeFileSync(probe, Buffer.alloc(ROOM_BYTES, 1));
  } finally {
    rmSync(probe, { force: true });
  }
}

function withFile<T>(path: string, read: (file: number) => T): T {
  const file = openSync(path, 'r');
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/** @throws DamagedFile if a page in use is not in the file: LMDB would notice by a signal that ends the process */
function checkPages(file: number): 'empty' | 'whole' {
  const meta = readMeta(file);
  if (!meta) return 'empty';
  if (holdsAllPages(file, meta)) return 'whole';
  // The last pages were perhaps freed before they were ever written.
  for (const fault of new PageWalk(file, meta).faults()) {
    // Another process that commits meanwhile overwrites what is read here, and has checked it itself.
    if (fault && readMeta(file)?.commit === meta.commit) throw new DamagedFile(`it is cut off, page ${fault.page} ${fault.text}`);
  }
  return 'whole';
}

/** Processes that have the file open as LMDB does, as far as the system tells (Linux, those of the same user). */
export function processesOn(path: string): number[] {
  const { ino } = statSync(path);
  const mapped = new RegExp(String.raw`:[0-9a-f]+ ${ino} .*/${DATABASE}$`, 'm');
  const isOn = (pid: string): boolean => {
    try {
      return mapped.test(readFileSync(`/proc/${pid}/maps`, 'latin1'));
    } catch {
      return false;
    }
  };
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name)) : [];
  return pids.filter((pid) => Number(pid) !== process.pid && isOn(pid)).map(Number);
}

/** `new`: neither file is there. */
function stateOf(path: string): 'new' | 'missing' | 'empty' | 'whole' {
  const database = databaseIn(path);
  if (!existsSync(database)) return existsSync(join(path, LOCKS)) ? 'missing' : 'new';
  const state = withFile(database, (file) => {
    try {
      return checkPages(file);
    } catch (error) {
      if (error instanceof DamagedFile) return error;
      throw error;
    }
  });
  if (state instanceof DamagedFile) throw new Error(`${DATABASE} is damaged: ${state.message}. Restore it from a backup`);
  return state;
}

async function checkDatabase(path: string): Promise<void> {
  let state = stateOf(path);
  for (const end = performance.now() + MAKING_MS; (state === 'missing' || state === 'empty') && performance.now() < end; ) {
    await later(LOOK_AGAIN_MS);
    state = stateOf(path);
  }
  if (state === 'missing' || state === 'empty')
    throw new Error(`${DATABASE} is ${state}. Restore it from a backup, or remove both ${DATABASE} and ${LOCKS} to begin anew`);
  if (state === 'new' || existsSync(join(path, LOCKS))) return;
  const [pid] = processesOn(databaseIn(path));
  // Whoever has the database open made the list before.
  if (pid !== undefined && !existsSync(join(path, LOCKS)))
    throw new Error(`${LOCKS} was removed while process ${pid} works on ${DATABASE}. Stop that process first`);
}

/**
 * Makes the folder if missing; throws when no database can be opened in it. Looks beforehand: lmdb-js 3.5 ends the
 * process (a double free) where opening fails after it touched the files, and so does LMDB where a page is missing.
 * Never opens the list of readers: when a process closes it, the system takes all that process's LMDB locks on it away.
 */
export async function prepareDataFolder(path: string): Promise<void> {
  makeFolder(path);
  accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  const files = [DATABASE, LOCKS].map((name) => join(path, name));
  const present = files.filter((file) => existsSync(file));
  for (const file of present) accessSync(file, constants.R_OK | constants.W_OK);
  await checkDatabase(path);
  if (present.length < files.length) checkRoom(path);
}
