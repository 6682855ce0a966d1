import type { ByteRange, Entry, Link } from './engine.ts';
import { DamagedValue, digestOf, unseal } from './checksum.ts';
import type { AnyCollection, Collection, IndexDefinition } from './collection.ts';
import {
  compareBytes,
  endOfPrefix,
  firstAfter,
  keyText,
  lendKey,
  makeKey,
  type NamedKey,
  NUMBER,
  RECORDS,
  readKey,
  SPACE_BYTES,
  STRING,
} from './keys.ts';
import type { Key, KeyOf, Range } from './store.ts';

/*
 * Where a record stands in the one key space:
 *
 *   record         [collection, 0] primary key               -> the encoded record
 *   unique index   [collection, index] index key             -> bytes of the primary key, sealed
 *   other index    [collection, index] index key primary key -> where in the key the primary key begins (two bytes),
 *                              what the index notes of the record (four bytes, where it notes anything), sealed
 *
 * A store begun by an older version has index entries that are not sealed: those of a unique index begin with the tag
 * of the primary key's first component, others have two bytes.
 */
const PLACE_BYTES = 2;
const NOTE_BYTES = 4;
const MOST_NOTE = 0xffff_ffff;

/** What an index holds for a record. */
export interface IndexEntry extends NamedKey {
  /** The name of the index when it is unique. */
  readonly unique: string | undefined;
  /** What it says, before it is sealed. */
  readonly content: Uint8Array;
}

/** The key of a record, lent until the next key is made. */
export function lendRecordKey<R>(collection: Collection<R>, key: Key): Uint8Array {
  return lendKey(collection.id, RECORDS, key);
}

/** The key of a record, to keep. */
export function recordKey<R>(collection: Collection<R>, key: Key): Uint8Array {
  if (key.length === 0) throw new RangeError(`collection ${collection.name}: a primary key has at least one component`);
  return makeKey(collection.id, RECORDS, key);
}

/** `recordKey` with its name. */
export function namedRecordKey<R>(collection: Collection<R>, primary: Key): NamedKey {
  const key = recordKey(collection, primary);
  return { name: keyText(key), key };
}

/** The key of the record whose primary key has these bytes. */
export function recordKeyOf<R>(collection: Collection<R>, primary: Uint8Array): Uint8Array {
  return makeKey(collection.id, RECORDS, [], primary);
}

/** The bytes of the primary key inside a record's key. */
export function primaryBytes(recordKey: Uint8Array): Uint8Array {
  return recordKey.subarray(SPACE_BYTES);
}

/** The declaration of an index; throws for a name that the collection does not have. */
export function indexOf<R>(collection: Collection<R>, name: string): IndexDefinition<R> {
  const index = collection.indexes?.[name];
  if (!index) throw new Error(`collection ${collection.name} has no index ${name}`);
  return index;
}

/** The key of a unique index, to keep. */
export function uniqueKey<R>(collection: Collection<R>, name: string, key: Key): Uint8Array {
  const index = indexOf(collection, name);
  if (!index.unique) throw new Error(`index ${name} of collection ${collection.name} is not unique`);
  return makeKey(collection.id, index.id, key);
}

function entryOf(
  collection: number,
  unique: string,
  index: IndexDefinition<never>,
  tuple: Key,
  primary: Uint8Array,
  note: number | undefined,
): IndexEntry {
  if (index.unique) {
    const key = makeKey(collection, index.id, tuple);
    return { unique, name: keyText(key), key, content: primary };
  }
  const key = makeKey(collection, index.id, tuple, primary);
  const place = placeInKey(key.length - primary.length);
  return { unique: undefined, name: keyText(key), key, content: note === undefined ? place : withNote(place, note) };
}

function withNote(place: Uint8Array, note: number): Uint8Array {
  const content = Buffer.allocUnsafe(PLACE_BYTES + NOTE_BYTES);
  content.set(place);
  content.writeUInt32BE(Math.min(note, MOST_NOTE), PLACE_BYTES);
  return content;
}

/** Contents of index entries; there are few different ones, each made once. */
const places: Uint8Array[] = [];

function placeInKey(at: number): Uint8Array {
  return (places[at] ??= Uint8Array.of(at >>> 8, at & 0xff));
}

/** All index entries of a record; a key that the record names twice is there twice. */
export function indexEntries<R>(collection: Collection<R>, record: R, primary: Uint8Array): IndexEntry[] {
  const entries: IndexEntry[] = [];
  const { indexes } = collection;
  for (const name in indexes) {
    const index = indexes[name];
    if (!index) continue;
    const note = index.note?.(record);
    for (const key of index.keys(record)) entries.push(entryOf(collection.id, name, index, key, primary, note));
  }
  return entries;
}

/** Bytes of the primary key that an entry leads to (without `index`: of a record's own). @throws DamagedValue */
export function primaryOfEntry<R>(collection: Collection<R>, index: IndexDefinition<R> | undefined, entry: Entry): Uint8Array {
  if (!index) return primaryBytes(entry.key);
  const content = contentOf(collection, index, entry);
  return index.unique ? content : primaryInKey(entry, content);
}

/** The key of the record that an index entry leads to. @throws DamagedValue */
export function recordKeyOfEntry({ collection, index }: Link, entry: Entry): Uint8Array {
  return recordKeyOf(collection, primaryOfEntry(collection, index, entry));
}

/** `primaryOfEntry`, with what the index notes of the record: nothing in older entries. @throws DamagedValue */
export function notedEntry<R>(
  collection: Collection<R>,
  index: IndexDefinition<R> | undefined,
  entry: Entry,
): { readonly primary: Uint8Array; readonly note: number | undefined } {
  if (!index || index.unique) return { primary: primaryOfEntry(collection, index, entry), note: undefined };
  const content = contentOf(collection, index, entry);
  const note = content.length < PLACE_BYTES + NOTE_BYTES ? undefined : Buffer.prototype.readUInt32BE.call(content, PLACE_BYTES);
  return { primary: primaryInKey(entry, content), note };
}

/** What an index entry says. */
function contentOf<R>(collection: Collection<R>, index: IndexDefinition<R>, entry: Entry): Uint8Array {
  const content = isOld(index.unique === true, entry.value) ? entry.value : unseal(entry.key, entry.value);
  if (!content) throw new DamagedValue(`collection ${collection.name}: the index entry ${digestOf(entry.key)} is damaged`);
  return content;
}

function primaryInKey({ key }: Entry, [high = 0, low = 0]: Uint8Array): Uint8Array {
  return key.subarray((high << 8) | low);
}

/** Whether the value of an index entry was written before there were sums. */
export function isOld(isUnique: boolean, value: Uint8Array): boolean {
  return isUnique ? value[0] === NUMBER || value[0] === STRING : value.length === PLACE_BYTES;
}

/** The components of an entry's key; `undefined` when a string among them is too long to be kept in keys. */
export function tupleOf(entry: Entry): Key | undefined {
  return readKey(entry.key, SPACE_BYTES);
}

/** The primary key in these bytes; `undefined` when a string in it is too long to be kept in keys. */
export function primaryKeyOf<C extends AnyCollection>(_collection: C, primary: Uint8Array): KeyOf<C> | undefined {
  return readKey(primary, 0) as KeyOf<C> | undefined;
}

/** The bytes between which a range of an index (or of the records) lies. */
export function byteRange<R>(collection: Collection<R>, index: IndexDefinition<R> | undefined, range: Range): ByteRange {
  if (!(range.limit >= 0)) throw new RangeError(`a range of collection ${collection.name} needs a limit`);
  const space = index ? index.id : RECORDS;
  const prefix = makeKey(collection.id, space, range.prefix);
  let start = prefix;
  let end = endOfPrefix(prefix);
  if (range.from) {
    const from = makeKey(collection.id, space, range.from);
    if (compareBytes(from, start) > 0) start = from;
  }
  if (range.until) {
    const until = makeKey(collection.id, space, range.until);
    if (compareBytes(until, end) < 0) end = until;
  }
  if (range.at && range.reverse) end = lesser(firstAfter(range.at.key), end);
  else if (range.at) start = compareBytes(range.at.key, start) > 0 ? range.at.key : start;
  return { start, end, limit: compareBytes(start, end) < 0 ? range.limit : 0, reverse: range.reverse === true };
}

const lesser = (a: Uint8Array, b: Uint8Array): Uint8Array => (compareBytes(a, b) < 0 ? a : b);
