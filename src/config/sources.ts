import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Command } from 'commander';
import { coerce, MISMATCH, mismatchText, type Values } from './values.ts';
import { nearestName, strangerText } from './nearest-name.ts';
import { ALIASES, environmentName, flagName, isStorageKey, OPTION_NAMES, type OptionName, optionNamed, optionOf } from './options.ts';
import { secretInFlag } from './secret-flags.ts';
import { isServiceLink, strangeVariables } from './variables.ts';

/** What one source says: values by option, and everything wrong with it. */
export interface Source {
  readonly values: Partial<Values>;
  readonly faults: readonly string[];
  /** Names of the reference core's that are no option here and mean nothing. */
  readonly ignored: readonly string[];
}

/** The command line, with the flags that are no options. */
export interface CommandLine extends Source {
  readonly configFile: string | undefined;
  readonly testMode: boolean;
}

/** What is being read from a source. */
interface Reading {
  readonly values: Partial<Values>;
  readonly faults: string[];
  readonly ignored: string[];
}

const newReading = (): Reading => ({ values: {}, faults: [], ignored: [] });

function keep(reading: Reading, key: string, name: OptionName, value: unknown): void {
  const option = optionOf(name);
  const read = coerce(option, value);
  if (read === MISMATCH) reading.faults.push(mismatchText(key, option));
  else reading.values[name] = read;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));

/** Reads the YAML file; missing, unreadable or malformed: a fault (contract 01 section 10.3), as is an unknown key. */
export function readYamlFile(path: string): Source {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    return unreadable(reasonOf(error));
  }
  // Loaded only where a file is named: it would take a tenth of the start.
  const { parseDocument } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
  const document = parseDocument(text, { logLevel: 'silent' });
  // The library's own texts show what stands there, which may be a secret.
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) return unreadable(`it is not plain YAML ${placeOf(problem.linePos)} (${problem.code})`);
  return readContent(document);
}

const placeOf = (positions: readonly { readonly line: number; readonly col: number }[] | undefined): string =>
  positions?.[0] ? `at line ${positions[0].line}, column ${positions[0].col}` : 'somewhere';

function readContent(document: { toJS(): unknown }): Source {
  let content: unknown;
  try {
    content = document.toJS();
  } catch {
    return unreadable('it uses an alias (*) that it does not define, or too many of them');
  }
  if (content === null || content === undefined) return newReading();
  if (typeof content !== 'object' || Array.isArray(content)) {
    return unreadable('it must hold names with values');
  }
  return readMembers(content);
}

const unreadable = (reason: string): Source => ({ ...newReading(), faults: [`The config file cannot be read: ${reason}`] });

const FILE_KEYS: readonly string[] = [...OPTION_NAMES, ...Object.keys(ALIASES)];

function readMembers(content: object): Source {
  const reading = newReading();
  for (const [key, value] of Object.entries(content)) {
    const name = optionNamed(key);
    if (name !== undefined) keep(reading, key, name, value);
    else if (isStorageKey(key)) reading.ignored.push(key);
    else reading.faults.push(strangerText(`key in the config file: ${key}`, nearestName(key, FILE_KEYS)));
  }
  return reading;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', "'": "'", '\\': '\\' };

/** The text inside a value wrapped in double quotes, with its escapes resolved; other values as they are. */
function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\([ntr"'\\])/g, (sequence, letter: string) => ESCAPES[letter] ?? sequence);
}

/** Reads the environment: empty is not set (contract 01 section 10.1 item 1); what looks like ours must be ours. */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Source {
  const reading = newReading();
  for (const name of OPTION_NAMES) {
    const variable = environmentName(name) ?? '';
    const sent = environment[variable];
    if (sent && !isServiceLink(variable, sent)) keep(reading, name, name, unquote(sent));
  }
  const { faults, ignored } = strangeVariables(environment);
  return { ...reading, faults: [...reading.faults, ...faults], ignored };
}

const OPTION_OF_FLAG: ReadonlyMap<string, OptionName> = new Map(OPTION_NAMES.map((name) => [flagName(name), name]));
const FLAGS: readonly string[] = [...OPTION_OF_FLAG.keys(), 'config', 'test-mode'];

function strangeFlag(flag: string): string {
  const nearest = nearestName(flag, FLAGS);
  return strangerText(`flag: --${flag}`, nearest === undefined ? undefined : `--${nearest}`);
}

/** Loaded by who has flags to read. */
function newParser(): Command {
  const { Command: Parser, Option } = createRequire(import.meta.url)('commander') as typeof import('commander');
  const parser = new Parser().helpOption(false);
  // All values may be left out, so that every fault is told, not the first alone.
  for (const flag of [...OPTION_OF_FLAG.keys(), 'config']) parser.addOption(new Option(`--${flag} [value]`));
  return parser.addOption(new Option('--test-mode'));
}

function keepFlag(reading: Reading, flag: string, name: OptionName, value: string): void {
  const fault = secretInFlag(name, value);
  if (fault !== undefined) reading.faults.push(fault);
  keep(reading, `--${flag}`, name, value);
}

/** Reads the command line: options as kebab-case flags (`--port 1`, `--port=1`), `--config FILE`, `--test-mode`. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const reading = newReading();
  let configFile: string | undefined;
  let testMode = false;
  if (argv.length === 0) return { ...reading, configFile, testMode };
  const parser = newParser();
  const onFlag = (flag: string, take: (value: string) => void, alone?: string): void => {
    parser.on(`option:${flag}`, (given: string | null) => {
      const value = given ?? alone;
      if (value === undefined) reading.faults.push(`Flag --${flag} needs a value`);
      else take(value);
    });
  };
  for (const [flag, name] of OPTION_OF_FLAG)
    onFlag(flag, (value) => keepFlag(reading, flag, name, value), optionOf(name).type === 'boolean' ? 'true' : undefined);
  onFlag('config', (value) => {
    configFile = value;
  });
  parser.on('option:test-mode', () => {
    testMode = true;
  });
  const { operands, unknown } = parser.parseOptions([...argv]);
  reading.faults.push(...operands.map((operand) => `Unknown argument: ${operand}`), ...strangers(unknown));
  return { ...reading, configFile, testMode };
}

/** What is wrong with arguments from the first unknown flag on; a value behind one is not told as well. */
function strangers(unknown: readonly string[]): readonly string[] {
  return unknown.flatMap((word, at) => {
    const [flag = ''] = word.split('=');
    if (flag === '--test-mode') return ['Flag --test-mode takes no value'];
    if (flag.startsWith('--')) return [strangeFlag(flag.slice('--'.length))];
    const before = unknown[at - 1];
    return before?.startsWith('--') && !before.includes('=') ? [] : [`Unknown argument: ${word}`];
  });
}
