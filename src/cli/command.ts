import type { Command, CommandLine, Flags } from '../transfer/command-line.ts';
import type { Terminal } from './terminal.ts';

/** Exit codes of commands; those from 64 on are the ones of sysexits.h. */
export const EXIT = {
  done: 0,
  /** What was asked for could not be done. */
  failed: 1,
  /** Done in part: an import with rejects. */
  inPart: 2,
  /** What was named does not exist. */
  notFound: 3,
  usage: 64,
  /** No core answers. */
  unreachable: 69,
  /** The API key is missing, wrong or not good for this. */
  notAllowed: 77,
  /** The configuration cannot be used. */
  configuration: 78,
} as const;

/** Something that ends a command; the message is a sentence for the person who runs it, and names no secret. */
export class CommandFault extends Error {
  override readonly name = 'CommandFault';
  /** One of `EXIT`. */
  readonly code: number;
  constructor(message: string, code: number = EXIT.failed) {
    super(message);
    this.code = code;
  }
}

/** What a command does; answers the exit code. */
export type Run<F extends Flags> = (line: CommandLine<F>, terminal: Terminal) => Promise<number>;

/** A command with what it does. */
export interface Bound {
  readonly command: Command;
  readonly run: (line: CommandLine, terminal: Terminal) => Promise<number>;
}

/** Commands behind one word, such as `user`. */
export interface Group {
  readonly commands: readonly Bound[];
}

/** Ties a table to what it describes. */
export function bind<const F extends Flags>(command: Command<F>, run: Run<F>): Bound {
  // The parser answers exactly the flags of this table.
  return { command, run: run as Bound['run'] };
}
