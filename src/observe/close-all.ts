import type { Log } from './log.ts';

/** How to close one thing that is open. */
export type Close = () => Promise<void> | void;

/** Closes what was opened, from the newest to the oldest; a failure is logged and keeps nothing else open. */
export async function closeAll(opened: readonly Close[], log: Log): Promise<void> {
  for (const close of opened.toReversed()) {
    try {
      await close();
    } catch (error) {
      log.error({ err: error }, 'closing failed');
    }
  }
}
