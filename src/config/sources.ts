import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { coerce, MISMATCH, mismatchText, type Values } from './values.ts';
import { environmentName, flagName, isStorageKey, OPTION_NAMES, type OptionName, optionNamed, optionOf } from './options.ts';

/** What one source says: values by option, everything wrong with it, and what is merely odd. */
export interface Source {
  readonly values: Partial<Values>;
  readonly faults: readonly string[];
  readonly warnings: readonly string[];
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
  readonly warnings: string[];
}

const newReading = (): Reading => ({ values: {}, faults: [], warnings: [] });

function keep(reading: Reading, key: string, name: OptionName, value: unknown): void {
  const option = optionOf(name);
  const read = coerce(option, value);
  if (read === MISMATCH) reading.faults.push(mismatchText(key, option));
  else reading.values[name] = read;
}

const reasonOf = (error: unknown): string => (error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));

/** Reads the YAML file; missing, unreadable or malformed: a fault (contract 01 section 10.3); unknown key: warning. */
export function readYamlFile(path: string): Source {
  let content: unknown;
  try {
    // Loaded only where a file is named: it would take a tenth of the start.
    const { parse } = createRequire(import.meta.url)('yaml') as typeof import('yaml');
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    return unreadable(reasonOf(error));
  }
  if (content === null || content === undefined) return newReading();
  if (typeof content !== 'object' || Array.isArray(content)) {
    return unreadable('it must hold names with values');
  }
  return readMembers(content);
}

/** One fault only; that the file also names no format is not worth a second one. */
function unreadable(reason: string): Source {
  return { values: { core_config_version: 0 }, faults: [`The config file cannot be read: ${reason}`], warnings: [] };
}

function readMembers(content: object): Source {
  const reading = newReading();
  const strangers: string[] = [];
  for (const [key, value] of Object.entries(content)) {
    const name = optionNamed(key);
    if (name !== undefined) keep(reading, key, name, value);
    else if (!isStorageKey(key)) strangers.push(key);
  }
  if (strangers.length > 0) reading.warnings.push(`Unknown keys in the config file are ignored: ${strangers.join(', ')}`);
  return reading;
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '"': '"', "'": "'", '\\': '\\' };

/** The text inside a value wrapped in double quotes, with its escapes resolved; other values as they are. */
function unquote(text: string): string {
  if (text.length < 2 || !text.startsWith('"') || !text.endsWith('"')) return text;
  return text.slice(1, -1).replace(/\\([ntr"'\\])/g, (sequence, letter: string) => ESCAPES[letter] ?? sequence);
}

/** Reads the environment: empty is not set, anything but `true` is false (contract 01 section 10.1 item 1). */
export function readEnvironment(environment: Readonly<Record<string, string | undefined>>): Source {
  const reading = newReading();
  for (const name of OPTION_NAMES) {
    const variable = environmentName(name);
    const sent = variable === undefined ? undefined : environment[variable];
    if (!sent) continue;
    const text = unquote(sent);
    keep(reading, name, name, optionOf(name).type === 'boolean' ? text.toLowerCase() === 'true' : text);
  }
  return reading;
}

const OPTION_OF_FLAG: ReadonlyMap<string, OptionName> = new Map(OPTION_NAMES.map((name) => [flagName(name), name]));

/** A flag, the value after its equals sign, and how many arguments were used up. */
interface Flag {
  readonly flag: string;
  readonly value: string | undefined;
  readonly used: number;
}

function flagAt(argv: readonly string[], index: number): Flag {
  const argument = argv[index] ?? '';
  const equals = argument.indexOf('=');
  if (equals > 0) return { flag: argument.slice(2, equals), value: argument.slice(equals + 1), used: 1 };
  const flag = argument.slice(2);
  const next = argv[index + 1];
  const name = OPTION_OF_FLAG.get(flag);
  const alone = flag === 'test-mode' || next === undefined || next.startsWith('--');
  // A boolean flag stands alone; only the two literals after it are taken for its value.
  const toggles = name !== undefined && optionOf(name).type === 'boolean';
  if (alone || (toggles && next !== 'true' && next !== 'false')) return { flag, value: toggles ? 'true' : undefined, used: 1 };
  return { flag, value: next, used: 2 };
}

/** Reads the command line: options as kebab-case flags (`--port 1`, `--port=1`), `--config FILE`, `--test-mode`. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const reading = newReading();
  let configFile: string | undefined;
  let testMode = false;
  for (let index = 0; index < argv.length; ) {
    if (argv[index]?.startsWith('--') !== true) {
      reading.faults.push(`Unknown argument: ${argv[index]}`);
      index += 1;
      continue;
    }
    const { flag, value, used } = flagAt(argv, index);
    index += used;
    const name = OPTION_OF_FLAG.get(flag);
    if (flag === 'test-mode' && value === undefined) testMode = true;
    else if (name === undefined && flag !== 'config') reading.faults.push(`Unknown flag: --${flag}`);
    else if (value === undefined) reading.faults.push(`Flag --${flag} needs a value`);
    else if (name === undefined) configFile = value;
    else keep(reading, `--${flag}`, name, value);
  }
  return { ...reading, configFile, testMode };
}
