import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type LogOptions, openLog } from '../../src/observe/log.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const inFiles = (more: Partial<LogOptions> = {}): LogOptions => ({
  level: 'INFO',
  infoPath: at('info.log'),
  errorPath: at('error.log'),
  thread: 'main',
  ...more,
});

/** The texts in a file, in their order. */
const textsIn = (name: string): unknown[] =>
  readFileSync(at(name), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line).msg);

test('lines go where they belong, from the level on', () => {
  const log = openLog(inFiles());
  log.debug('one');
  log.info('two');
  log.error({ err: new Error('because') }, 'three');
  expect([textsIn('info.log'), textsIn('error.log')]).toEqual([['two'], ['three']]);
});

describe('opened anew', () => {
  test('files that were moved away keep what they have, and new ones get the rest', () => {
    const log = openLog(inFiles());
    log.info('before');
    renameSync(at('info.log'), at('info.log.1'));
    log.info('between');
    log.reopen(inFiles());
    log.info('after');
    expect([textsIn('info.log.1'), textsIn('info.log')]).toEqual([['before', 'between'], ['after']]);
  });

  test('with another level and another file', () => {
    const log = openLog(inFiles());
    log.reopen(inFiles({ level: 'DEBUG', infoPath: at('other.log') }));
    log.debug('deep');
    log.reopen(inFiles({ level: 'NONE' }));
    log.error('silence');
    expect([textsIn('other.log'), textsIn('info.log'), textsIn('error.log')]).toEqual([['deep'], [], []]);
  });

  test('where that fails it goes on as before', () => {
    const log = openLog(inFiles());
    writeFileSync(at('file'), '');
    expect(() => log.reopen(inFiles({ level: 'ERROR', infoPath: join(at('file'), 'info.log') }))).toThrow();
    mkdirSync(at('folder'));
    expect(() => log.reopen(inFiles({ level: 'ERROR', infoPath: at('new.log'), errorPath: at('folder') }))).toThrow();
    log.info('still here');
    expect(textsIn('info.log')).toEqual(['still here']);
    expect(readFileSync(at('new.log'), 'utf8')).toBe('');
  });

  test('many times it keeps no file open that it does not need', async () => {
    const log = openLog(inFiles());
    const before = openFiles();
    for (let round = 0; round < 20; round++) log.reopen(inFiles());
    await expect.poll(openFiles).toBe(before);
  });
});

/** How many files of the folder this process has open; none where the system does not tell. */
function openFiles(): number {
  const descriptors = '/proc/self/fd';
  const isOfFolder = (descriptor: string): boolean => {
    try {
      return readlinkSync(join(descriptors, descriptor)).startsWith(folder);
    } catch {
      // That of this very list.
      return false;
    }
  };
  return existsSync(descriptors) ? readdirSync(descriptors).filter(isOfFolder).length : 0;
}
