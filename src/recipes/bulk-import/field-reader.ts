import { isLosslessNumber, type LosslessNumber } from 'lossless-json';
import { isJsonObject, type JsonObject, type JsonTree } from '../../json/free-form.ts';
import { trimBlanks } from '../normalise.ts';

/** The types that messages name, with what is read of each. */
interface Types {
  readonly string: string;
  /** A fraction is cut off. */
  readonly integer: number;
  readonly boolean: boolean;
  readonly object: JsonObject;
  readonly 'array of string': readonly string[];
  readonly 'array of object': readonly JsonObject[];
}

const isNumber = (value: JsonTree): value is number | LosslessNumber => typeof value === 'number' || isLosslessNumber(value);
const isText = (value: JsonTree): value is string => typeof value === 'string' && trimBlanks(value) !== '';
const every = <T extends JsonTree>(value: JsonTree, is: (item: JsonTree) => item is T): T[] | undefined =>
  Array.isArray(value) && value.every(is) ? value : undefined;

/** The value if it is of the type, else undefined; blank texts and null are of no type (contract 05 section 6.3). */
const READERS: { readonly [T in keyof Types]: (value: JsonTree) => Types[T] | undefined } = {
  string: (value) => (isText(value) ? value : undefined),
  // Adding 0 turns -0 into 0.
  integer: (value) => (isNumber(value) ? Math.trunc(Number(String(value))) + 0 : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  object: (value) => (isJsonObject(value) ? value : undefined),
  'array of string': (value) => every(value, isText),
  'array of object': (value) => every(value, isJsonObject),
};

/** Reads the members of one object of an import and keeps what is wrong with them, in order. */
export class FieldReader {
  readonly #object: JsonObject;
  readonly #suffix: string;
  readonly #errors: string[];

  /** @param suffix how messages about this object end; @param errors takes the messages */
  constructor(object: JsonObject, suffix: string, errors: string[]) {
    this.#object = object;
    this.#suffix = suffix;
    this.#errors = errors;
  }

  /** The member, if it is there; of another type it counts as absent. */
  optional<T extends keyof Types>(field: string, type: T, suffix: string = this.#suffix): Types[T] | undefined {
    if (!Object.hasOwn(this.#object, field)) return undefined;
    const read = READERS[type](this.#object[field] ?? null);
    if (read === undefined) this.#errors.push(`${field} should be of type ${type}${suffix}`);
    return read;
  }

  /** The member, which must be there. */
  required<T extends keyof Types>(field: string, type: T): Types[T] | undefined {
    if (Object.hasOwn(this.#object, field)) return this.optional(field, type);
    this.#errors.push(`${field} is required${this.#suffix}`);
    return undefined;
  }
}
