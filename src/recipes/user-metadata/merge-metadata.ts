import { isJsonObject, type JsonObject, type JsonText, parseJson, toJsonText } from '../../json/free-form.ts';

/**
 * Merges at the top level only: a value replaces what stands under its name, null removes it, and what is further in is not looked at
 * (contract 05 section 3.2). Both texts hold objects, and so does the answer.
 */
export function mergeMetadata(stored: JsonText, update: JsonText): JsonText {
  const merged = objectIn(stored);
  for (const [name, value] of Object.entries(objectIn(update))) {
    if (value === null) delete merged[name];
    // Unlike an assignment, this makes an own member of the name `__proto__` too.
    else Object.defineProperty(merged, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return toJsonText(merged);
}

function objectIn(text: JsonText): JsonObject {
  const tree = parseJson(text);
  if (!isJsonObject(tree)) throw new Error('metadata is an object');
  return tree;
}
