import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { ImportFault } from './outcome.ts';

/** Keeps other processes from the import of this state file; answers how to let go. @throws ImportFault if held */
export function lockImport(state: string): () => void {
  const path = `${state}.lock`;
  if (!tryLock(path)) {
    const holder = Number(readFileSync(path, 'utf8'));
    if (isAlive(holder)) throw new ImportFault(`Process ${holder} is doing this import. If it is not, remove ${path}.`);
    rmSync(path, { force: true });
    if (!tryLock(path)) throw new ImportFault('Another process has just begun this import.');
  }
  return () => rmSync(path, { force: true });
}

function tryLock(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user is alive too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
