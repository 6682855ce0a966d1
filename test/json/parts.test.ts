import { expect, it } from 'vitest';
import { hasMoreParts } from '../../src/json/parts.ts';

const filled = (part: string, times: number): string => `[${part.repeat(times)}0]`;

it.each([
  ['{},', 999, false],
  ['{},', 1000, true],
  ['[],', 1000, true],
  ['{"a":1},', 499, false],
  ['{"a":1},', 500, true],
  ['1,', 100_000, false],
  ['-123456789012345.123,', 100_000, false],
  ['1234567890123456,', 999, false],
  ['1234567890123456,', 1000, true],
  ['1E5,', 1000, true],
  ['true,', 100_000, false],
  ['"{:[\\\\\\"[",', 100_000, false],
])('%s %i times has more than 1000 costly parts: %s', (part, times, hasMore) => {
  expect(hasMoreParts(filled(part, times), 1000)).toBe(hasMore);
});

it.each(['', '"', '"\\\\', '{'.repeat(3000), '"'.repeat(3001)])('comes to an end with what is no JSON', (text) => {
  expect(hasMoreParts(text, 1000)).toBe(text.startsWith('{'));
});
