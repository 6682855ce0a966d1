import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { DestinationStream, Level, Logger } from 'pino';

/**
 * Where log lines, which are JSON objects, go and from which level on. Of what a caller sent only method, route and
 * status are ever logged, so that no secret can get there by accident.
 */
export interface LogOptions {
  /** `NONE` is silence. */
  readonly level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR' | 'NONE';
  /** File for lines below ERROR; `null` = standard output. */
  readonly infoPath: string | null;
  /** File for ERROR lines; `null` = standard error. */
  readonly errorPath: string | null;
  /** The name of the thread: `main`, `jobs`, `http-0`, … */
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

/** Characters of lines that could not be written yet; beyond, lines are lost. */
const MOST_UNWRITTEN = 1_000_000;

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

const METHODS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Opens the log of a thread. Files are opened at once, so that a wrong path shows at the start; otherwise the first
 * line loads pino, as most threads never write one. Synchronous: lines are rare, and the last ones matter most.
 */
export function openLog(options: LogOptions): Log {
  let logger = options.infoPath === null && options.errorPath === null ? undefined : openPino(options);
  const least = METHODS.findIndex((method) => method === LEVELS[options.level]);
  const writeAt = (method: (typeof METHODS)[number]): WriteLine => {
    if (least < 0 || METHODS.indexOf(method) < least) return () => {};
    return (...words: [string] | [object, string]) => {
      const [fields, text] = words.length === 1 ? [{}, words[0]] : words;
      try {
        logger ??= openPino(options);
      } catch (error) {
        writePlainly(options.thread, method, text, { ...fields, notLoaded: messageOf(error) });
        return;
      }
      logger[method](fields, text);
    };
  };
  return { debug: writeAt('debug'), info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error') };
}

const messageOf = (error: unknown): string => (error instanceof Error ? (error.stack ?? error.message) : String(error));

/** For when pino cannot be loaded, such as for want of open files: the line must come out without one more fault. */
function writePlainly(thread: string, level: string, msg: string, fields: object): void {
  const shown = Object.entries(fields).map(([name, value]) => [
    name,
    value instanceof Error ? { message: value.message, stack: value.stack } : value,
  ]);
  const line = { level, time: new Date().toISOString(), pid: process.pid, thread, ...Object.fromEntries(shown), msg };
  try {
    writeSync(level === 'error' ? STANDARD_ERROR : STANDARD_OUTPUT, `${JSON.stringify(line)}\n`);
  } catch {
    // Nobody listens.
  }
}

function openPino({ level, infoPath, errorPath, thread }: LogOptions): Logger {
  const { destination, multistream, pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  const open = (path: string | null, standard: number): DestinationStream => {
    const stream = destination({ dest: path ?? standard, sync: true, mkdir: path !== null, maxLength: MOST_UNWRITTEN });
    // A line that cannot be written (the disk is full) waits for the next one; nobody may fail for it.
    stream.removeAllListeners('error').on('error', () => {});
    return stream;
  };
  const streams = multistream(
    [
      { level: 'debug', stream: open(infoPath, STANDARD_OUTPUT) },
      { level: 'error', stream: open(errorPath, STANDARD_ERROR) },
    ],
    { dedupe: true },
  );
  const form = {
    level: LEVELS[level],
    base: { pid: process.pid, thread },
    formatters: { level: (label: string) => ({ level: label }) },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return pino(form, streams);
}
