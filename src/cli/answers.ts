import type { Bound, Run } from './command.ts';
import { bind, CommandFault, EXIT } from './command.ts';
import type { Command, Flags, Given } from '../transfer/command-line.ts';
import { CORE_FLAGS, type Core, type CoreFlags, show, withCore } from './connection.ts';
import { confirm } from './terminal.ts';

/** The question that `--yes` answers. */
export const YES = { doc: 'do it without a question' } as const;

/** An answer of the core with its outcome. */
export interface Outcome {
  readonly status: string;
}

/** What a command that speaks to a core once is made of. */
interface Asking<F extends Flags, A> {
  readonly name: string;
  readonly operands?: readonly string[];
  readonly about: string;
  readonly examples: readonly string[];
  /** Besides those by which it finds its core. */
  readonly flags?: F;
  /** What is destroyed; asked for before anything is done. */
  readonly warning?: (operands: readonly string[]) => string;
  readonly ask: (core: Core, operands: readonly string[], flags: Given<F> & CoreFlags) => Promise<A>;
  /** What people see; with `--json` the answer itself is printed. */
  readonly text: (answer: A, operands: readonly string[], flags: Given<F> & CoreFlags) => string;
}

/** A command that asks a core and prints what it answers. */
export function asking<const F extends Flags, A>({ flags, warning, ask, text, ...facts }: Asking<F, A>): Bound {
  const all = { ...CORE_FLAGS, ...(warning && { yes: YES }), ...flags };
  const run: Run<Flags> = async ({ operands, flags: given }, terminal) => {
    // The parser answers exactly the flags of `all`.
    const known = given as Given<F> & CoreFlags & { readonly yes?: boolean };
    if (warning && !(await confirm(terminal, known.yes === true, warning(operands)))) return EXIT.failed;
    const answer = await withCore(known, (core) => ask(core, operands, known));
    show(known, terminal.print, answer, () => text(answer, operands, known));
    return EXIT.done;
  };
  const command: Command = { ...facts, flags: all };
  return bind(command, run);
}

/** An answer whose status is OK. @param faults what other statuses mean; those that begin UNKNOWN are `not found` */
export function ok<A extends Outcome>(answer: A, faults: Readonly<Record<string, string>> = {}): A {
  const { status } = answer;
  if (status === 'OK') return answer;
  const code = status.startsWith('UNKNOWN') ? EXIT.notFound : EXIT.failed;
  throw new CommandFault(faults[status] ?? `The core answers ${status}`, code);
}
