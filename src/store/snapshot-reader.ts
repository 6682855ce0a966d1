import { DamagedValue, digestOf } from './checksum.ts';
import type { AnyCollection, Collection } from './collection.ts';
import type { Entry, Linked, SeenKey, Source } from './engine.ts';
import {
  byteRange,
  indexOf,
  lendRecordKey,
  notedEntry,
  primaryKeyOf,
  primaryOfEntry,
  recordKey,
  recordKeyOf,
  tupleOf,
  uniqueKey,
} from './layout.ts';
import { type MaybePromise, whenReady } from './maybe-promise.ts';
import type { Bounds, Cursor, Found, IndexOf, Key, KeyIn, KeyOf, Noted, Page, Range, Read, Reader, RecordOf, Seen } from './store.ts';

/** Typed reads over a source of bytes. */
export class SnapshotReader implements Reader {
  readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }

  get<R>(collection: Collection<R>, key: Key): MaybePromise<R | undefined> {
    const lent = lendRecordKey(collection, key);
    const bytes = this.source.get(lent);
    if (bytes instanceof Promise) return bytes.then((found) => decodeOrNone(collection, recordKey(collection, key), found));
    return decodeOrNone(collection, lent, bytes);
  }

  getMany<const C extends readonly AnyCollection[]>(reads: { readonly [I in keyof C]: Read<C[I]> }): MaybePromise<Found<C>> {
    const asked = reads.map((read) => ({ collection: read.collection, key: recordKey(read.collection, read.key) }));
    return whenReady(this.source.getMany(asked.map(({ key }) => key)), (values) => {
      const records: unknown = asked.map(({ collection, key }, at) => decodeOrNone(collection, key, values[at]));
      return records as Found<C>;
    });
  }

  getSeen<R>(collection: Collection<R>, key: Key): MaybePromise<Seen<R> | undefined> {
    const keyBytes = recordKey(collection, key);
    return whenReady(this.source.get(keyBytes), (bytes) => (bytes ? this.#stamp(collection, keyBytes, bytes) : undefined));
  }

  getAgain<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<Seen<R> | undefined> {
    const bytes = this.source.getAgain(seen);
    if (bytes === seen.bytes) return seen;
    if (bytes === undefined) return undefined;
    return whenReady(bytes, (found) => {
      if (found === seen.bytes) return seen;
      return found ? this.#stamp(collection, seen.key, found) : undefined;
    });
  }

  find<C extends AnyCollection>(collection: C, index: string, key: Key): MaybePromise<RecordOf<C> | undefined> {
    const link = { collection, index: indexOf(collection, index) };
    return whenReady(this.source.linkedAt(uniqueKey(collection, index, key), link), (found) => found && present(collection, found));
  }

  keys<C extends AnyCollection>(collection: C, index: string | undefined, range: Range): MaybePromise<KeyOf<C>[]> {
    return whenReady(this.#primaries(collection, index, range), (primaries) => this.#keysOf(collection, primaries));
  }

  list<C extends AnyCollection>(collection: C, index: string | undefined, range: Range): MaybePromise<RecordOf<C>[]> {
    if (index === undefined)
      return whenReady(this.#entries(collection, undefined, range), (entries) => entries.map((entry) => present(collection, entry)));
    return whenReady(this.#linked(collection, index, range), (found) => found.map((one) => present(collection, one)));
  }

  entries<C extends AnyCollection, N extends IndexOf<C>>(collection: C, index: N, range: Range): MaybePromise<KeyIn<C, N>[]> {
    const definition = indexOf(collection, index);
    if (definition.unique) throw new Error(`index ${index} of collection ${collection.name} is unique`);
    return whenReady(this.#entries(collection, index, range), (entries) =>
      entries.map((entry) => {
        primaryOfEntry(collection, definition, entry);
        const key = tupleOf(entry);
        if (!key) throw new Error(`collection ${collection.name}: a text in index ${index} is too long to be read from its key`);
        return key as KeyIn<C, N>;
      }),
    );
  }

  page<C extends AnyCollection>(collection: C, index: string | undefined, range: Range): MaybePromise<Page<RecordOf<C>>> {
    const { limit } = range;
    const more = { ...range, limit: limit + 1 };
    if (index === undefined)
      return whenReady(this.#entries(collection, undefined, more), (entries) => ({
        items: entries.slice(0, limit).map((entry) => present(collection, entry)),
        next: cursorAt(entries[limit]),
      }));
    return whenReady(this.#linked(collection, index, more), (found) => ({
      items: found.slice(0, limit).map((one) => present(collection, one)),
      next: cursorAt(found[limit]?.entry),
    }));
  }

  pageOfKeys<C extends AnyCollection>(collection: C, index: string | undefined, range: Range): MaybePromise<Page<Noted<KeyOf<C>>>> {
    const { limit } = range;
    const definition = index === undefined ? undefined : indexOf(collection, index);
    return whenReady(this.#entries(collection, index, { ...range, limit: limit + 1 }), (entries) => {
      const noted = entries.slice(0, limit).map((entry) => notedEntry(collection, definition, entry));
      const primaries = noted.map(({ primary }) => primary);
      return whenReady(this.#keysOf(collection, primaries), (keys) => ({
        items: keys.map((key, at) => ({ key, note: noted[at]?.note })),
        next: cursorAt(entries[limit]),
      }));
    });
  }

  count<R>(collection: Collection<R>, index: string | undefined, bounds: Bounds): MaybePromise<number> {
    const definition = index === undefined ? undefined : indexOf(collection, index);
    const { start, end, limit } = byteRange(collection, definition, { ...bounds, limit: 1 });
    return limit === 0 ? 0 : this.source.count({ start, end });
  }

  /** With copies: what was seen is kept for long, and the engine's bytes may share a larger piece of memory. */
  #stamp<R>(collection: Collection<R>, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return this.source.stamp(collection.decode(bytes, key), new Uint8Array(key), new Uint8Array(bytes));
  }

  #entries<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<readonly Entry[]> {
    const bounds = byteRange(collection, index === undefined ? undefined : indexOf(collection, index), range);
    return bounds.limit === 0 ? [] : this.source.range(bounds);
  }

  #linked<R>(collection: Collection<R>, index: string, range: Range): MaybePromise<readonly Linked[]> {
    const link = { collection, index: indexOf(collection, index) };
    const bounds = byteRange(collection, link.index, range);
    return bounds.limit === 0 ? [] : this.source.linked(bounds, link);
  }

  #primaries<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<Uint8Array[]> {
    const definition = index === undefined ? undefined : indexOf(collection, index);
    return whenReady(this.#entries(collection, index, range), (entries) =>
      entries.map((entry) => primaryOfEntry(collection, definition, entry)),
    );
  }

  /** Primary keys from their bytes; where a string is too long to be kept in keys, from the records. */
  #keysOf<C extends AnyCollection>(collection: C, primaries: readonly Uint8Array[]): MaybePromise<KeyOf<C>[]> {
    const keys = primaries.map((primary) => primaryKeyOf(collection, primary));
    if (keys.every((key) => key !== undefined)) return keys;
    return whenReady(this.#records(collection, primaries), (records) => records.map((record) => collection.key(record) as KeyOf<C>));
  }

  #records<R>(collection: Collection<R>, primaries: readonly Uint8Array[]): MaybePromise<R[]> {
    if (primaries.length === 0) return [];
    const keys = primaries.map((primary) => recordKeyOf(collection, primary));
    return whenReady(this.source.getMany(keys), (values) => keys.map((key, at) => present(collection, { key, value: values[at] })));
  }
}

/** A page that begins with this entry. A cursor may be kept, so its key is a copy: the engine's share larger memory. */
function cursorAt(entry: Entry | undefined): Cursor | undefined {
  return entry && { key: new Uint8Array(entry.key) };
}

function decodeOrNone<R>(collection: Collection<R>, key: Uint8Array, bytes: Uint8Array | undefined): R | undefined {
  return bytes ? collection.decode(bytes, key) : undefined;
}

/** The record that an index entry promised. */
function present<C extends AnyCollection>(collection: C, { key, value }: SeenKey): RecordOf<C> {
  if (!value) throw new DamagedValue(`collection ${collection.name}: an index leads to the record ${digestOf(key)}, which is not there`);
  return collection.decode(value, key) as RecordOf<C>;
}
