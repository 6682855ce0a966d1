/// <reference lib="es2024.string" />
import { addExtension, Packr } from 'msgpackr';
import { DamagedValue, digestOf, sumOf } from './checksum.ts';
import type { AppNumber, Key, TenantNumber } from './key.ts';

/** What the primary keys of a collection begin with: nothing, the app's number, or the app's and the tenant's. */
export type Scope = 'core' | 'app' | 'tenant';

/** The scope whose keys begin as these do. */
type ScopeOf<K extends Key> = K extends readonly [AppNumber, TenantNumber, ...Key]
  ? 'tenant'
  : K extends readonly [AppNumber, ...Key]
    ? 'app'
    : 'core';

/** A secondary index: a record stands under none, one or several keys. */
export interface IndexDefinition<R, K extends Key = Key> {
  /** 1 to 255, unique within the collection. */
  readonly id: number;
  /** At most one record may stand under a key. */
  readonly unique?: boolean;
  keys(record: R): readonly K[];
  /**
   * A whole number, 0 to 2^32 - 1, in the entries of a non-unique index, read without the record (`Reader.pageOfKeys`).
   * Entries are rewritten when it changes. Those of versions that knew of no note have none.
   */
  note?(record: R): number;
}

/** The keys of indexes by their names. */
export type IndexKeys = Readonly<Record<string, Key>>;

/**
 * What a collection is, declared once as data (contract of `src/store`).
 * Numbers of collections, indexes and fields are part of the stored format: they are never reused or reordered.
 * Functions stand as methods so that collections of different records fit into one `getMany`.
 */
export interface CollectionDefinition<R, K extends Key = Key, I extends IndexKeys = IndexKeys> {
  /** 1 to 999, unique in the product; the first component of every stored key. */
  readonly id: number;
  readonly name: string;
  readonly scope: Scope;
  /** Version of the stored values, 1 to 127. */
  readonly format: number;
  /** Position of each field in the stored value, from 1 (the format stands at 0); every field stands here once. */
  readonly fields: Readonly<Record<keyof R & string, number>>;
  /** The primary key, not empty; it begins with the numbers of the app and of the tenant, as `scope` says. */
  key(record: R): K;
  readonly indexes?: { readonly [N in keyof I]: IndexDefinition<R, I[N]> };
  /** Makes a current record from an older stored value: `stored[position]` holds a field, `stored[0]` the format. */
  upgrade?(format: number, stored: readonly unknown[]): R;
  /**
   * Mends a record that a fault of an earlier version may have written, for the next write to keep; returns others as
   * is. What indexes read must stay: their entries are found again by what was written.
   */
  repair?(record: R): R;
}

/** A declared collection of records `R` under primary keys `K`; made by `defineCollection`, read by the store alone. */
export interface Collection<R, K extends Key = Key, I extends IndexKeys = IndexKeys> extends CollectionDefinition<R, K, I> {
  /** @param key of the record, as it is stored */
  encode(record: R, key: Uint8Array): Uint8Array;
  /** @throws DamagedValue where `encode` did not make the bytes for this key, and `Error` where a newer version did */
  decode(bytes: Uint8Array, key: Uint8Array): R;
}

/** A collection of records of any kind, for work that goes over all data. */
export type AnyCollection = Collection<unknown>;

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

/** The one buffer that records are read from: msgpackr's preparing of another costs more than reading a record. */
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

/** Added to the format of values that end with their sum: versions that know of no sums see an unknown format. */
const WITH_SUM = 128;
/** How msgpack begins arrays of 16 elements and more, and numbers of one and of four bytes. */
const LONG_ARRAY = 0xdc;
const ONE_BYTE = 0xcc;
const FOUR_BYTES = 0xce;
/** The number stands for a sum that is not known yet: no smaller one takes four bytes. */
const NO_SUM = 0xffff_ffff;
const SUM_BYTES = 4;

/** Whether the value ends with its sum. Only then a byte stands before the format, which no single bit error makes. */
export function hasSum(bytes: Uint8Array): boolean {
  return bytes[bytes[0] === LONG_ARRAY ? 3 : 1] === ONE_BYTE;
}

function writeSum(key: Uint8Array, bytes: Buffer): Uint8Array {
  const sumAt = bytes.length - SUM_BYTES;
  bytes.writeUInt32BE(sumOf(key, bytes.subarray(0, sumAt)), sumAt);
  return bytes;
}

function isSumRight(key: Uint8Array, bytes: Uint8Array): boolean {
  const sumAt = bytes.length - SUM_BYTES;
  if (sumAt < 1 || bytes[sumAt - 1] !== FOUR_BYTES) return false;
  return Buffer.prototype.readUInt32BE.call(bytes, sumAt) === sumOf(key, bytes.subarray(0, sumAt));
}

/** The elements of a stored value, without what belongs to its sum. */
function readStored(name: string, bytes: Uint8Array, key: Uint8Array): readonly unknown[] {
  const isChecked = hasSum(bytes);
  if (isChecked && !isSumRight(key, bytes)) throw damaged(name, key);
  const stored = unpackOr(bytes, () => damaged(name, key));
  if (!Array.isArray(stored) || typeof stored[0] !== 'number') throw damaged(name, key);
  if (isChecked) {
    stored.pop();
    stored[0] -= WITH_SUM;
  }
  return stored;
}

function unpackOr(bytes: Uint8Array, fault: () => Error): unknown {
  try {
    return unpack(bytes);
  } catch {
    throw fault();
  }
}

function damaged(name: string, key: Uint8Array): DamagedValue {
  return new DamagedValue(`collection ${name}: the record ${digestOf(key)} is damaged`);
}

function upgradeStored<R>(definition: CollectionDefinition<R>, stored: readonly unknown[]): R {
  const { name, format } = definition;
  const found = Number(stored[0]);
  if (found > format)
    throw new Error(`collection ${name}: a stored value has format ${found}, but this version knows only ${format} and older`);
  if (!definition.upgrade) throw new Error(`collection ${name}: a stored value has format ${found}, which cannot be upgraded to ${format}`);
  return definition.upgrade(found, stored);
}

/**
 * Declares a collection. A stored value is the msgpack array `[format + 128, ...fields by position, sum]`; the sum is
 * that of all before it, and fields missing at the end are `undefined`. Older versions wrote `[format, ...fields]`.
 * `key` and the indexes give reads and ranges their types. @throws RangeError for numbers out of range or used twice
 */
export function defineCollection<R extends object, const K extends Key, const I extends IndexKeys>(
  definition: CollectionDefinition<R, K, I> & { readonly scope: ScopeOf<K> },
): Collection<R, K, I> {
  checkDefinition(definition);
  const { name, format } = definition;
  const slots = Object.entries<number>(definition.fields).toSorted((a, b) => a[1] - b[1]);

  const encode = (record: R, key: Uint8Array): Uint8Array => {
    const stored: unknown[] = [format + WITH_SUM];
    for (const [field, position] of slots) {
      while (stored.length < position) stored.push(null);
      stored.push(storable(record[field as keyof R]));
    }
    while (stored.at(-1) === undefined) stored.pop();
    stored.push(NO_SUM);
    return writeSum(key, values.pack(stored));
  };

  const read = (bytes: Uint8Array, key: Uint8Array): R => {
    const stored = readStored(name, bytes, key);
    if (stored[0] !== format) return upgradeStored(definition, stored);
    const record: Record<string, unknown> = {};
    for (const [field, position] of slots) record[field] = stored[position];
    return record as R;
  };

  const decode = (bytes: Uint8Array, key: Uint8Array): R => {
    const record = read(bytes, key);
    return definition.repair ? definition.repair(record) : record;
  };

  return { ...definition, encode, decode };
}
