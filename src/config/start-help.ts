import { flagName, OPTION_NAMES, type OptionName, optionOf } from './options.ts';

const WIDTH = 100;
const INDENT = 6;

const INTRODUCTION = `Usage: watchword start [options]

Serves until SIGTERM or SIGINT. Every option is also a key of the YAML file and a variable of the environment, as
docs/configuration.md says; a flag wins. "--flag value" and "--flag=value" are the same; true may be left out.

  --config FILE
      YAML file with options.
  --test-mode
      Second-scale key intervals; never in production.
  --help
      Print this text.
`;

/** The text of `watchword start --help`, made from the option table. */
export function startHelp(): string {
  return INTRODUCTION + OPTION_NAMES.map(optionHelp).join('');
}

function optionHelp(name: OptionName): string {
  const { doc, type, values, initial, initialText } = optionOf(name);
  const value = values?.join('|') ?? (type === 'boolean' ? 'true|false' : type === 'string' ? 'TEXT' : type === 'keys' ? 'KEY,…' : 'N');
  const isPlain = initial !== null && initial !== '';
  const meaning = initialText !== undefined || isPlain ? `${doc} Default: ${initialText ?? String(initial)}.` : doc;
  return `  --${flagName(name)} ${value}\n${wrapped(meaning)}`;
}

function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= WIDTH - INDENT) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${' '.repeat(INDENT)}${line}\n`).join('');
}
