import { compareNumber, isLosslessNumber } from 'lossless-json';
import { isJsonObject, type JsonObject, type JsonText, type JsonTree, parseJson } from './free-form.ts';

/**
 * True when two free-form texts mean the same: member order does not count, numbers compare by value (1 = 1.0), and a
 * null member differs from an absent one (contract 02 section 2.3).
 */
export function jsonEqual(a: JsonText, b: JsonText): boolean {
  return a === b || treesEqual(parseJson(a), parseJson(b));
}

/** The comparison of `jsonEqual` on parsed values. */
export function treesEqual(a: JsonTree, b: JsonTree): boolean {
  if (a === b) return true;
  if (isLosslessNumber(a) || isLosslessNumber(b)) return isNumeric(a) && isNumeric(b) && compareNumber(String(a), String(b)) === 0;
  if (Array.isArray(a)) return Array.isArray(b) && arraysEqual(a, b);
  return isJsonObject(a) && isJsonObject(b) && objectsEqual(a, b);
}

const isNumeric = (value: JsonTree): boolean => typeof value === 'number' || isLosslessNumber(value);

function arraysEqual(a: readonly JsonTree[], b: readonly JsonTree[]): boolean {
  return a.length === b.length && a.every((item, index) => treesEqual(item, b[index] ?? null));
}

function objectsEqual(a: JsonObject, b: JsonObject): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && treesEqual(a[name] ?? null, b[name] ?? null))
  );
}
