import { getPriority, setPriority } from 'node:os';

/** As the lane that hashes passwords, no more: jobs hold the write lock of all, which must not wait for sign-ins. */
const NICENESS = 5;

/**
 * Lets the calling thread give way to those that serve. Only Linux has priorities of threads; elsewhere this would
 * change the whole process and is not done. A higher niceness of the process stays: lowering it takes privileges.
 */
export function giveWay(platform: NodeJS.Platform = process.platform): void {
  if (platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);
}
