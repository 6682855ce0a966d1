import { isLosslessNumber } from 'lossless-json';
import { findExcess, MAX_JSON_DEPTH, MAX_NUMBER_CHARS } from './parts.ts';
import { markNumbers, reviveNumbers, unmarkNumbers } from './exact-numbers.ts';
import { mayNeedLossless } from './number-literals.ts';
import type { JsonObject, JsonTree } from './tree.ts';

/**
 * A JSON object or value that belongs to the caller (session data, claims, metadata), kept as compact JSON text so that
 * integers up to 2^63 and every other literal survive. Made only by `src/json`.
 */
export type JsonText = string & { readonly __json: unique symbol };

/** A value inside a view that is written into the answer as it is. */
export class RawJson {
  readonly text: JsonText;
  constructor(text: JsonText) {
    this.text = text;
  }
}

/** What a view may build: JSON whose leaves may be free-form text. Members that are `undefined` are left out. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | RawJson
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

export type { JsonObject, JsonTree };

/** The empty object as free-form text. */
export const EMPTY_OBJECT = '{}' as JsonText;

export { MAX_JSON_DEPTH, MAX_NUMBER_CHARS };

const REASONS = {
  syntax: 'not JSON',
  depth: `JSON nests deeper than ${MAX_JSON_DEPTH}`,
  number: `a number is longer than ${MAX_NUMBER_CHARS} characters`,
} as const;

/**
 * The text is not strict JSON (`syntax`), nests deeper than `MAX_JSON_DEPTH` (`depth`), or has a number from outside
 * longer than `MAX_NUMBER_CHARS` (`number`). The message never quotes it: it may hold secrets.
 */
export class InvalidJsonError extends Error {
  override readonly name = 'InvalidJsonError';
  readonly reason: keyof typeof REASONS;
  constructor(reason: keyof typeof REASONS) {
    super(REASONS[reason]);
    this.reason = reason;
  }
}

/**
 * Reads strict JSON (RFC 8259, last duplicate wins); `LosslessNumber` where a double fails. @throws InvalidJsonError
 */
export function parseJson(text: string): JsonTree {
  const marked = mayNeedLossless(text) ? markNumbers(text) : undefined;
  return marked === undefined ? parsePlainJson(text) : reviveNumbers(parsePlainJson(marked));
}

/** `parseJson` for texts without free-form members: all numbers as nearest doubles. @throws InvalidJsonError */
export function parsePlainJson(text: string): JsonTree {
  if (isTooDeep(text)) throw new InvalidJsonError('depth');
  try {
    return JSON.parse(text) as JsonTree;
  } catch {
    throw new InvalidJsonError('syntax');
  }
}

/** The object that a text holds, or undefined where it holds something else or is not strict JSON. */
export function parseJsonObject(text: string): JsonObject | undefined {
  try {
    const tree = parseJson(text);
    return isJsonObject(tree) ? tree : undefined;
  } catch (error) {
    if (error instanceof InvalidJsonError) return undefined;
    throw error;
  }
}

/** True for objects; false for arrays, null, scalars and lossless numbers. */
export function isJsonObject(tree: JsonTree | undefined): tree is JsonObject {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree) && !isLosslessNumber(tree);
}

/** Compact JSON text of a parsed value. */
export function toJsonText(value: JsonTree): JsonText {
  return unmarkNumbers(JSON.stringify(value)) as JsonText;
}

/** Whether kept text holds an object; asked before use, as releases before 0.1.0 took huge numbers for objects. */
export function isObjectText(text: JsonText): boolean {
  return text.startsWith('{');
}

/** Kept text as an object: anything else counts as the empty one. */
export function asObjectText(text: JsonText): JsonText {
  return isObjectText(text) ? text : EMPTY_OBJECT;
}

/** Whether JSON text nests deeper than `MAX_JSON_DEPTH`; it need not be right JSON. */
function isTooDeep(text: string): boolean {
  // Two searches at the speed of memchr settle every ordinary text.
  if (text.length <= 2 * MAX_JSON_DEPTH || hasAtMostBrackets(text, MAX_JSON_DEPTH)) return false;
  return findExcess(text, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY) === 'depth';
}

function hasAtMostBrackets(text: string, limit: number): boolean {
  let left = limit;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      if (--left < 0) return false;
    }
  }
  return true;
}
