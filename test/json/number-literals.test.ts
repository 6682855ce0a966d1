import { assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { mayNeedLossless } from '../../src/json/number-literals.ts';

/** The rule as a pattern, too slow for the hot path. */
const RULE = /[0-9.]{16}|[0-9][eE][+-]?[0-9]+(?:[,\]}\s]|$)/;

test.each([
  ['{"a":123456789012345}', false],
  ['{"a":1234567890123456}', true],
  ['{"a":123456789012345.123456789012345}', true],
  ['{"a":-0.12345678901234}', true],
  ['{"a":1e3}', true],
  ['{"a":1E+3}', true],
  ['[1.5e-7 ]', true],
  ['1e5', true],
  ['{"a":"3e5f"}', false],
  ['{"a":1.25}', false],
  ['{"e":1}', false],
])('%s: %s', (text, expected) => {
  expect(mayNeedLossless(text)).toBe(expected);
});

test('agrees with the pattern', () => {
  const text = string({ unit: constantFrom('0', '1', '9', 'e', 'E', '+', '-', '.', ',', '}', ']', ' ', '"', 'a'), maxLength: 40 });
  assert(
    property(text, (sample) => {
      expect(mayNeedLossless(sample)).toBe(RULE.test(sample));
    }),
    { numRuns: 5000, seed: 7 },
  );
});
