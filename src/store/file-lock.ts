import { createRequire } from 'node:module';

/** The part used of a package without declarations: locks on open files, which end with the process that has them. */
export interface FileLocks {
  /** False where somebody else's lock is in the way. */
  tryLock(descriptor: number, options?: { readonly shared: boolean }): boolean;
  /** Makes an exclusive lock a shared one. */
  tryDowngradeLock(descriptor: number): boolean;
}

/** Undefined where the package has no binary for this system; such a process trusts its operator. */
export function loadLocks(): FileLocks | undefined {
  try {
    return createRequire(import.meta.url)('fs-native-extensions') as FileLocks;
  } catch {
    return undefined;
  }
}
