/// <reference lib="es2024.string" />
import { addExtension, Packr } from 'msgpackr';
import type { Key } from './store.ts';

/** Where records of a collection belong: its primary key begins with nothing, with the app's number, or with the app's and the tenant's. */
export type Scope = 'core' | 'app' | 'tenant';

/** A secondary index: a record stands under none, one or several keys. */
export interface IndexDefinition<R> {
  /** 1 to 255, unique within the collection. */
  readonly id: number;
  /** At most one record may stand under a key. */
  readonly unique?: boolean;
  keys(record: R): readonly Key[];
}

/**
 * What a collection is, declared once as data (contract of `src/store`).
 * Numbers of collections, indexes and fields are part of the stored format: they are never reused or reordered.
 * Functions stand as methods so that collections of different records fit into one `getMany`.
 */
export interface CollectionDefinition<R> {
  /** 1 to 999, unique in the product; the first component of every stored key. */
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  /** Version of the stored values, 1 to 127. */
  readonly format: number;
  /** Position of each field in the stored value, from 1 (the format stands at 0); every field of the record stands here once. */
  readonly fields: Readonly<Record<keyof R & string, number>>;
  /** The primary key, at least one component. App-scoped records begin with the app's number, tenant-scoped ones with the app's and the tenant's. */
  key(record: R): Key;
  readonly indexes?: Readonly<Record<string, IndexDefinition<R>>>;
  /** Makes a record of the current format from the stored value of an older one: `stored[position]` holds a field, `stored[0]` the format. */
  upgrade?(format: number, stored: readonly unknown[]): R;
  /**
   * The sane reading of a record that a fault of an earlier version may have written; other records come back as they are. The next write keeps it.
   * It leaves alone what indexes read: their entries are found again by what was written.
   */
  repair?(record: R): R;
}

/** A declared collection; made by `defineCollection`, read by the store alone. */
export interface Collection<R> extends CollectionDefinition<R> {
  encode(record: R): Uint8Array;
  decode(bytes: Uint8Array): R;
}

/** Text that UTF-8 cannot hold (an unpaired surrogate), kept as UTF-16. */
class UnpairedText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

addExtension({
  Class: UnpairedText,
  type: 0x55,
  pack: (value: UnpairedText) => Buffer.from(value.text, 'utf16le'),
  unpack: (bytes: Buffer) => Buffer.from(bytes).toString('utf16le'),
});

const values = new Packr({ useRecords: false, moreTypes: false, copyBuffers: true });

/** msgpackr prepares a buffer at its first use, which costs more than reading a record: records are read from this one, prepared once. */
const desk = Buffer.alloc(16_384);

function unpack(bytes: Uint8Array): unknown {
  if (bytes.length > desk.length) return values.unpack(bytes);
  desk.set(bytes);
  return values.unpack(desk, bytes.length);
}

/** The value itself, or where a string in it is not well-formed, a copy in which that string survives the encoding. */
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.isWellFormed() ? value : new UnpairedText(value);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) {
    const items = value.map(storable);
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, storable(item)]));
}

function checkDefinition<R>(definition: CollectionDefinition<R>): void {
  const { id, name, format, fields, indexes = {} } = definition;
  const within = (number: number, least: number, most: number): boolean => Number.isInteger(number) && number >= least && number <= most;
  if (!within(id, 1, 999)) throw new RangeError(`collection ${name}: its number must be 1 to 999`);
  if (!within(format, 1, 127)) throw new RangeError(`collection ${name}: its format must be 1 to 127`);
  const positions: number[] = Object.values(fields);
  if (!positions.every((position) => within(position, 1, 999))) throw new RangeError(`collection ${name}: positions of fields begin at 1`);
  if (new Set(positions).size < positions.length) throw new RangeError(`collection ${name}: two fields share a position`);
  const numbers = Object.values(indexes).map((index) => index.id);
  if (!numbers.every((number) => within(number, 1, 255))) throw new RangeError(`collection ${name}: numbers of indexes must be 1 to 255`);
  if (new Set(numbers).size < numbers.length) throw new RangeError(`collection ${name}: two indexes share a number`);
}

function readStored(name: string, bytes: Uint8Array): readonly unknown[] {
  const stored: unknown = unpack(bytes);
  if (!Array.isArray(stored)) throw new Error(`collection ${name}: a stored value cannot be read`);
  return stored;
}

function upgradeStored<R>(definition: CollectionDefinition<R>, stored: readonly unknown[]): R {
  const { name, format } = definition;
  const [found] = stored;
  if (typeof found !== 'number') throw new Error(`collection ${name}: a stored value cannot be read`);
  if (found > format)
    throw new Error(`collection ${name}: a stored value has format ${found}, but this version knows only ${format} and older`);
  if (!definition.upgrade) throw new Error(`collection ${name}: a stored value has format ${found}, which cannot be upgraded to ${format}`);
  return definition.upgrade(found, stored);
}

/**
 * Declares a collection. The stored value of a record is the msgpack array `[format, ...fields by position]`;
 * fields missing at its end are `undefined`. Throws `RangeError` for numbers out of range or used twice.
 */
export function defineCollection<R extends object>(definition: CollectionDefinition<R>): Collection<R> {
  checkDefinition(definition);
  const { name, format } = definition;
  const slots = Object.entries<number>(definition.fields).toSorted((a, b) => a[1] - b[1]);

  const encode = (record: R): Uint8Array => {
    const stored: unknown[] = [format];
    for (const [field, position] of slots) {
      while (stored.length < position) stored.push(null);
      stored.push(storable(record[field as keyof R]));
    }
    while (stored.at(-1) === undefined) stored.pop();
    return values.pack(stored);
  };

  const read = (bytes: Uint8Array): R => {
    const stored = readStored(name, bytes);
    if (stored[0] !== format) return upgradeStored(definition, stored);
    const record: Record<string, unknown> = {};
    for (const [field, position] of slots) record[field] = stored[position];
    return record as R;
  };

  const decode = (bytes: Uint8Array): R => {
    const record = read(bytes);
    return definition.repair ? definition.repair(record) : record;
  };

  return { ...definition, encode, decode };
}
