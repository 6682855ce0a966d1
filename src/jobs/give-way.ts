import { getPriority, setPriority } from 'node:os';

/** That of the lane that hashes passwords, and no more: the write lock of all is held meanwhile, which must not wait behind a storm of sign-ins. */
const NICENESS = 5;

/**
 * Lets the calling thread give way to those that serve. Only Linux knows priorities of threads; elsewhere this would be the whole
 * process's, and is left. A process that was started with a higher niceness keeps it: without privileges it may not be lowered.
 */
export function giveWay(platform: NodeJS.Platform = process.platform): void {
  if (platform === 'linux' && getPriority() < NICENESS) setPriority(NICENESS);
}
