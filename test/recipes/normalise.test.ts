import { describe, expect, test } from 'vitest';
import { normaliseEmail, normalisePhoneNumber, trimBlanks } from '../../src/recipes/normalise.ts';

test.each([
  ['  a b\t\n', 'a b'],
  ['\u0000\u001f x \u0001', 'x'],
  ['\u00a0x\u2003', '\u00a0x\u2003'],
  [' \t ', ''],
  ['', ''],
  ['x', 'x'],
])('trimming %j leaves %j', (text, trimmed) => expect(trimBlanks(text)).toBe(trimmed));

test('emails are trimmed and lower-cased', () => expect(normaliseEmail(' Jane@Example.COM\n')).toBe('jane@example.com'));

test('blanks within a long text are passed over once', () => {
  // Time in the square of the blanks would be many minutes, and so beyond the limit of every test.
  const text = `x${' '.repeat(2_000_000)}x`;
  expect(trimBlanks(text)).toBe(text);
});

describe('phone numbers', () => {
  test.each([
    ['+1 (202) 555-0010', '+12025550010'],
    ['  +1 202 555 0010\n', '+12025550010'],
    ['tel:+12025550010', '+12025550010'],
    ['tel:2025550010;phone-context=+1', '+12025550010'],
    ['+12025550010 ext 5', '+12025550010'],
    ['+12025550010;ext=5', '+12025550010'],
    ['\uff0b\uff11\uff12\uff10\uff12\uff15\uff15\uff15\uff10\uff10\uff11\uff10', '+12025550010'],
    ['+49 (0)30 123456', '+4930123456'],
    ['+39 06 1234', '+39061234'],
    ['+1-800-FLOWERS', '+18003569377'],
  ])('%j is %j', (text, number) => expect(normalisePhoneNumber(text)).toBe(number));

  test.each(['abc', '00442079460958', '2025550010', '+12', '+1234', '+999123456', '+', '', '+abc', '+4912345678901234567890'])(
    '%j stays as it is',
    (text) => {
      expect(normalisePhoneNumber(text)).toBe(text);
      expect(normalisePhoneNumber(` ${text}\t`)).toBe(text);
    },
  );

  test.each([
    ['Devanagari', 0x966],
    ['Bengali', 0x9e6],
    ['Thai', 0xe50],
    ['Arabic', 0x660],
    ['mathematical bold', 0x1d7ce],
    ['mathematical monospace', 0x1d7f6],
  ])('%s digits are digits', (_script, zero) => {
    const text = '+919876543210'.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
    expect(normalisePhoneNumber(text)).toBe('+919876543210');
  });

  test('numbers with more digits than a double holds stay apart', () => {
    for (const text of ['+4991234567890123456', '+4991234567890123457', '+49 91234567890123457'])
      expect(normalisePhoneNumber(text)).toBe(text);
  });

  test('what was normalised stays', () => {
    for (const text of ['+12025550010', '+4930123456', '+39061234', '+5491123456789', '+525512345678', '+80012345678']) {
      expect(normalisePhoneNumber(text)).toBe(text);
    }
  });

  test('odd texts come to an end, and long ones stay as they are', () => {
    for (const piece of ['1', '+1', ' x1', '1-', 'a', '\uff0b', ';phone-context=', '\u0967', '(', '1 ext ']) {
      const textOf = (length: number): string => `+1${piece.repeat(length / piece.length)}`;
      expect(normalisePhoneNumber(textOf(240)).length).toBeLessThanOrEqual(textOf(240).length);
      // What is no number for its length alone is not parsed.
      for (const length of [260, 10_000]) expect(normalisePhoneNumber(`${textOf(length)}x`)).toBe(`${textOf(length)}x`);
    }
  });
});
