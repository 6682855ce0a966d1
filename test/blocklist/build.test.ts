import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { type Blocklist, checkBlocklist, closeBlocklist, isOnList, openBlocklist } from '../../src/blocklist/blocklist.ts';
import { type BuildParts, buildBlocklist } from '../../src/blocklist/build.ts';
import { headOf, PAGE_BYTES, shapeFor } from '../../src/blocklist/format.ts';

const folder = mkdtempSync(join(tmpdir(), 'watchword-blocklist-'));
const open: Blocklist[] = [];
afterAll(() => {
  for (const list of open) closeBlocklist(list);
  rmSync(folder, { recursive: true });
});

const sha1 = (password: string): string => createHash('sha1').update(password).digest('hex').toUpperCase();
const pathOf = (name: string): string => join(folder, name);

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(pathOf(name), content);
  return pathOf(name);
}

const build = (name: string, lists: readonly string[], parts: Partial<BuildParts> = {}) =>
  buildBlocklist({ file: pathOf(name), lists, words: false, minCount: 1, falsePositives: 0.001, progress: () => {}, ...parts });

function opened(name: string): Blocklist {
  const list = openBlocklist(pathOf(name));
  open.push(list);
  return list;
}

const listed = (list: Blocklist, passwords: readonly string[]): readonly string[] => passwords.filter((one) => isOnList(list, one));
const numbered = (name: string, count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `${name} ${nth}`);

describe('a list of digests', () => {
  test.each([
    ['as Have I Been Pwned writes it', (one: string) => `${sha1(one)}:37\r\n`],
    ['in lower case without counts', (one: string) => `${sha1(one).toLowerCase()}\n`],
    ['with empty lines between', (one: string) => `${sha1(one)}:1\n\n`],
  ])('%s', async (_, line) => {
    const passwords = ['password', 'pässwörd', '密码', '💩💩💩💩'];
    const shape = await build('digests', [write('digests.txt', passwords.map(line).join(''))]);
    expect(shape).toMatchObject({ passwords: 4, falsePositives: 0.001, pages: 1 });
    expect(listed(opened('digests'), [...passwords, 'Password', 'password ', 'x', ''])).toEqual(passwords);
  });

  test('whose last line has no end', async () => {
    await build('endless', [write('endless.txt', `${sha1('first')}\n${sha1('last')}:2`)]);
    expect(listed(opened('endless'), ['first', 'last', 'other'])).toEqual(['first', 'last']);
  });

  test('leaves out what was seen less often, but nothing without a count', async () => {
    const text = [`${sha1('often')}:10`, `${sha1('seldom')}:9`, sha1('plain')].join('\n');
    expect(await build('counted', [write('counted.txt', text)], { minCount: 10 })).toMatchObject({ passwords: 2 });
    expect(listed(opened('counted'), ['often', 'seldom', 'plain'])).toEqual(['often', 'plain']);
  });

  test.each([
    ['a digest of another kind', `${sha1('a')}\n${'ab'.repeat(16)}:5\n`, 2],
    ['something that is not hex', `${'xy'.repeat(20)}\n`, 1],
    ['a word', `password\n`, 1],
    ['a count that is none', `${sha1('a')}:many\n`, 1],
    ['no count behind its colon', `${sha1('a')}:\n`, 1],
    ['more behind the digest', `${sha1('a')}0\n`, 1],
  ])('with %s is refused by its line', async (_, text, line) => {
    const fault = `${pathOf('wrong.txt')}: line ${line} is not a SHA-1 digest in hex with a count behind a colon or none (see --words)`;
    await expect(build('wrong', [write('wrong.txt', text)])).rejects.toThrow(fault);
    expect(readdirSync(folder).filter((name) => name.startsWith('wrong'))).toEqual(['wrong.txt']);
  });

  test('with a line that does not end is refused before it is read whole', async () => {
    const file = write('line.txt', Buffer.alloc(3_000_000, 'a'));
    await expect(build('line', [file], { words: true })).rejects.toThrow(`${file}: line 1 is longer than 4096 bytes`);
  });
});

test('words are taken byte by byte as they stand', async () => {
  const text = Buffer.concat([Buffer.from('qwertz\r\n 123 \nçà\n'), Buffer.from([0xe9, 0x0a])]);
  expect(await build('words', [write('words.txt', text)], { words: true })).toMatchObject({ passwords: 4 });
  expect(listed(opened('words'), ['qwertz', ' 123 ', '123', 'çà', 'é'])).toEqual(['qwertz', ' 123 ', 'çà']);
});

test('lists of nothing make no file', async () => {
  const lists = [write('empty.txt', '\n\r\n'), write('rare.txt', `${sha1('a')}:1\n`)];
  await expect(build('nothing', lists, { minCount: 2 })).rejects.toThrow('There is no password in these lists');
  expect(readdirSync(folder)).not.toContain('nothing');
});

describe('a list of many', () => {
  const MANY = 30_000;
  const lines = numbered('common', MANY).map((one) => `${sha1(one)}:2\n`);
  const half = lines.length / 2;
  const lists = [write('one.txt', lines.slice(0, half).join('')), write('two.txt', lines.slice(half).join(''))];

  test('has all of them, and others as often as it was built for', async () => {
    await build('many', lists);
    const list = opened('many');
    expect(listed(list, numbered('common', MANY))).toHaveLength(MANY);
    // Of 13.2 pages that are needed for 200 of them 14 are there, which makes 130 the expected number.
    const others = listed(list, numbered('other', 200_000)).length;
    expect(others).toBeGreaterThan(100);
    expect(others).toBeLessThan(160);
  });

  test('is the same, byte by byte, whatever the order and however often it is read', async () => {
    await build('many', lists);
    const sorted = write('sorted.txt', lines.toSorted().join(''));
    const parts: (number | undefined)[] = [];
    await build('runs', [sorted], { pagesInMemory: 3, progress: (_, part) => parts.push(part) });
    expect(readFileSync(pathOf('runs')).equals(readFileSync(pathOf('many')))).toBe(true);
    // Counted in two pieces, then read five times for three pages each.
    const seen = parts.filter((part) => part !== undefined);
    expect([parts.length - seen.length, seen.length, seen.at(-1)]).toEqual([2, 10, 1]);
    expect(seen).toEqual(seen.toSorted((a, b) => a - b));
  });

  test('is smaller for a higher rate', async () => {
    await build('small', lists, { falsePositives: 0.1 });
    await build('many', lists);
    expect(statSync(pathOf('small')).size).toBe(PAGE_BYTES * 6);
    expect(statSync(pathOf('many')).size).toBe(PAGE_BYTES * 15);
  });

  test('that is built anew replaces the old one whole, which goes on to be read by who has it open', async () => {
    await build('replaced', [write('old.txt', 'old\n')], { words: true });
    const before = opened('replaced');
    await build('replaced', [write('new.txt', 'new\n')], { words: true });
    expect([listed(before, ['old', 'new']), listed(opened('replaced'), ['old', 'new'])]).toEqual([['old'], ['new']]);
  });

  test('of which the building is ended leaves the old one', async () => {
    await build('ended', [write('kept.txt', 'kept\n')], { words: true });
    const signal = AbortSignal.abort(new Error('ended by hand'));
    await expect(build('ended', lists, { signal })).rejects.toThrow('ended by hand');
    expect(listed(opened('ended'), ['kept'])).toEqual(['kept']);
    expect(readdirSync(folder).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});

test('a size that the format does not hold is refused before anything is written', () => {
  expect(shapeFor(1_300_000_000, 0.0001)).toMatchObject({ bits: 13, pages: 761_277 });
  expect(() => shapeFor(10_000_000_000, 0.0001)).toThrow('need more than 2097152 pages');
});

describe('a file is refused that', () => {
  const shape = { pages: 15, bits: 10, passwords: 1, falsePositives: 0.001, sum: 0 };
  test.each<readonly [string, (file: string) => void, RegExp]>([
    ['is not there', (file) => rmSync(file), /cannot be read \(ENOENT\)$/],
    ['is a folder', intoFolder, /is not a file$/],
    ['is empty', (file) => truncateSync(file), /is not a blocklist/],
    ['is a list that was not built', (file) => writeFileSync(file, `${sha1('a')}:1\n`.repeat(5000)), /is not a blocklist/],
    ['is of another version', (file) => edit(file, (bytes) => bytes.write('watchword blocklist 2\n')), /of another version of the format/],
    ['ends in its first page', (file) => truncateSync(file, 100), /is truncated$/],
    ['ends in its midst', (file) => truncateSync(file, 10_000), /is truncated: it has 10000 of 65536 bytes$/],
    ['lost its last byte', (file) => truncateSync(file, 65_535), /is truncated: it has 65535 of 65536 bytes$/],
    ['is longer', (file) => writeFileSync(file, Buffer.alloc(1), { flag: 'a' }), /is damaged: it has 65537 bytes instead of 65536$/],
    ['has a wrong first page', (file) => edit(file, (bytes) => bytes.write('"passwords":2', 40)), /is damaged in its first page$/],
  ])('%s', (name, spoil, fault) => {
    const file = write(`spoilt-${name.replaceAll(' ', '-')}`, Buffer.concat([headOf(shape), Buffer.alloc(PAGE_BYTES * shape.pages)]));
    spoil(file);
    expect(() => openBlocklist(file)).toThrow(fault);
    expect(() => openBlocklist(file)).toThrow(file);
  });
});

function intoFolder(file: string): void {
  rmSync(file);
  mkdirSync(file);
}

function edit(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file);
  change(bytes);
  writeFileSync(file, bytes);
}

describe('a page that is not what was written', () => {
  const passwords = numbered('damaged', 5000);

  test.each<readonly [string, (bytes: Buffer) => void]>([
    ['has a flipped bit', (bytes) => void (bytes[2 * PAGE_BYTES + 17] = (bytes[2 * PAGE_BYTES + 17] ?? 0) ^ 4)],
    ['is zero', (bytes) => void bytes.fill(0, 2 * PAGE_BYTES, 3 * PAGE_BYTES)],
    ['is another page', (bytes) => void bytes.copy(bytes, 2 * PAGE_BYTES, PAGE_BYTES, 2 * PAGE_BYTES)],
  ])('because it %s says neither yes nor no, and all others answer', async (_, spoil) => {
    await build('page', [write('page.txt', passwords.join('\n'))], { words: true });
    const list = opened('page');
    await checkBlocklist(list);
    edit(pathOf('page'), spoil);
    const answers = passwords.map((one) => {
      try {
        return isOnList(list, one);
      } catch (error) {
        return String(error);
      }
    });
    expect(new Set(answers)).toEqual(new Set([true, `BlocklistFault: ${list.file} is damaged in page 2, or was overwritten in place`]));
    await expect(checkBlocklist(list)).rejects.toThrow('is damaged in page 2');
  });

  test('because the file is cut off while it is read', async () => {
    await build('cut', [write('cut.txt', 'cut\n')], { words: true });
    const list = opened('cut');
    truncateSync(pathOf('cut'), PAGE_BYTES + 1);
    expect(() => isOnList(list, 'cut')).toThrow('is damaged in page 1');
  });

  test('pages of another blocklist of this size are found by reading all', async () => {
    await build('first', [write('first.txt', 'first\n')], { words: true });
    await build('second', [write('second.txt', 'second\n')], { words: true });
    const other = readFileSync(pathOf('second'));
    edit(pathOf('first'), (bytes) => void other.copy(bytes, PAGE_BYTES, PAGE_BYTES));
    await expect(checkBlocklist(opened('first'))).rejects.toThrow('its pages are not those of its first page');
  });
});
