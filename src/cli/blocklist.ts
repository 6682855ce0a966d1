import { type Blocklist, checkBlocklist, closeBlocklist, openBlocklist } from '../blocklist/blocklist.ts';
import { buildBlocklist } from '../blocklist/build.ts';
import { PAGE_BYTES, type Shape } from '../blocklist/format.ts';
import { type CommandLine, UsageError, wholeNumber } from '../transfer/command-line.ts';
import { count, Progress } from '../transfer/progress.ts';
import { bind, type Bound, EXIT } from './command.ts';
import { show } from './connection.ts';
import { facts } from './table.ts';
import type { Terminal } from './terminal.ts';

const JSON_FLAG = { json: { doc: 'print the answer as JSON' } } as const;
const RATE = { initial: 0.0001, least: 1e-9, most: 0.1 } as const;
const MOST_COUNT = 999_999_999;

const BUILD_FLAGS = {
  words: { doc: 'lists of passwords as they are, one a line, instead of SHA-1 digests' },
  'min-count': { value: 'N', doc: 'leave out passwords that were seen less often, where lines have a count (1)' },
  'false-positives': { value: 'RATE', doc: `other passwords that are taken for one of them, as a part of 1 (${RATE.initial})` },
  ...JSON_FLAG,
} as const;

const BUILD = bind(
  {
    name: 'build',
    operands: ['<FILE>', '<LIST...>'],
    about: [
      'Builds the file for password_blocklist of lists of passwords that nobody shall choose.',
      'A list has a SHA-1 digest in hex a line, with a count behind a colon or none, sorted or not: the format of Have I Been Pwned. It is read twice or more.',
      'FILE has its name only when it is whole and on the disk; a core takes it over when it reloads.',
    ].join('\n'),
    examples: [
      'blocklist build /etc/watchword/passwords.blocklist pwned-passwords-sha1.txt --min-count 10',
      'blocklist build passwords.blocklist rockyou.txt names.txt --words',
    ],
    flags: BUILD_FLAGS,
  },
  async ({ operands: [file = '', ...lists], flags }, terminal) => {
    const shape = await build(file, lists, flags, terminal);
    show(flags, terminal.print, shape, () => textOf(shape));
    return EXIT.done;
  },
);

async function build(
  file: string,
  lists: readonly string[],
  flags: CommandLine<typeof BUILD_FLAGS>['flags'],
  { screen, signal }: Terminal,
): Promise<Shape> {
  const progress = new Progress(screen, 'read', (passwords) => `${count(passwords)} passwords`);
  const shape = await buildBlocklist({
    file,
    lists,
    words: flags.words,
    minCount: wholeNumber('min-count', flags['min-count'], 1, MOST_COUNT),
    falsePositives: rateOf(flags['false-positives']),
    progress: (passwords, part) => progress.show({ done: passwords, part, ...(part === undefined && { note: 'counting' }) }),
    signal,
  });
  progress.clear();
  return shape;
}

function rateOf(text: string | undefined): number {
  if (text === undefined) return RATE.initial;
  const rate = Number(text);
  if (!(rate >= RATE.least && rate <= RATE.most))
    throw new UsageError(`--false-positives must be a number from ${RATE.least} to ${RATE.most}`);
  return rate;
}

const CHECK = bind(
  {
    name: 'check',
    operands: ['<FILE>'],
    about: 'Reads a whole blocklist, checks every page, and tells what it holds.',
    examples: ['blocklist check /etc/watchword/passwords.blocklist'],
    flags: JSON_FLAG,
  },
  async ({ operands: [file = ''], flags }, { print, signal }) => {
    const list: Blocklist = openBlocklist(file);
    try {
      await checkBlocklist(list, signal);
    } finally {
      closeBlocklist(list);
    }
    show(flags, print, list.shape, () => textOf(list.shape));
    return EXIT.done;
  },
);

const textOf = ({ passwords, falsePositives, pages }: Shape): string =>
  facts([
    ['passwords', count(passwords)],
    ['other passwords taken for one of them', `1 of ${count(Math.round(1 / falsePositives))}`],
    ['bytes', count(PAGE_BYTES * (pages + 1))],
  ]);

/** `watchword blocklist`. */
export const commands: readonly Bound[] = [BUILD, CHECK];
