import type { Level } from './option.ts';
import { environmentName, flagName, OPTION_NAMES, type OptionName, optionOf } from './options.ts';

const WIDTH = 100;
const BEFORE = '# ';

const HEADER = `Every option of Watchword, with its default. Take the "#" away in front of a line to set an option, name this file with
"watchword start --config FILE", and check it with "watchword config check". A variable of the environment wins over this file,
a flag wins over both. SIGHUP or "watchword config reload" applies changes, but for those options that need a restart.`;

/** Who else may have a value of their own. */
const LEVELS: Readonly<Record<Level, string>> = {
  B: 'for the whole core',
  A: 'also per app',
  T: 'also per tenant',
};

/** A configuration file that sets nothing and tells of every option. */
export function sampleFile(): string {
  return `${comment(HEADER)}\n${OPTION_NAMES.map(entryOf).join('\n')}`;
}

function entryOf(name: OptionName): string {
  const { doc, level, values, initial, initialText, restart } = optionOf(name);
  const variable = environmentName(name);
  const facts = [
    ...(values ? [`one of ${values.join(', ')}`] : []),
    ...(initialText === undefined ? [] : [`default: ${initialText}`]),
    LEVELS[level],
    ...(variable === undefined ? [] : [`environment ${variable}`]),
    `flag --${flagName(name)}`,
    ...(restart ? ['needs a restart'] : []),
  ];
  return `${comment(doc)}${comment(`(${facts.join('; ')})`)}#${name}: ${yamlOf(initial)}\n`;
}

/** JSON is YAML; texts of letters alone need no quotes. */
function yamlOf(value: unknown): string {
  return typeof value === 'string' && /^[A-Za-z./]+$/.test(value) ? value : JSON.stringify(value);
}

/** A text as comment, in lines of at most a hundred columns. */
function comment(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && BEFORE.length + last.length + 1 + word.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.map((line) => `${BEFORE}${line}\n`).join('');
}
