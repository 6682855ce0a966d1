import { expect, it } from 'vitest';
import { findExcess, MAX_JSON_DEPTH } from '../../src/json/parts.ts';

const filled = (part: string, times: number): string => `[${part.repeat(times)}0]`;

it.each([
  ['1,', 999, undefined],
  ['1,', 1000, 'parts'],
  ['{},', 499, undefined],
  ['{},', 500, 'parts'],
  ['[],', 500, 'parts'],
  ['{"a":1},', 499, undefined],
  ['{"a":1,"b":2},', 334, 'parts'],
  ['-1234567890123.1,', 499, undefined],
  ['-1234567890123.1,', 500, 'parts'],
  ['-1234567890123.,', 999, undefined],
  ['1234567890123456,', 499, undefined],
  ['1234567890123456,', 500, 'parts'],
  ['1E5,', 500, 'parts'],
  ['1', 16 * 998, undefined],
  ['1', 16 * 1000, 'parts'],
  ['"{:[\\\\\\"[",', 800, undefined],
  [' ', 64 * 998, undefined],
  ['\n', 64 * 1000, 'parts'],
] as const)('%s %i times has too much of %s', (part, times, excess) => {
  expect(findExcess(filled(part, times), 1000, Infinity)).toBe(excess);
});

it('counts twenty escapes as a part, and looks no further than that', () => {
  expect(findExcess(`"${'\\n'.repeat(20_000)}"`, 1000, 1000)).toBeUndefined();
  expect(findExcess(`"${'\\"'.repeat(20_001)}"`, 1000, 1000)).toBe('parts');
  expect(findExcess(`"${'\\\\'.repeat(20_001)}"`, 1000, 1000)).toBe('parts');
});

it('finds what comes first', () => {
  const deep = '['.repeat(MAX_JSON_DEPTH + 1);
  expect(findExcess(`[${'1,'.repeat(10)}${deep}`, 1000, 1000)).toBe('depth');
  expect(findExcess(`[${'1,'.repeat(2000)}${deep}`, 1000, 1000)).toBe('parts');
  expect(findExcess(`["${deep}",${'[],'.repeat(100)}[]]`, 1000, 1000)).toBeUndefined();
});

it.each(['', '"', '"\\', '\\"', '"a\\\\\\', ']'.repeat(100), '\u{1f600}é'])('comes to an end with what is no JSON: %j', (text) => {
  expect(findExcess(text, 1000, 1000)).toBeUndefined();
});

it('finds a number that is too long, wherever it has its characters', () => {
  const most = 20;
  for (const long of ['1'.repeat(most), `-0.${'0'.repeat(most - 4)}1`, `1e${'9'.repeat(most - 2)}`, `-1.5E+${'9'.repeat(most - 6)}`]) {
    expect(findExcess(`{"a":[${long}]}`, 1000, most)).toBeUndefined();
    expect(findExcess(`{"a":[${long}0]}`, 1000, most)).toBe('number');
    expect(findExcess(`{"a":["${long}0"]}`, 1000, most)).toBeUndefined();
  }
});
