import { closeSync, constants, ftruncateSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type FileLocks, loadLocks } from '../file-lock.ts';

/** In a data folder, locked by all processes that have it open. */
export const FILE = 'pid-namespace';
/** Whoever writes the file needs some microseconds for it. */
const WRITTEN_WITHIN_MS = 2000;
const LOOK_AGAIN_MS = 5;

/**
 * Keeps processes of another PID namespace (container) out of a data folder while this one holds it; throws where one
 * has it open. LMDB knows the processes and threads that share its files by numbers, which mean nothing in another
 * namespace: a thread dying there in its wait for the write lock would take it from one here with the same number.
 * @returns gives the folder free again
 */
export async function holdFolder(path: string): Promise<() => void> {
  const namespace = ownNamespace();
  const locks = namespace === undefined ? undefined : loadLocks();
  if (namespace === undefined || locks === undefined) return () => {};
  const descriptor = openSync(join(path, FILE), constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    await enter(locks, descriptor, namespace);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return () => closeSync(descriptor);
}

/** Holds a folder that no process has open, for work that none may see; undefined where one has. */
export function holdAlone(path: string): (() => void) | undefined {
  const locks = loadLocks();
  const descriptor = openSync(join(path, FILE), constants.O_RDWR | constants.O_CREAT, 0o600);
  const release = (): void => closeSync(descriptor);
  if (locks === undefined || locks.tryLock(descriptor)) return release;
  release();
  return undefined;
}

/** Undefined on systems without namespaces. */
function ownNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return undefined;
  }
}

/** The first process writes down its namespace while alone; others read it under the lock too, so it cannot change. */
async function enter(locks: FileLocks, descriptor: number, namespace: string): Promise<void> {
  const until = performance.now() + WRITTEN_WITHIN_MS;
  for (;;) {
    if (locks.tryLock(descriptor)) {
      ftruncateSync(descriptor);
      writeSync(descriptor, namespace, 0);
      if (locks.tryDowngradeLock(descriptor)) return;
    }
    if (locks.tryLock(descriptor, { shared: true })) break;
    if (performance.now() > until) throw new Error(`another process does not let go of ${FILE}`);
    await wait(LOOK_AGAIN_MS);
  }
  if (readFileSync(`/proc/self/fd/${descriptor}`, 'utf8') === namespace) return;
  throw new Error(
    'a process in another container (PID namespace) has it open; run this one in the same container (docker exec), or share its PID namespace (docker run --pid container:NAME)',
  );
}
