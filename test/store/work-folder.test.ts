import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { clearWorkFolder, FolderTaken, takeWorkFolder } from '../../src/store/work-folder.ts';
import { temporaryFolder } from './engines.ts';

test('one at a time has it, and nothing is left when it is closed', () => {
  const path = join(temporaryFolder(), 'work');
  const first = takeWorkFolder(path);
  writeFileSync(join(path, 'something'), 'x');
  expect(() => takeWorkFolder(path)).toThrow(FolderTaken);
  expect(existsSync(join(path, 'something'))).toBe(true);
  first.close();
  expect(existsSync(path)).toBe(false);
  takeWorkFolder(path).close();
});

test('what a killed process left is removed by whoever takes it next', () => {
  const path = join(temporaryFolder(), 'work');
  mkdirSync(join(path, 'folder'), { recursive: true });
  writeFileSync(join(path, 'lock'), '');
  writeFileSync(join(path, 'folder', 'file'), 'x');
  const work = takeWorkFolder(path);
  expect(readdirSync(path)).toEqual(['lock']);
  work.close();
});

test('clearing leaves one alone that is in use, and minds none that is not there', () => {
  const path = join(temporaryFolder(), 'work');
  clearWorkFolder(path);
  const work = takeWorkFolder(path);
  writeFileSync(join(path, 'something'), 'x');
  clearWorkFolder(path);
  expect(existsSync(join(path, 'something'))).toBe(true);
  work.close();
  mkdirSync(path);
  clearWorkFolder(path);
  expect(existsSync(path)).toBe(false);
});
