import { markNumbers } from './exact-numbers.ts';
import { InvalidJsonError, isJsonObject, type JsonObject, type JsonText, type JsonTree, toJsonText } from './free-form.ts';
import { type Excess, findExcess } from './excess.ts';
import { mayNeedLossless } from './number-literals.ts';

/** A text that holds more than is read of one (`LIMITS.bodyParts`). Never quotes the text. */
export class JsonTooLargeError extends Error {
  override readonly name = 'JsonTooLargeError';
  constructor() {
    super('JSON of too many parts');
  }
}

const ERRORS: { readonly [E in Excess]: () => Error } = {
  depth: () => new InvalidJsonError('depth'),
  parts: () => new JsonTooLargeError(),
};

/** A JSON object from outside: who checks it sees plain JSON, and what is kept of it are exact texts. */
export class SentObject {
  /** Plain JSON: every number is the nearest double, so that nothing but an object passes for an object. */
  readonly members: JsonObject;
  /** The text with exact numbers as marked strings, where it holds any. */
  readonly #marked: string | undefined;
  #exact: JsonObject | undefined;

  /** @param members of plain JSON; @param marked the same as text, from `markNumbers` */
  constructor(members: JsonObject, marked?: string) {
    this.members = members;
    this.#marked = marked;
  }

  /** A member as the text that is kept. */
  textOf(name: string): JsonText {
    return toJsonText(this.#member(name));
  }

  /** The items of a member that is a list. */
  textsOf(name: string): JsonText[] {
    const list = this.#member(name);
    return Array.isArray(list) ? list.map(toJsonText) : [];
  }

  #member(name: string): JsonTree {
    this.#exact ??= this.#marked === undefined ? this.members : (JSON.parse(this.#marked) as JsonObject);
    return this.#exact[name] ?? null;
  }
}

/**
 * The object that strict JSON text holds, undefined where it holds something else.
 * @param isKept whether texts of it will be kept; otherwise its numbers need not be exact
 * @throws InvalidJsonError, JsonTooLargeError
 */
export function readSentObject(text: string, mostParts: number, isKept: boolean): SentObject | undefined {
  const excess = findExcess(text, mostParts);
  if (excess) throw ERRORS[excess]();
  let tree: JsonTree;
  try {
    tree = JSON.parse(text) as JsonTree;
  } catch {
    throw new InvalidJsonError('syntax');
  }
  if (!isJsonObject(tree)) return undefined;
  return new SentObject(tree, isKept && mayNeedLossless(text) ? markNumbers(text) : undefined);
}
