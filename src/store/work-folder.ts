import { closeSync, constants, fstatSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { loadLocks } from './file-lock.ts';

const LOCK = 'lock';

/** In a data folder: the place of copies that are not finished, whoever makes them. */
export const workFolderIn = (dataFolder: string): string => join(dataFolder, 'copying');

/** Another process, or another piece of work of this one, has the folder. */
export class FolderTaken extends Error {
  override readonly name = 'FolderTaken';
}

/** A folder for what is not finished, until it is closed. */
export interface WorkFolder {
  readonly path: string;
  /** Removes all that is in it. */
  clear(): void;
  /** Removes it with all that is in it. Does nothing the second time. */
  close(): void;
}

/**
 * Makes a folder for what is not finished: one piece of work at a time has it. A process that is killed loses it with
 * its lock, and whoever takes it next removes what was left in it.
 * @throws FolderTaken
 */
export function takeWorkFolder(path: string): WorkFolder {
  const descriptor = lockedFile(path);
  const clear = (): void => {
    for (const name of readdirSync(path)) if (name !== LOCK) rmSync(join(path, name), { recursive: true, force: true });
  };
  clear();
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    // As long as the lock is held, nobody begins here.
    rmSync(path, { recursive: true, force: true });
    closeSync(descriptor);
  };
  return { path, clear, close };
}

/** Removes such a folder if a killed process left it behind; leaves one alone that is in use. */
export function clearWorkFolder(path: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })) takeWorkFolder(path).close();
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error;
  }
}

function lockedFile(path: string): number {
  const locks = loadLocks();
  for (;;) {
    makeFolder(path);
    const descriptor = openSync(join(path, LOCK), constants.O_RDWR | constants.O_CREAT, 0o600);
    if (locks && !locks.tryLock(descriptor)) {
      closeSync(descriptor);
      throw new FolderTaken(`${path} is in use`);
    }
    if (statSync(join(path, LOCK), { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino) return descriptor;
    // Whoever had it removed it between the two calls above.
    closeSync(descriptor);
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}
