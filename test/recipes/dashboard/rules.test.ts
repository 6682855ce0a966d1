import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isDashboardEmail } from '../../../src/recipes/dashboard/email-rule.ts';
import { passwordComplaint } from '../../../src/recipes/dashboard/password-rule.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_261_121 });

/** The reference's pattern as contract 05 section 5.1 gives it; only for texts that are short enough for its backtracking. */
const REFERENCE = /^.+@(?:[0-9{},.]|(?:[a-zA-Z0-9-]+.)+[a-zA-Z]{2,})$/;

describe('emails', () => {
  test.each(['a@bcde', 'a@1', 'a@.', 'a@b.co', 'a b@c.de', 'a@b@c.de', 'a@bc@de', 'x@a-b.c1.dex'])('%j is one', (email) => {
    expect(isDashboardEmail(email)).toBe(true);
  });

  test.each(['a@b', 'a@bc', 'a@bcd', 'a@b.c', '@', '@b.co', 'nonsense', '', 'a@12', 'a@b..co', 'a@.b.co', 'a@b.co\n', 'a\n@b.co'])(
    '%j is none',
    (email) => expect(isDashboardEmail(email)).toBe(false),
  );

  test('as the reference says, whatever the text', () => {
    const letters = fc.constantFrom('a', 'b', '1', '-', '.', '@', ' ', '{', '\n', 'é');
    const text = fc.array(letters, { maxLength: 16 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const email = `${before}@${after}`;
        expect(isDashboardEmail(email)).toBe(REFERENCE.test(email));
      }),
      { numRuns: 20_000 },
    );
  });

  test('every short domain, as the reference says', () => {
    const alphabet = ['a', '1', '.', '@'];
    let domains = [''];
    for (let length = 1; length <= 7; length++) {
      domains = domains.flatMap((domain) => alphabet.map((letter) => domain + letter));
      const differing = domains.filter((domain) => isDashboardEmail(`x@${domain}`) !== REFERENCE.test(`x@${domain}`));
      expect(differing).toEqual([]);
    }
  });

  test('no text takes for ever, as it does a backtracking pattern', () => {
    const hostile = [
      'a'.repeat(253) + '!',
      'a1-'.repeat(80) + '!',
      '@'.repeat(255),
      'a@'.repeat(127),
      `x@${'a.'.repeat(126)}`,
      'a'.repeat(1_000_000),
    ];
    for (const text of hostile) expect(isDashboardEmail(`a@${text}`)).toBe(false);
  });

  test('more than 256 characters are too many', () => {
    const email = (length: number) => `${'a'.repeat(length - 5)}@b.co`;
    expect([isDashboardEmail(email(256)), isDashboardEmail(email(257))]).toEqual([true, false]);
  });
});

describe('passwords', () => {
  const short = 'Password must contain at least 8 characters, including a number';
  const long = "Password's length must be lesser than 100 characters";
  const noLetter = 'Password must contain at least one alphabet';
  const noDigit = 'Password must contain at least one number';
  test.each([
    ['short1', short],
    ['', short],
    ['a1'.repeat(50), long],
    ['onlyletters', noDigit],
    ['1234567890', noLetter],
    ['????????', noLetter],
    ['éééééééé1', noLetter],
    ['a2345678', undefined],
    [`${'a'.repeat(98)}1`, undefined],
  ])('%j: %j', (password, complaint) => {
    expect(passwordComplaint({ isBlockedPassword: () => false }, password)).toBe(complaint);
    // What is weak anyway is not looked up, and told as such.
    expect(passwordComplaint({ isBlockedPassword: () => true }, password)).toBe(complaint ?? 'This password is too common');
  });
});
