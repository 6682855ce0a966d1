import { type JsonValue, RawJson } from './free-form.ts';

/** Finds a character that JSON may write differently: a control character, a quote, a backslash or a surrogate. */
const NEEDS_ESCAPE = /[^ !#-[\]-\ud7ff\ue000-\uffff]/;
const LINE_SEPARATORS = /[\u2028\u2029]/g;

/**
 * Compact JSON text of an answer (contract 01 section 2.12): `RawJson` leaves are copied, `undefined` members are left
 * out (items become null), and U+2028 and U+2029 are escaped.
 */
export function stringifyAnswer(value: JsonValue): string {
  return escapeLineSeparators(write(value));
}

/** Escapes U+2028 and U+2029 in finished JSON text, where they can only stand inside strings. */
export function escapeLineSeparators(json: string): string {
  return json.search(LINE_SEPARATORS) < 0
    ? json
    : json.replace(LINE_SEPARATORS, (character) => (character === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** A JSON string literal. */
export function quote(text: string): string {
  return NEEDS_ESCAPE.test(text) ? JSON.stringify(text) : `"${text}"`;
}

function write(value: JsonValue): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (value === null || value === undefined) return 'null';
  if (value instanceof RawJson) return value.text;
  if (isList(value)) return `[${value.map(write).join(',')}]`;
  return writeObject(value);
}

// Array.isArray does not narrow a readonly array out of a union.
const isList = (value: readonly JsonValue[] | { readonly [name: string]: JsonValue }): value is readonly JsonValue[] =>
  Array.isArray(value);

function writeObject(object: { readonly [name: string]: JsonValue }): string {
  let text = '';
  for (const name of Object.keys(object)) {
    const value = object[name];
    if (value !== undefined) text += `${text === '' ? '{' : ','}${quote(name)}:${write(value)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}
