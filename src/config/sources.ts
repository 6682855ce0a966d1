import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { coerce, MISMATCH, mismatchText, type Values } from './values.ts';
import { nearestName, strangerText } from './nearest-name.ts';
import { ALIASES, environmentName, flagName, isStorageKey, OPTION_NAMES, type OptionName, optionNamed, optionOf } from './options.ts';
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

function strangeFlag(flag: string): string {
  const nearest = nearestName(flag, FLAGS);
  return strangerText(`flag: --${flag}`, nearest === undefined ? undefined : `--${nearest}`);
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
    if (flag === 'test-mode') testMode = true;
    if (flag === 'test-mode' && value === undefined) continue;
    if (flag === 'test-mode') reading.faults.push('Flag --test-mode takes no value');
    else if (name === undefined && flag !== 'config') reading.faults.push(strangeFlag(flag));
    else if (value === undefined) reading.faults.push(`Flag --${flag} needs a value`);
    else if (name === undefined) configFile = value;
    else keep(reading, `--${flag}`, name, value);
  }
  return { ...reading, configFile, testMode };
}
