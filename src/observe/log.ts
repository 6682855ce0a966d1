import { type DestinationStream, destination, type Level, multistream, pino } from 'pino';

/**
 * Where log lines go and from which level on. Lines are JSON objects. Nothing that a caller sent is ever logged but method, route and status, so that
 * no secret can get there by accident.
 */
export interface LogOptions {
  /** `NONE` is silence. */
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'NONE';
  /** File for lines below ERROR; `null` = standard output. */
  readonly infoPath: string | null;
  /** File for ERROR lines; `null` = standard error. */
  readonly errorPath: string | null;
  /** `main`, or the name of the HTTP thread. */
  readonly thread: string;
}

interface WriteLine {
  (text: string): void;
  /** `err` holds an error; its stack is written. */
  (fields: Readonly<Record<string, unknown>>, text: string): void;
}

/** What the product needs of a logger. */
export interface Log {
  readonly debug: WriteLine;
  readonly info: WriteLine;
  readonly warn: WriteLine;
  readonly error: WriteLine;
}

const LEVELS = { DEBUG: 'debug', INFO: 'info', WARN: 'warn', ERROR: 'error', NONE: 'silent' } as const satisfies Record<
  LogOptions['level'],
  Level | 'silent'
>;

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** Opens the log of a thread. Writes are synchronous: lines are rare, and the last ones before an end are those that matter. */
export function openLog({ level, infoPath, errorPath, thread }: LogOptions): Log {
  const open = (path: string | null, standard: number): DestinationStream =>
    destination({ dest: path ?? standard, sync: true, mkdir: path !== null });
  const streams = multistream(
    [
      { level: 'debug', stream: open(infoPath, STANDARD_OUTPUT) },
      { level: 'error', stream: open(errorPath, STANDARD_ERROR) },
    ],
    { dedupe: true },
  );
  const options = {
    level: LEVELS[level],
    base: { pid: process.pid, thread },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return pino(options, streams);
}
