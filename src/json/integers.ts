import { isLosslessNumber } from 'lossless-json';
import { type JsonText, type JsonTree, parseJson } from './free-form.ts';

const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;
const NINETEEN_DIGITS = /[0-9]{19}/;
/** Longer integers are outside whatever their digits; converting millions of digits would take seconds. */
const MOST_DIGITS = 19;
const INTEGER = /^-?[0-9]+$/;

/**
 * True when an integer literal (no fraction, no exponent) in the text lies outside [-2^63, 2^63). Such claims cannot be
 * signed and are refused with 400 (contract 02 sections 1.7 and 7).
 */
export function hasIntegerBeyondInt64(text: JsonText): boolean {
  return NINETEEN_DIGITS.test(text) && holdsHugeInteger(parseJson(text));
}

function holdsHugeInteger(tree: JsonTree): boolean {
  if (typeof tree !== 'object' || tree === null) return false;
  if (isLosslessNumber(tree)) {
    if (!INTEGER.test(tree.value)) return false;
    if (tree.value.length > MOST_DIGITS + 1) return true;
    const value = BigInt(tree.value);
    return value < MIN_INT64 || value > MAX_INT64;
  }
  return (Array.isArray(tree) ? tree : Object.values(tree)).some(holdsHugeInteger);
}
