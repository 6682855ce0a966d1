import { getPriority, setPriority } from 'node:os';

/** As the lane that hashes passwords, no more: jobs hold the write lock of all, which must not wait for sign-ins. */
const NICENESS = 5;

/** Of what makes and takes backups: whole cores for a while, of which nobody waits. They hold no lock of others. */
const BACKUP_NICENESS = 10;

/**
 * Lets the calling thread give way to those that serve. Only Linux has priorities of threads; elsewhere this would
 * change the whole process and is not done. A higher niceness of the process stays: lowering it takes privileges.
 */
export function giveWay(platform: NodeJS.Platform = process.platform, niceness: number = NICENESS): void {
  if (platform === 'linux' && getPriority() < niceness) setPriority(niceness);
}

/**
 * Lets a process that was just started for a backup give way, with all threads that it will have. It could not do that
 * itself: the loader of modules makes threads before the first line of a program runs.
 */
export function letGiveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined && getPriority(pid) < BACKUP_NICENESS) setPriority(pid, BACKUP_NICENESS);
  } catch {
    // It has ended already.
  }
}

/** Lets a command that takes a backup give way, as far as it goes: most of its work is done by the calling thread. */
export function giveWayForBackups(): void {
  giveWay(process.platform, BACKUP_NICENESS);
}
