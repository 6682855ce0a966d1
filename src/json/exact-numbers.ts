import { randomBytes } from 'node:crypto';
import { isSafeNumber, LosslessNumber } from 'lossless-json';
import type { JsonObject, JsonTree } from './tree.ts';

/**
 * Marks a literal inside a string: so it passes through the engine's own reader and writer, many times faster than any
 * reader in JavaScript. Random per process and never shown, so that no text from outside can hold it.
 */
const MARK = `~${randomBytes(12).toString('base64url')}`;
const MARKED_LITERAL = new RegExp(`"${MARK}([^"]*)"`, 'g');
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
/** Literals no longer than this, without exponent, are held by a double. */
const SAFE_LENGTH = 15;
const EXPONENT = /[eE]/;
const QUOTE = 0x22;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BLANK = 0x20;

/** A number that a double cannot hold; the engine's writer writes it as marked text. */
class ExactNumber extends LosslessNumber {
  toJSON(): string {
    return MARK + this.value;
  }
}

/** Turns numbers that a double cannot hold into marked text; undefined where there are none. Wrong JSON stays wrong. */
export function markNumbers(text: string): string | undefined {
  const pieces: string[] = [];
  let copied = 0;
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === MINUS || (code >= ZERO && code <= NINE)) {
      const end = endOfNumber(text, at);
      if (end > at && needsMark(text, at, end)) {
        pieces.push(`${text.slice(copied, at)}"${MARK}${text.slice(at, end)}"`);
        copied = end;
      }
      at = Math.max(end, at + 1);
    } else at++;
  }
  return copied === 0 ? undefined : pieces.join('') + text.slice(copied);
}

/** Index behind a string's closing quote, else the text's length. @param start index of its opening quote */
export function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let slashes = 0;
    while (text.charCodeAt(quote - 1 - slashes) === 0x5c) slashes++;
    if (slashes % 2 === 0) return quote + 1;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : start;
}

function needsMark(text: string, start: number, end: number): boolean {
  const literal = text.slice(start, end);
  if (isHeld(literal)) return false;
  let next = end;
  while (text.charCodeAt(next) <= BLANK) next++;
  // A member's name must be a string: a number that became one would make wrong JSON right.
  return text.charCodeAt(next) !== COLON;
}

/** True when a double holds the number; the library's thorough look is needed for few. */
function isHeld(literal: string): boolean {
  const hasExponent = EXPONENT.test(literal);
  if (literal.length <= SAFE_LENGTH && !hasExponent) return true;
  if (!hasExponent && !literal.includes('.')) return String(Number(literal)) === literal;
  return isSafeNumber(literal);
}

/** Makes numbers of the marked texts in a parsed value, in place. */
export function reviveNumbers(tree: JsonTree): JsonTree {
  if (typeof tree === 'string') return tree.startsWith(MARK) ? new ExactNumber(tree.slice(MARK.length)) : tree;
  if (Array.isArray(tree)) for (let at = 0; at < tree.length; at++) tree[at] = reviveNumbers(tree[at] ?? null);
  else if (typeof tree === 'object' && tree !== null) reviveMembers(tree as JsonObject);
  return tree;
}

function reviveMembers(object: JsonObject): void {
  for (const name of Object.keys(object)) {
    const value = object[name] ?? null;
    const revived = reviveNumbers(value);
    if (revived === value) continue;
    // An assignment is quicker, but would not keep the name `__proto__` a member.
    if (name !== '__proto__') object[name] = revived;
    else Object.defineProperty(object, name, { value: revived, writable: true, enumerable: true, configurable: true });
  }
}

/** Writes the literals of marked numbers into finished JSON text. */
export function unmarkNumbers(json: string): string {
  return json.includes(MARK) ? json.replace(MARKED_LITERAL, '$1') : json;
}
