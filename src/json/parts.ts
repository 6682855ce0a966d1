import { endOfString } from './exact-numbers.ts';

const QUOTE = 0x22;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BRACKET = 0x5b;
const BRACE = 0x7b;
/** `e` and `E` differ in this bit alone. */
const CASE_BIT = 0x20;
const LOWER_E = 0x65;
/** So many digits in a row may be more than a double holds. */
const LONG_RUN = 16;

/**
 * Whether JSON text holds more than so many of what is costly to read and write: arrays, objects, members, and numbers with exponents or of
 * many digits. It need not be right JSON.
 */
export function hasMoreParts(text: string, most: number): boolean {
  // Two characters are the least that any of them takes.
  if (text.length <= 2 * most) return false;
  let left = most;
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code >= ZERO && code <= NINE) {
      if (++digits === LONG_RUN && --left < 0) return true;
      continue;
    }
    const isExponent = digits > 0 && (code | CASE_BIT) === LOWER_E;
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if ((isExponent || code === COLON || code === BRACKET || code === BRACE) && --left < 0) return true;
    digits = 0;
  }
  return false;
}
