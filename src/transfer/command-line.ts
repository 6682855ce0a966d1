import { parseArgs } from 'node:util';

/** One flag of a command. */
export interface Flag {
  /** How help names its value; none for a flag that stands alone. */
  readonly value?: string;
  /** What it means, one sentence for each line of help. */
  readonly doc: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What a command takes: one argument that is no flag, and flags. */
export interface Command<F extends Flags> {
  /** The first line of help, without "Usage: ". */
  readonly usage: string;
  /** What it does, in a few lines. */
  readonly about: string;
  readonly flags: F;
}

type Given<F extends Flags> = { readonly [K in keyof F]: F[K] extends { readonly value: string } ? string | undefined : boolean };

/** A command line that was understood. */
export interface CommandLine<F extends Flags> {
  /** The argument that is no flag. */
  readonly operand: string | undefined;
  readonly flags: Given<F>;
}

/** A command line that cannot be obeyed; the message says why in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Reads the arguments behind the command's name; answers `help` where help is asked for. @throws UsageError */
export function readCommandLine<F extends Flags>(command: Command<F>, argv: readonly string[]): CommandLine<F> | 'help' {
  const options = Object.fromEntries(
    Object.entries(command.flags).map(([name, flag]) => [
      name,
      { type: flag.value === undefined ? ('boolean' as const) : ('string' as const) },
    ]),
  );
  const { values, positionals } = parse(argv, { ...options, help: { type: 'boolean', short: 'h' } });
  if (values['help'] === true) return 'help';
  if (positionals.length > 1) throw new UsageError(`Only one file can be named, not "${positionals.join('" and "')}"`);
  const flags = Object.entries(command.flags).map(([name, flag]) => [
    name,
    flag.value === undefined ? values[name] === true : values[name],
  ]);
  return { operand: positionals[0], flags: Object.fromEntries(flags) as Given<F> };
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>;

function parse(
  argv: readonly string[],
  options: ParseOptions,
): { readonly values: Readonly<Record<string, unknown>>; readonly positionals: string[] } {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (error) {
    // What follows the first sentence is about arguments that look like flags.
    throw new UsageError(error instanceof Error ? (error.message.split(/\. |\n/)[0] ?? '') : String(error));
  }
}

/** The text of `--help`. */
export function helpOf({ usage, about, flags }: Command<Flags>): string {
  const named = Object.entries({ ...flags, help: { doc: 'print this text' } }).map(([name, flag]: [string, Flag]) => ({
    left: `--${name}${flag.value === undefined ? '' : ` ${flag.value}`}`,
    doc: flag.doc,
  }));
  const width = Math.max(...named.map(({ left }) => left.length));
  const lines = named.map(({ left, doc }) => `  ${left.padEnd(width)}  ${doc.replaceAll('\n', `\n${' '.repeat(width + 4)}`)}`);
  return `Usage: ${usage}\n\n${about}\n\nOptions:\n${lines.join('\n')}\n`;
}

/** A whole number from a flag. @throws UsageError */
export function wholeNumber(flag: string, text: string | undefined, initial: number, most: number): number {
  if (text === undefined) return initial;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new UsageError(`--${flag} must be a whole number from 1 to ${most}`);
  return value;
}
