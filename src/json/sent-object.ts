import { markNumbers } from './exact-numbers.ts';
import { InvalidJsonError, isJsonObject, type JsonObject, type JsonText, type JsonTree, toJsonText } from './free-form.ts';
import { type Excess, findExcess, MAX_NUMBER_CHARS } from './parts.ts';
import { mayNeedLossless } from './number-literals.ts';

/** A text that holds more than is read (`LIMITS.bodyParts`). The message never quotes it. */
export class JsonTooLargeError extends Error {
  override readonly name = 'JsonTooLargeError';
  constructor() {
    super('JSON of too many parts');
  }
}

const ERRORS: { readonly [E in Excess]: () => Error } = {
  depth: () => new InvalidJsonError('depth'),
  number: () => new InvalidJsonError('number'),
  parts: () => new JsonTooLargeError(),
};

/** A JSON object from outside: checks see plain JSON, and what is kept is exact text. */
export class SentObject {
  /** Plain JSON: every number is the nearest double, so that only objects pass for objects. */
  readonly members: JsonObject;
  readonly #text: string;
  #exact: JsonObject | undefined;

  /** @param members of plain JSON; @param text they were read from; empty where they hold no numbers */
  constructor(members: JsonObject, text = '') {
    this.members = members;
    this.#text = text;
  }

  /** Whether a member's text is certainly longer than that; found without making the text, which is slower. */
  isLonger(name: string, most: number): boolean {
    return this.#text.length > most && charactersIn(this.members[name] ?? null) > most;
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

  /** The member, with numbers that a double cannot hold as marked texts, which finished text shows as numbers. */
  #member(name: string): JsonTree {
    this.#exact ??= exactMembers(this.members, this.#text);
    return this.#exact[name] ?? null;
  }
}

function exactMembers(members: JsonObject, text: string): JsonObject {
  const marked = mayNeedLossless(text) ? markNumbers(text) : undefined;
  return marked === undefined ? members : (JSON.parse(marked) as JsonObject);
}

/** Characters of all names and strings. */
function charactersIn(tree: JsonTree): number {
  if (typeof tree === 'string') return tree.length;
  if (Array.isArray(tree)) return tree.reduce<number>((sum, item) => sum + charactersIn(item), 0);
  if (!isJsonObject(tree)) return 0;
  return Object.entries(tree).reduce((sum, [name, value]) => sum + name.length + charactersIn(value), 0);
}

/** The object in strict JSON text; undefined for other values. @throws InvalidJsonError, JsonTooLargeError */
export function readSentObject(text: string, mostParts: number): SentObject | undefined {
  const excess = findExcess(text, mostParts, MAX_NUMBER_CHARS);
  if (excess) throw ERRORS[excess]();
  let tree: JsonTree;
  try {
    tree = JSON.parse(text) as JsonTree;
  } catch {
    throw new InvalidJsonError('syntax');
  }
  return isJsonObject(tree) ? new SentObject(tree, text) : undefined;
}
