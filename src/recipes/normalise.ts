import { createRequire } from 'node:module';

type PhoneNumbers = typeof import('google-libphonenumber');

/** U+0020: it and what lies below are what Java's trim() removes. */
const SPACE = 0x20;

/** Removes leading and trailing characters up to U+0020, and no other kind of space (contract 03 section 1.2). */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  // By hand, since an expression for the blanks at the end takes time in the square of the blanks before it.
  while (start < end && text.charCodeAt(start) <= SPACE) start++;
  while (end > start && text.charCodeAt(end - 1) <= SPACE) end--;
  return text.slice(start, end);
}

/** Emails as they are kept and compared: trimmed and lower-cased, with no check of syntax (contract 03 section 1.2). */
export function normaliseEmail(email: string): string {
  return trimBlanks(email).toLowerCase();
}

/** Longer texts are no phone numbers; the parser refuses them too. */
const LONGEST_PHONE_NUMBER = 250;

/** The region of callers nothing is known about: without a country code no number can be parsed. */
const UNKNOWN_REGION = 'ZZ';

const load = createRequire(import.meta.url);

/**
 * Phone numbers as they are kept and compared: E.164, or trimmed where they cannot be parsed (contract 03 section 1.2).
 * The first possible number loads the world's numbering plans (some 25 ms and 3 MB of heap, once per thread).
 */
export function normalisePhoneNumber(phoneNumber: string): string {
  const text = trimBlanks(phoneNumber);
  if (text.length > LONGEST_PHONE_NUMBER || !/[+\uff0b]/.test(text)) return text;
  const library: PhoneNumbers = load('google-libphonenumber');
  const parser = library['PhoneNumberUtil'].getInstance();
  try {
    const number = parser.parse(latinDigits(text), UNKNOWN_REGION);
    // The parser holds digits as a double: where they do not fit, the last is lost and two numbers become one.
    return Number.isSafeInteger(number.getNationalNumberOrDefault()) ? parser.format(number, library.PhoneNumberFormat.E164) : text;
  } catch {
    return text;
  }
}

/** Decimal digits of all scripts as 0 to 9; the parser itself knows but a few scripts. */
function latinDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, (digit) => {
    // Digits stand in Unicode in runs of ten, from zero to nine.
    const code = digit.codePointAt(0) ?? 0;
    let zero = code;
    while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
    return String((code - zero) % 10);
  });
}
