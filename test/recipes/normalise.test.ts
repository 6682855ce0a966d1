import { expect, test } from 'vitest';
import { normaliseEmail, trimBlanks } from '../../src/recipes/users/normalise.ts';

test.each([
  ['  a b\t\n', 'a b'],
  ['\u0000\u001f x \u0001', 'x'],
  ['\u00a0x\u2003', '\u00a0x\u2003'],
  [' \t ', ''],
  ['', ''],
  ['x', 'x'],
])('trimming %j leaves %j', (text, trimmed) => expect(trimBlanks(text)).toBe(trimmed));

test('emails are trimmed and lower-cased', () => expect(normaliseEmail(' Jane@Example.COM\n')).toBe('jane@example.com'));

test('blanks within a long text take no time', () => {
  const startedAt = performance.now();
  const text = `x${' '.repeat(2_000_000)}x`;
  expect(trimBlanks(text)).toBe(text);
  expect(performance.now() - startedAt).toBeLessThan(500);
});
