import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';

/** Waits until a file or folder is on the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Gives a finished file its name: after a power cut it has it with all its content, or not at all. */
export function finishFile(path: string, name: string): void {
  syncFile(path);
  renameSync(path, name);
  syncFile(dirname(name));
}
