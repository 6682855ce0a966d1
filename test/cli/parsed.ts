import { buildProgram } from '../../src/cli/program.ts';
import type { CommandLine } from '../../src/transfer/command-line.ts';

/** What a command is given for the words behind its name. Rejects where they are not understood. */
export async function parsed(name: string, argv: readonly string[]): Promise<CommandLine> {
  let found: CommandLine | undefined;
  const program = await buildProgram(name, async (_bound, line) => {
    found = line;
  });
  await program.parseAsync([name, ...argv], { from: 'user' });
  if (!found) throw new Error('no command was given anything');
  return found;
}
