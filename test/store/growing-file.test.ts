import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readGrowing } from '../../src/store/growing-file.ts';
import { temporaryFolder } from './engines.ts';

/** Something that will be told to end, or to fail. */
function pending() {
  let end: () => void = () => {};
  let fail: (error: Error) => void = () => {};
  const whole = new Promise<void>((resolve, reject) => {
    end = resolve;
    fail = reject;
  });
  return { whole, end, fail };
}

test('is read from before its beginning to its end, behind who writes it', async () => {
  const path = join(temporaryFolder(), 'file');
  const { whole, end } = pending();
  const reading = readGrowing(path, whole);
  const first = reading.next();
  writeFileSync(path, 'one');
  expect(Buffer.from((await first).value ?? []).toString()).toBe('one');
  const second = reading.next();
  appendFileSync(path, ' two');
  expect(Buffer.from((await second).value ?? []).toString()).toBe(' two');
  const last = reading.next();
  appendFileSync(path, ' three');
  end();
  expect(Buffer.from((await last).value ?? []).toString()).toBe(' three');
  expect(await reading.next()).toEqual({ done: true, value: undefined });
});

test('ends as what writes it does', async () => {
  const path = join(temporaryFolder(), 'file');
  const { whole, fail } = pending();
  const reading = readGrowing(path, whole);
  const next = reading.next();
  fail(new Error('no room'));
  await expect(next).rejects.toThrow('no room');
});

test('a file that never comes is an error', async () => {
  await expect(readGrowing(join(temporaryFolder(), 'file'), Promise.resolve()).next()).rejects.toThrow('ENOENT');
});
