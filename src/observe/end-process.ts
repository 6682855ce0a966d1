/** Ends the process at once. Not by `process.exit`: while a thread owns a listening app, that aborts with a core dump. What was logged is written already. */
export function endProcess(): void {
  process.kill(process.pid, 'SIGKILL');
}
