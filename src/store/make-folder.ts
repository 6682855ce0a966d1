import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Instead of Node's recursive mkdir, which never ends where none can be made in a folder that exists, as in /proc. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  if (dirname(path) !== path) makeFolder(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
