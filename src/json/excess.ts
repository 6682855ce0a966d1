/** Deepest nesting of arrays and objects that is read (contract 00, size limits). */
export const MAX_JSON_DEPTH = 64;

/** What a JSON text may have too much of: nesting, or parts. */
export type Excess = 'depth' | 'parts';

/** A part is an array, an object, a value behind a comma, an exponent, or so many digits in a row. */
const DIGITS_OF_A_PART = 16;
/** So many escapes in strings take as long to read and write as one part. */
const ESCAPES_OF_A_PART = 20;

const OTHER = 0;
const DIGIT = 1;
const COMMA = 2;
const OPENING = 3;
const CLOSING = 4;
const EXPONENT = 5;
const QUOTE = 6;

/** What a character outside strings stands for, by its code. */
const KINDS = new Uint8Array(128);
for (const [kind, characters] of [
  [DIGIT, '0123456789'],
  [COMMA, ','],
  [OPENING, '[{'],
  [CLOSING, ']}'],
  [EXPONENT, 'eE'],
  [QUOTE, '"'],
] as const) {
  for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
}

/**
 * What JSON text has too much of, whichever comes first in it; it need not be right JSON. One pass, in which strings are passed at the speed of
 * memchr: it costs little beside reading the text, and bounds what that costs.
 */
export function findExcess(text: string, mostParts: number): Excess | undefined {
  let left = mostParts * ESCAPES_OF_A_PART;
  let depth = 0;
  let digits = 0;
  let slash = text.indexOf('\\');
  for (let at = 0; at < text.length; at++) {
    const kind = KINDS[text.charCodeAt(at)] ?? OTHER;
    if (kind === DIGIT) {
      if (++digits % DIGITS_OF_A_PART === 0) left -= ESCAPES_OF_A_PART;
      continue;
    }
    if (kind === OTHER) {
      digits = 0;
      continue;
    }
    if (kind === OPENING && ++depth > MAX_JSON_DEPTH) return 'depth';
    if (kind === CLOSING) depth--;
    else if (kind === QUOTE) {
      let quote = text.indexOf('"', at + 1);
      for (; slash >= 0 && slash < quote; slash = text.indexOf('\\', slash + 2)) {
        if (--left < 0) return 'parts';
        if (quote === slash + 1) quote = text.indexOf('"', slash + 2);
      }
      // A string without end: no JSON, whatever follows.
      if (quote < 0) return undefined;
      at = quote;
    } else if (kind !== EXPONENT || digits > 0) left -= ESCAPES_OF_A_PART;
    digits = 0;
    if (left < 0) return 'parts';
  }
  return left < 0 ? 'parts' : undefined;
}
