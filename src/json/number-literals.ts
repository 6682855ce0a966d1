const ZERO = 48;
const NINE = 57;
const POINT = 46;
/** Digits that a double holds in any case. */
const SAFE_DIGITS = 15;

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** What may follow a number: a comma, a closing bracket or brace, white space, or (NaN) nothing. */
const endsNumber = (code: number): boolean => code === 44 || code === 93 || code === 125 || code <= 32 || Number.isNaN(code);

/** True where an exponent stands at this `e`: digits follow, and then what may follow a number. */
function isExponent(text: string, e: number): boolean {
  let at = e + 1;
  const sign = text.charCodeAt(at);
  if (sign === 43 || sign === 45) at++;
  const first = at;
  while (isDigit(text.charCodeAt(at))) at++;
  return at > first && endsNumber(text.charCodeAt(at));
}

/** A decimal point counts as a digit: a number of too many digits may have one in their midst. */
const isOfRun = (code: number): boolean => isDigit(code) || code === POINT;

/** Whether 16 digits or points stand in a row. Such a row covers a 16th place, so only these are looked at. */
function hasLongRun(text: string): boolean {
  for (let at = SAFE_DIGITS; at < text.length; at += SAFE_DIGITS + 1) {
    if (!isOfRun(text.charCodeAt(at))) continue;
    let first = at;
    let end = at + 1;
    while (isOfRun(text.charCodeAt(first - 1))) first--;
    while (isOfRun(text.charCodeAt(end))) end++;
    if (end - first > SAFE_DIGITS) return true;
  }
  return false;
}

/** A search costs as much as looking at so many characters. */
const SEARCH_COST = 16;

/** Searches for `e` from place to place; where these are close together, it looks at each character instead. */
function hasExponent(text: string, letter: 'e' | 'E'): boolean {
  let searches = 0;
  for (let at = text.indexOf(letter); at >= 0; at = text.indexOf(letter, at + 1)) {
    if (isDigit(text.charCodeAt(at - 1)) && isExponent(text, at)) return true;
    if (++searches * SEARCH_COST > text.length) return hasExponentFrom(text, at + 1, letter.charCodeAt(0));
  }
  return false;
}

function hasExponentFrom(text: string, start: number, letter: number): boolean {
  for (let at = start; at < text.length; at++) {
    if (text.charCodeAt(at) === letter && isDigit(text.charCodeAt(at - 1)) && isExponent(text, at)) return true;
  }
  return false;
}

/**
 * True when JSON text may hold a literal that a double cannot hold or would respell: 16 digits or points in a row, or
 * an exponent. Those inside strings only cost time; any other literal is read as the nearest double, which keeps its
 * value. It hops, as it runs over every token.
 */
export function mayNeedLossless(text: string): boolean {
  return hasLongRun(text) || hasExponent(text, 'e') || hasExponent(text, 'E');
}
