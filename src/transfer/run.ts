import { ConfigError } from '../config/config.ts';
import { UsageError } from './command-line.ts';
import type { Screen } from './progress.ts';

/** A command: answers the exit code. See `runImport` and `runExport`. */
export type Run = (argv: readonly string[], screen: Screen, signal: AbortSignal) => Promise<number>;

/** The exit code of a command that could not do what it was asked for. */
const FAULT = 1;

/** Standard error as the place where progress is shown. */
function standardError(): Screen {
  const { stderr } = process;
  return {
    isTerminal: stderr.isTTY,
    // 0 where a terminal does not know.
    width: () => stderr.columns || 80,
    write: (text) => stderr.write(text),
    now: () => performance.now(),
  };
}

/** Runs a command: its faults become a line on standard error, and the first SIGINT or SIGTERM asks it to stop. */
export async function run(name: string, command: Run, argv: readonly string[]): Promise<void> {
  // What is written here holds password hashes: nobody but the user it runs as may read it.
  process.umask(0o077);
  const stopping = new AbortController();
  const screen = standardError();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopping.abort());
  // Whoever read our output went away.
  process.stdout.once('error', () => process.exit(FAULT));
  try {
    process.exitCode = await command(argv, screen, stopping.signal);
  } catch (error) {
    if (screen.isTerminal) screen.write('\n');
    screen.write(explain(name, error));
    process.exitCode = FAULT;
  }
}

function explain(name: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return `watchword ${name}: ${text}\nwatchword ${name} --help lists what can be said.\n`;
  if (error instanceof ConfigError) return `watchword ${name}: this configuration cannot be used:\n${text}\n`;
  return `watchword ${name}: ${text}\n`;
}
