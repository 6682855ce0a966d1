/** Deepest nesting of arrays and objects that is read (contract 00, size limits). */
export const MAX_JSON_DEPTH = 64;

/** Longest number literal that is taken: any double written out in full takes less (`LIMITS.numberChars`). */
export const MAX_NUMBER_CHARS = 1100;

/** What a JSON text may have too much of: nesting, parts, or characters of one number. */
export type Excess = 'depth' | 'parts' | 'number';

/** An array, object, value after a comma, exponent, or so many characters of one number or blanks in all is a part. */
const CHARACTERS_OF_A_PART = 16;
const BLANKS_OF_A_PART = 64;
/** So many escapes in strings take as long to read and write as one part. */
const ESCAPES_OF_A_PART = 20;

const OTHER = 0;
const NUMERIC = 1;
const COMMA = 2;
const OPENING = 3;
const CLOSING = 4;
const EXPONENT = 5;
const QUOTE = 6;
const BLANK = 7;

/** What a character outside strings stands for, by its code. */
const KINDS = new Uint8Array(128);
for (const [kind, characters] of [
  [NUMERIC, '0123456789.+-'],
  [COMMA, ','],
  [OPENING, '[{'],
  [CLOSING, ']}'],
  [EXPONENT, 'eE'],
  [QUOTE, '"'],
  [BLANK, ' \t\n\r'],
] as const) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
}

/** Whether JSON text has more parts than that, before it nests too deep, which its reader finds. */
export function hasMoreParts(text: string, most: number): boolean {
  return findExcess(text, most, Number.POSITIVE_INFINITY) === 'parts';
}

/** Whether JSON text holds a number too long to be taken, before it nests too deep, which its reader finds. */
export function hasLongNumber(text: string): boolean {
  return findExcess(text, Number.POSITIVE_INFINITY, MAX_NUMBER_CHARS) === 'number';
}

/** How far a text was looked through. */
interface Scan {
  /** What it may still have, in escapes. */
  left: number;
  /** Index of the next backslash; negative where there is none. */
  slash: number;
}

/**
 * What JSON text, right or wrong, has too much of, whichever comes first. One pass, strings at the speed of memchr: it
 * bounds the cost of reading the text, and itself costs little beside it.
 * @param mostOfNumber characters of the literal of a number
 */
export function findExcess(text: string, mostParts: number, mostOfNumber: number): Excess | undefined {
  const scan: Scan = { left: mostParts * ESCAPES_OF_A_PART, slash: text.indexOf('\\') };
  let depth = 0;
  let ofNumber = 0;
  let blanks = 0;
  for (let at = 0; at < text.length && scan.left >= 0; at++) {
    const kind = KINDS[text.charCodeAt(at)] ?? OTHER;
    if (kind === NUMERIC || (kind === EXPONENT && ofNumber > 0)) {
      if (++ofNumber > mostOfNumber) return 'number';
      if (kind === EXPONENT || ofNumber % CHARACTERS_OF_A_PART === 0) scan.left -= ESCAPES_OF_A_PART;
      continue;
    }
    if (kind === BLANK) {
      if (++blanks % BLANKS_OF_A_PART === 0) scan.left -= ESCAPES_OF_A_PART;
    } else if (kind === QUOTE) at = passString(text, at, scan);
    else if (kind === OPENING) {
      if (++depth > MAX_JSON_DEPTH) return 'depth';
      scan.left -= ESCAPES_OF_A_PART;
    } else if (kind === CLOSING) depth--;
    else if (kind === COMMA) scan.left -= ESCAPES_OF_A_PART;
    ofNumber = 0;
  }
  return scan.left < 0 ? 'parts' : undefined;
}

/**
 * Index of the quote that ends a string without too many escapes. A function of its own: in the loop above, the
 * engine's compiler would search for quotes at every character, which takes quadratic time where none follows.
 */
function passString(text: string, start: number, scan: Scan): number {
  let quote = text.indexOf('"', start + 1);
  let { left, slash } = scan;
  for (; slash >= 0 && slash < quote && left >= 0; left--) {
    const next = slash + 2;
    if (quote < next) quote = text.indexOf('"', next);
    slash = text.indexOf('\\', next);
  }
  scan.left = left;
  scan.slash = slash;
  return quote < 0 ? text.length : quote;
}
