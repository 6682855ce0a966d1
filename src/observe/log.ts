import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Level, Logger } from 'pino';
import type { Config } from '../config/config.ts';

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

/** A log that can go on elsewhere. */
export interface OpenLog extends Log {
  /**
   * Goes on with another level, or with files that are opened anew: those of old were moved away, or are not wanted any
   * more. Where that fails, it throws and everything stays as it was.
   */
  reopen(options: LogOptions): void;
}

/** What the configuration says of the log of a thread. */
export function logOptions({ log_level: level, info_log_path: infoPath, error_log_path: errorPath }: Config, thread: string): LogOptions {
  return { level, infoPath, errorPath, thread };
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
export function openLog(options: LogOptions): OpenLog {
  let current = options;
  let opened = openFiles(options);
  let least = leastOf(options);
  const writeAt = (method: (typeof METHODS)[number]): WriteLine => {
    const rank = METHODS.indexOf(method);
    return (...words: [string] | [object, string]) => {
      if (rank < least) return;
      const [fields, text] = words.length === 1 ? [{}, words[0]] : words;
      try {
        opened ??= openPino(current);
      } catch (error) {
        writePlainly(current.thread, method, text, { ...fields, notLoaded: messageOf(error) });
        return;
      }
      opened.logger[method](fields, text);
    };
  };
  const reopen = (next: LogOptions): void => {
    const before = opened;
    opened = openFiles(next);
    current = next;
    least = leastOf(next);
    before?.close();
  };
  return { debug: writeAt('debug'), info: writeAt('info'), warn: writeAt('warn'), error: writeAt('error'), reopen };
}

/** The rank of the least severe method that writes; of silence, one that no method reaches. */
function leastOf({ level }: LogOptions): number {
  return level === 'NONE' ? METHODS.length : METHODS.findIndex((method) => method === LEVELS[level]);
}

/** pino with its streams. */
interface OpenPino {
  readonly logger: Logger;
  close(): void;
}

const openFiles = (options: LogOptions): OpenPino | undefined =>
  options.infoPath === null && options.errorPath === null ? undefined : openPino(options);

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

function openPino({ level, infoPath, errorPath, thread }: LogOptions): OpenPino {
  const { destination, multistream, pino } = createRequire(import.meta.url)('pino') as typeof import('pino');
  const opened: ReturnType<typeof pino.destination>[] = [];
  const open = (path: string | null, standard: number) => {
    const stream = destination({ dest: path ?? standard, sync: true, mkdir: path !== null, maxLength: MOST_UNWRITTEN });
    // A line that cannot be written (the disk is full) waits for the next one; nobody may fail for it.
    stream.removeAllListeners('error').on('error', () => {});
    opened.push(stream);
    return stream;
  };
  // The standard streams stay open.
  const close = (): void => {
    for (const stream of opened) stream.end();
  };
  try {
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
    return { logger: pino(form, streams), close };
  } catch (error) {
    close();
    throw error;
  }
}
