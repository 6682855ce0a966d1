import { Argument, type Command as Program, CommanderError, Command as CommanderCommand, InvalidArgumentError, Option } from 'commander';
import { ConfigError } from '../config/config.ts';
import type { Command, CommandLine, Flag } from '../transfer/command-line.ts';
import { UsageError } from '../transfer/command-line.ts';
import { bind, type Bound, CommandFault, EXIT, type Group } from './command.ts';
import { COMPLETION, completionScript } from './completion.ts';
import { GROUPS } from './groups.ts';
import { harmless } from './table.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const isGroup = (loaded: Bound | Group): loaded is Group => 'commands' in loaded;

/** Narrower, the longest flags would leave no room to wrap what they mean. */
const LEAST_HELP_WIDTH = 120;
const helpWidth = (): number => Math.max(process.stdout.columns || 0, LEAST_HELP_WIDTH);

/** Runs a command line and sets the exit code. @param words what stands behind the word `watchword` */
export async function runProgram(given: readonly string[]): Promise<void> {
  const [first, ...asked] = given;
  // The parser's own `help` knows one word only.
  const words = first === 'help' && asked.length > 0 ? [...asked, '--help'] : given;
  // What commands write holds password hashes and keys: nobody but the user they run as may read it.
  process.umask(0o077);
  // Whoever read our output went away.
  process.stdout.once('error', () => process.exit(EXIT.failed));
  const terminal = openTerminal();
  const program = await buildProgram(words[0], (bound, line, words) => execute(bound, line, words, terminal));
  try {
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
  }
}

/** @param words the names of the command, such as `api-key add` */
type Execute = (bound: Bound, line: CommandLine, words: string) => Promise<void>;

/** The whole tree of names; of the one that is asked for also what stands behind it. @param all loads every one */
export async function buildProgram(asked: string | undefined, execute: Execute, all = false): Promise<Program> {
  const program = new CommanderCommand('watchword')
    .description('An authentication core that speaks the SuperTokens Core Driver Interface.')
    .exitOverride()
    .configureOutput({ getOutHelpWidth: helpWidth, getErrHelpWidth: helpWidth })
    .showHelpAfterError('(add --help for what can be said)')
    .addHelpText('after', examplesText(EXAMPLES))
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 done in part, 3 not found, 64 not understood, 69 no core answers, 77 not allowed, 78 bad configuration.',
    );
  for (const [name, { about, load }] of Object.entries(GROUPS)) {
    const command = program.command(name).description(about);
    if (asked !== name && !all) continue;
    const loaded = await load();
    if (isGroup(loaded)) describeGroup(command, loaded, execute);
    else describe(command, loaded, execute);
  }
  describe(program.command(COMPLETION.name), bind(COMPLETION, printCompletion), execute);
  return program;
}

async function printCompletion({ operands: [shell] }: CommandLine, { print }: Terminal): Promise<number> {
  const program = await buildProgram(undefined, async () => {}, true);
  print(completionScript(program, shell));
  return EXIT.done;
}

/** The words behind `watchword` that lead to a command. */
function namesOf(program: Program): string {
  return program.parent?.parent ? `${namesOf(program.parent)} ${program.name()}` : program.name();
}

const EXAMPLES = [
  'start --data-dir /var/lib/watchword',
  'user find ann@',
  'api-key add backend --scope cdi',
  'config check watchword.yaml',
];
const examplesText = (examples: readonly string[]): string => `\nExamples:\n${examples.map((line) => `  watchword ${line}`).join('\n')}`;

/** The help of a group shows an example of each of its commands. */
function describeGroup(program: Program, { commands }: Group, execute: Execute): void {
  for (const bound of commands) describe(program.command(bound.command.name), bound, execute);
  program.addHelpText('after', examplesText(commands.flatMap(({ command }) => command.examples.slice(0, 1))));
}

/** Tells the parser what a command takes. */
function describe(program: Program, bound: Bound, execute: Execute): void {
  const { about, operands = [], flags, examples } = bound.command;
  const [summary = ''] = about.split('\n');
  program.summary(summary).description(about);
  for (const operand of operands) program.addArgument(new Argument(operand));
  for (const [name, flag] of Object.entries(flags)) program.addOption(optionOf(name, flag));
  if (examples.length > 0) program.addHelpText('after', examplesText(examples));
  program.action(() => execute(bound, { operands: program.args, flags: givenOf(bound.command, program) }, namesOf(program)));
}

function optionOf(name: string, { value, doc, many, choices, alone }: Flag): Option {
  if (alone !== undefined) return new Option(`--${name} [${value}]`, doc).preset(alone);
  const option = new Option(value === undefined ? `--${name}` : `--${name} <${value}>`, doc);
  if (many) return option.argParser((text: string, before: readonly string[] = []) => [...before, chosen(text, choices)]);
  return choices ? option.choices(choices) : option;
}

/** The parser checks choices itself, but not of flags that may be given several times. */
function chosen(text: string, choices: readonly string[] = [text]): string {
  if (!choices.includes(text)) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
  return text;
}

function givenOf({ flags }: Command, program: Program): CommandLine['flags'] {
  const values: Readonly<Record<string, unknown>> = program.opts();
  return Object.fromEntries(
    program.options.map((option) => {
      const name = option.long?.slice('--'.length) ?? '';
      const value = values[option.attributeName()];
      if (flags[name]?.many) return [name, value ?? []];
      if (flags[name]?.value !== undefined) return [name, value];
      return [name, option.negate ? value === false : value === true];
    }),
  ) as CommandLine['flags'];
}

/** Runs a command; its faults become a line on standard error and an exit code. */
async function execute({ run }: Bound, line: CommandLine, words: string, terminal: Terminal): Promise<void> {
  try {
    refuseEmpty(line);
    process.exitCode = await run(line, terminal);
  } catch (error) {
    if (terminal.screen.isTerminal) terminal.screen.write('\n');
    terminal.screen.write(explain(words, error));
    process.exitCode = codeOf(error);
  }
}

/** A variable of a script that is not set shall not mean "all" or "the public one". @throws UsageError */
function refuseEmpty({ operands, flags }: CommandLine): void {
  if (operands.includes('')) throw new UsageError('An argument is empty');
  const empty = Object.entries<unknown>(flags).find(([, value]) => value === '' || (Array.isArray(value) && value.includes('')));
  if (empty) throw new UsageError(`The value of --${empty[0]} is empty`);
}

function codeOf(error: unknown): number {
  if (error instanceof CommandFault) return error.code;
  if (error instanceof UsageError) return EXIT.usage;
  return error instanceof ConfigError ? EXIT.configuration : EXIT.failed;
}

function explain(name: string, error: unknown): string {
  const text = harmless(error instanceof Error ? error.message : String(error));
  if (error instanceof UsageError) return `watchword ${name}: ${text}\n(add --help for what can be said)\n`;
  if (error instanceof ConfigError) return `watchword ${name}: this configuration cannot be used:\n${text}\n`;
  return `watchword ${name}: ${text}\n`;
}
