import type { MaybePromise } from './maybe-promise.ts';
import type { AnyCollection, Collection } from './collection.ts';
import type { AppNumber, Key, KeyPart, TenantNumber } from './key.ts';

export type { AppNumber, Key, KeyPart, TenantNumber };

/** The records of a collection. */
export type RecordOf<C extends AnyCollection> = ReturnType<C['decode']>;

/** The primary keys of a collection. */
export type KeyOf<C extends AnyCollection> = ReturnType<C['key']>;

/** The keys of the indexes of a collection, by their names. */
export type IndexKeysOf<C extends AnyCollection> = C extends Collection<infer _R, infer _K, infer I> ? I : never;

/** The names of the indexes of a collection. */
export type IndexOf<C extends AnyCollection> = keyof IndexKeysOf<C> & string;

/** In which order to read: that of an index, or with `undefined` that of primary keys. */
export type Order<C extends AnyCollection> = IndexOf<C> | undefined;

/** The whole keys in an order: in that of an index its own, and then the primary one. */
export type KeyIn<C extends AnyCollection, N> = N extends keyof IndexKeysOf<C> ? readonly [...IndexKeysOf<C>[N], ...KeyOf<C>] : KeyOf<C>;

/** One read of a `getMany`: a record by its primary key. */
export interface Read<C extends AnyCollection> {
  readonly collection: C;
  readonly key: KeyOf<C>;
}

/** What reads of these collections find. */
export type Found<C extends readonly AnyCollection[]> = { -readonly [I in keyof C]: RecordOf<C[I]> | undefined };

/** The first components of a key, or all: what a range of such keys begins with. */
export type Leading<K extends Key> =
  | readonly []
  | (K extends readonly [...infer Rest extends Key, KeyPart] ? K | Leading<Readonly<Rest>> : K);

/** A record with its stored bytes, so that asking again is cheap and an unchanged one is not decoded again. */
export interface Seen<R> {
  readonly record: R;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Where the next page of a range begins, in the order of all keys of the store. Only the store looks inside. */
export interface Cursor {
  readonly key: Uint8Array;
}

/** Where a range of keys begins or ends; its last component may be one that no key has. */
export type Bound<K extends Key> = Leading<K> | readonly [...Leading<K>, KeyPart];

/** A bounded piece of an index or of a collection, in key order. */
export interface Range<K extends Key = Key> {
  /** Only keys that begin with these components. */
  readonly prefix: Leading<K>;
  /** Only keys at or after this one (full key, including the prefix). */
  readonly from?: Bound<K>;
  /** Only keys before this one (full key). */
  readonly until?: Bound<K>;
  /** Only what lies at or behind this place; one that lies before the range changes nothing. */
  readonly at?: Cursor;
  /** At most so many; required, because nothing in this product scans without a limit. */
  readonly limit: number;
  /** From the end towards the beginning. */
  readonly reverse?: boolean;
}

/** What a count goes over: a piece of an index or of a collection, as in `Range`. */
export type Bounds<K extends Key = Key> = Pick<Range<K>, 'prefix' | 'from' | 'until'>;

/** A primary key with what an index notes of its record. */
export interface Noted<K extends Key = Key> {
  readonly key: K;
  /** `undefined` except in the order of a non-unique index, and for entries of versions that knew of no note. */
  readonly note: number | undefined;
}

/** A page of a range. */
export interface Page<T> {
  readonly items: readonly T[];
  /** None at the end of the range. */
  readonly next: Cursor | undefined;
}

/** Pages of one snapshot, held until the last page is read or `return` is called: one of the two must happen. */
export interface Pages<T> extends AsyncIterableIterator<T, undefined> {
  return(): Promise<IteratorResult<T, undefined>>;
}

/** Keeps the snapshot that some pages read for as long as they are asked for; once in a `readPages`. */
export type HoldPages = <T>(pages: AsyncIterable<T>) => Pages<T>;

/** Reads from one consistent snapshot. */
export interface Reader {
  get<R, K extends Key>(collection: Collection<R, K>, key: NoInfer<K>): MaybePromise<R | undefined>;
  /** Reads that do not depend on each other, in one round trip. */
  getMany<const C extends readonly AnyCollection[]>(reads: { readonly [I in keyof C]: Read<C[I]> }): MaybePromise<Found<C>>;
  /** Like `get`, with what `getAgain` needs. */
  getSeen<R, K extends Key>(collection: Collection<R, K>, key: NoInfer<K>): MaybePromise<Seen<R> | undefined>;
  /**
   * The record under the key of `seen`: the same object while the stored bytes are unchanged. As new as the snapshot
   * must be; yet a commit by another process just as the snapshot begins may show in other reads and not here.
   */
  getAgain<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<Seen<R> | undefined>;
  /** The record that owns a key of a unique index. */
  find<C extends AnyCollection, N extends IndexOf<C>>(
    collection: C,
    index: N,
    key: IndexKeysOf<C>[N],
  ): MaybePromise<RecordOf<C> | undefined>;
  /** Primary keys, in primary key order, or in the order of `index`. */
  keys<C extends AnyCollection, N extends Order<C>>(collection: C, index: N, range: Range<KeyIn<C, N>>): MaybePromise<KeyOf<C>[]>;
  /** Records, in primary key order, or in the order of `index`. */
  list<C extends AnyCollection, N extends Order<C>>(collection: C, index: N, range: Range<KeyIn<C, N>>): MaybePromise<RecordOf<C>[]>;
  /** Whole keys of a non-unique index: index key, then primary key. Its texts must be short enough to stand in full. */
  entries<C extends AnyCollection, N extends IndexOf<C>>(collection: C, index: N, range: Range<KeyIn<C, N>>): MaybePromise<KeyIn<C, N>[]>;
  /** `list`, and where it goes on. */
  page<C extends AnyCollection, N extends Order<C>>(collection: C, index: N, range: Range<KeyIn<C, N>>): MaybePromise<Page<RecordOf<C>>>;
  /** `keys`, with what a non-unique index notes of each record, and where it goes on. */
  pageOfKeys<C extends AnyCollection, N extends Order<C>>(
    collection: C,
    index: N,
    range: Range<KeyIn<C, N>>,
  ): MaybePromise<Page<Noted<KeyOf<C>>>>;
  /** How many entries there are, as the engine counts them; may take turns of the event loop: not for `readShared`. */
  count<C extends AnyCollection, N extends Order<C>>(collection: C, index: N, bounds: Bounds<KeyIn<C, N>>): MaybePromise<number>;
}

/** Records to be deleted that are too many for one transaction. */
export interface Doomed {
  readonly collection: Collection<unknown>;
  /** Of the prefix; none where it is one of primary keys. */
  readonly index: string | undefined;
  readonly prefix: Key;
  /** Primary key of a record that stays. */
  readonly spared: Key | undefined;
}

/**
 * Reads and buffered writes of one serialisable transaction. A transaction sees its own writes.
 * The body may run several times: it holds reads, decisions and writes only.
 */
export interface Transaction extends Reader {
  /**
   * The record under a key of which the caller knows from an earlier snapshot: as it was seen, `undefined` for none. A
   * first run takes that for granted without a read, and the commit checks it; runs after a conflict read.
   */
  recall<R, K extends Key>(collection: Collection<R, K>, key: NoInfer<K>, seen: Seen<R> | undefined): MaybePromise<R | undefined>;
  /**
   * Writes a record and keeps its indexes. Answers the name of the unique index whose key another record owns,
   * in which case nothing was written; `undefined` when written.
   */
  put<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined>;
  /** `put` for a record known to be new (a random id): saves the read; the commit still checks that the key is free. */
  insert<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined>;
  /** Removes a record with its index entries; answers whether it existed. */
  delete<R, K extends Key>(collection: Collection<R, K>, key: NoInfer<K>): MaybePromise<boolean>;
  /** `delete` for a record as seen, which saves reading it; `false`, with no effect, if it has changed or is gone. */
  deleteSeen<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<boolean>;
  /** False when the transaction has become so large that others would wait for it. */
  hasRoom(): boolean;
  /** Tells other processes of the commit at once where the store can: they remember what it changes, and poll. */
  announce(): void;
  /** Deletes records in transactions of their own, then runs the body anew, keeping nothing so far (`deleteUnder`). */
  deleteFirst(doomed: Doomed): void;
}

export interface StoreStats {
  readonly commits: number;
  readonly conflicts: number;
  /** Transactions that ran alone because they lost too many conflicts. */
  readonly exclusive: number;
}

/** Who reads the store at the moment, in all processes. */
export interface ReaderStats {
  /** Snapshots that are held. */
  readonly count: number;
  /** The commit that the oldest sees, none without readers. What it sees cannot be overwritten, so the store grows. */
  readonly oldest: number | undefined;
  /** The number of the latest commit. */
  readonly latest: number;
}

/** Room that a store takes, in bytes. */
export interface StoreSize {
  /** All of it, what is free within included. */
  readonly bytes: number;
  /** Left by what was removed, for what is written next; undefined where the engine does not tell. */
  readonly freeBytes?: number;
  /** Of its disk, for everybody; undefined where that is not ours to see. */
  readonly diskFreeBytes?: number;
}

/** The engine could not keep a transaction (full disk, lost database): nothing of it was kept; `cause` tells why. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** The door to what is kept. Rejects with `NotKept`, or `StoreUnavailable`, which says whether anything was kept. */
export interface Store {
  /** Runs `body` on a snapshot at least as new as every commit acknowledged before the call. */
  read<T>(body: (reader: Reader) => T): T;
  /** Like `read`, for a few small reads on a shared snapshot, as new as `Engine.shared` says; spares making one. */
  readShared<T>(body: (reader: Reader) => T): T;
  /**
   * Like `read`, for too much to read at once: pages given to `hold` go on in the same snapshot while they are asked
   * for. Meanwhile the store grows by all that is written, so whoever asks for the pages has a time limit.
   */
  readPages<R>(body: (reader: Reader, hold: HoldPages) => MaybePromise<R>): Promise<R>;
  /** Runs `body`, commits its writes atomically and resolves with its result once durable. Conflicts run it again. */
  transact<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<T>;
  stats(): StoreStats;
  /** Ms since the epoch by the clock of the store, for leases; undefined where all who share it share a machine's. */
  time(): Promise<number> | undefined;
  /** What keeps writes from being kept, in one line without secrets; undefined where nothing does. Never waits. */
  blockedBy(): string | undefined;
  /** Lets go of what killed processes were reading, and tells who else reads; nothing where the engine has no lists. */
  readers(): ReaderStats | undefined;
  /** Nothing where the store is in memory. */
  size?(): MaybePromise<StoreSize | undefined>;
  close(): Promise<void>;
}
