import type { Log } from './log.ts';

/**
 * Ends the whole process, from any of its threads, so that its supervisor restarts it. Not `process.exit`: while a
 * thread owns a listening app, that aborts with a core dump. Log lines are written at once, so none is lost.
 */
export function endAtOnce(log: Log, fields: Readonly<Record<string, unknown>>, text: string): void {
  log.error(fields, text);
  process.kill(process.pid, 'SIGKILL');
}

/** Ends a process that has lost its store (`onLost` of `openStore`): another one can open it. */
export function endWhenLost(log: Log): (error: Error) => void {
  return (error) => endAtOnce(log, { err: error }, 'this process can use the database no more and ends, to be started again');
}
