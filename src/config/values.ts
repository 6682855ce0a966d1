import { isLosslessNumber } from 'lossless-json';
import type { Option } from './option.ts';
import type { OPTIONS, OptionName } from './options.ts';

/** The values of all options under their names: plain data that crosses threads. */
export type Config = { readonly [K in OptionName]: (typeof OPTIONS)[K]['initial'] };

type Widened<V> = V extends string ? string : V;

/** A configuration whose values have the right types but have not passed the rules; enums may hold any text. */
export type Candidate = { [K in OptionName]: Widened<Config[K]> };

/** A candidate before its types are known. */
export type Values = { [K in OptionName]: unknown };

/** What `coerce` answers for a value of the wrong type. */
export const MISMATCH: unique symbol = Symbol('mismatch');

type Scalar = string | number | bigint | boolean;

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INT_MAX = 2 ** 31 - 1;
const INT_MIN = -(2 ** 31);
const LONG_MAX = 2 ** 63;

function numberOf(value: Scalar): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && DECIMAL.test(value) ? Number(value) : Number.NaN;
}

const asInteger =
  (least: number, most: number) =>
  (value: Scalar): unknown => {
    const number = numberOf(value);
    return Number.isInteger(number) && number >= least && number <= most ? number : MISMATCH;
  };

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

const namesOf = (texts: readonly string[]): readonly string[] => texts.map((text) => text.trim()).filter((text) => text !== '');

/** How each type reads a scalar (contract 01 section 10.1 item 3). */
const READERS = {
  int: asInteger(INT_MIN, INT_MAX),
  // Beyond 2^53 a number is the nearest double: such lifetimes mean "for ever".
  long: asInteger(-LONG_MAX, LONG_MAX),
  double: (value) => {
    const number = numberOf(value);
    return Number.isFinite(number) ? number : MISMATCH;
  },
  boolean: (value) => BOOLEANS.get(String(value).toLowerCase()) ?? MISMATCH,
  string: (value) => String(value),
  enum: (value, option) => {
    const text = String(value).trim();
    return option.values?.find((known) => known.toLowerCase() === text.toLowerCase()) ?? text;
  },
  keys: (value) => {
    const keys = String(value)
      .split(',')
      .map((key) => key.trim());
    // What a comma at the end leaves behind is no key; an empty one elsewhere is a short key.
    while (keys.length > 1 && keys.at(-1) === '') keys.pop();
    return keys.toSorted();
  },
  list: (value) => namesOf(String(value).split(',')),
} as const satisfies Record<string, (value: Scalar, option: Option<unknown>) => unknown>;

/** Reads a value as an option's type, else `MISMATCH`. `null` is the default, or for nullable options null. */
export function coerce(option: Option<unknown>, value: unknown): unknown {
  if (value === null || value === undefined) return option.nullable ? null : option.initial;
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return READERS[option.type](value, option);
    default:
      if (option.type === 'list' && Array.isArray(value))
        return value.every((item) => typeof item === 'string') ? namesOf(value) : MISMATCH;
      // What `src/json` keeps by its text because a JavaScript number would change it.
      return isLosslessNumber(value) ? READERS[option.type](String(value), option) : MISMATCH;
  }
}

const TEXTUAL: ReadonlySet<string> = new Set(['enum', 'keys', 'list']);

/** The text for a value that `coerce` could not read; the nullable number's type has another name in the contract. */
export function mismatchText(key: string, option: Option<unknown>): string {
  const typeName = option.type === 'int' && option.nullable ? 'Integer' : TEXTUAL.has(option.type) ? 'string' : option.type;
  return `'${key}' must be of type ${typeName}`;
}
