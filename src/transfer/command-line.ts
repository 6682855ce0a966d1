/*
 * Commands as data: `src/cli/program.ts` makes parser, help and completion of these tables.
 */

/** One flag of a command. */
export interface Flag {
  /** How help names its value; none for a flag that stands alone. */
  readonly value?: string;
  /** True where it may be given several times. */
  readonly many?: true;
  /** The values it takes; none: any. */
  readonly choices?: readonly string[];
  /** Its value where it stands alone; without this, a flag with a value needs one. */
  readonly alone?: string;
  /** What it means, in one sentence. */
  readonly doc: string;
}

export type Flags = Readonly<Record<string, Flag>>;

/** What a command takes, and what help says of it. */
export interface Command<F extends Flags = Flags> {
  readonly name: string;
  /** Arguments that are no flags, in their order: `<USER>` must be there, `[FILE]` may, `[ROLE...]` takes the rest. */
  readonly operands?: readonly string[];
  /** What it does; the first line stands in lists of commands. */
  readonly about: string;
  /** Command lines, without the word `watchword`. */
  readonly examples: readonly string[];
  readonly flags: F;
}

type Value<G extends Flag> = G extends { readonly value: string }
  ? G extends { readonly many: true }
    ? readonly string[]
    : string | undefined
  : boolean;

/** The flags of a command line by their names. */
export type Given<F extends Flags> = { readonly [K in keyof F]: Value<F[K]> };

/** A command line that was understood. */
export interface CommandLine<F extends Flags = Flags> {
  /** The arguments that are no flags. */
  readonly operands: readonly string[];
  readonly flags: Given<F>;
}

/** A command line that cannot be obeyed; the message says why in one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A whole number from a flag. @throws UsageError */
export function wholeNumber(flag: string, text: string | undefined, initial: number, most: number): number {
  if (text === undefined) return initial;
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most) throw new UsageError(`--${flag} must be a whole number from 1 to ${most}`);
  return value;
}
