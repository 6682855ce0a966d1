import type { Log } from './log.ts';

/**
 * Ends the whole process, from any of its threads, so that whoever watches it starts it again. Not `process.exit`: while a thread owns a
 * listening app, that aborts with a core dump. Lines of the log are written at once, so the last one is not lost.
 */
export function endAtOnce(log: Log, fields: Readonly<Record<string, unknown>>, text: string): void {
  log.error(fields, text);
  process.kill(process.pid, 'SIGKILL');
}

/** What a process does whose store is lost to it (`onLost` of `openStore`): another one can open it. */
export function endWhenLost(log: Log): (error: Error) => void {
  return (error) => endAtOnce(log, { err: error }, 'this process can use the database no more and ends, to be started again');
}
