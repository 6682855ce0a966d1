import type { Collection } from './collection.ts';
import type { Key, KeyPart } from './key.ts';

export type { Key, KeyPart };

/** Engines whose data is mapped into memory answer at once; a database over the network answers with a promise. */
export type MaybePromise<T> = T | Promise<T>;

/** One read of a `getMany`: a record by its primary key. */
export interface Read<R> {
  readonly collection: Collection<R>;
  readonly key: Key;
}

/** A record with the bytes of its key and value, so that it can be asked for again cheaply and an unchanged one is not decoded again. */
export interface Seen<R> {
  readonly record: R;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
}

/** Where the next page of a range begins. Only the store looks inside. */
export interface Cursor {
  readonly key: Uint8Array;
}

/** A bounded piece of an index or of a collection, in key order. */
export interface Range {
  /** Only keys that begin with these components. */
  readonly prefix: Key;
  /** Only keys at or after this one (full key, including the prefix). */
  readonly from?: Key;
  /** Only keys before this one (full key). */
  readonly until?: Key;
  /** Only what a page of the same range, in the same direction, left over. */
  readonly at?: Cursor;
  /** At most so many; required, because nothing in this product scans without a limit. */
  readonly limit: number;
  /** From the end towards the beginning. */
  readonly reverse?: boolean;
}

/** What a count goes over: a piece of an index or of a collection, as in `Range`. */
export type Bounds = Pick<Range, 'prefix' | 'from' | 'until'>;

/** A primary key with what an index notes of its record. */
export interface Noted {
  readonly key: Key;
  /** `undefined` in other orders than that of a non-unique index, and where a version wrote the entry that knew of no note. */
  readonly note: number | undefined;
}

/** A page of a range. */
export interface Page<T> {
  readonly items: readonly T[];
  /** None at the end of the range. */
  readonly next: Cursor | undefined;
}

/** Pages of one snapshot, which is held until the last page was read or `return` was called: one of the two must happen. */
export interface Pages<T> extends AsyncIterableIterator<T, undefined> {
  return(): Promise<IteratorResult<T, undefined>>;
}

/** Keeps the snapshot that some pages read for as long as they are asked for; once in a `readPages`. */
export type HoldPages = <T>(pages: AsyncIterable<T>) => Pages<T>;

/** Reads from one consistent snapshot. */
export interface Reader {
  get<R>(collection: Collection<R>, key: Key): MaybePromise<R | undefined>;
  /** Reads that do not depend on each other, in one round trip. */
  getMany<const T extends readonly Read<unknown>[]>(
    reads: T,
  ): MaybePromise<{ -readonly [I in keyof T]: T[I] extends Read<infer R> ? R | undefined : never }>;
  /** Like `get`, with what `getAgain` needs. */
  getSeen<R>(collection: Collection<R>, key: Key): MaybePromise<Seen<R> | undefined>;
  /**
   * The record under the key of `seen`: `seen` itself (the same object) while the stored bytes have not changed. It is as new as the snapshot has to be,
   * but a commit that another process makes in the moment in which the snapshot begins may show in other reads of it and not here.
   */
  getAgain<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<Seen<R> | undefined>;
  /** The record that owns a key of a unique index. */
  find<R>(collection: Collection<R>, index: string, key: Key): MaybePromise<R | undefined>;
  /** Primary keys, in primary key order, or in the order of `index`. */
  keys<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<Key[]>;
  /** Records, in primary key order, or in the order of `index`. */
  list<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<R[]>;
  /** The whole keys of a non-unique index, each the index key and then the primary key; its texts must be short enough to stand in keys as they are. */
  entries<R>(collection: Collection<R>, index: string, range: Range): MaybePromise<Key[]>;
  /** `list`, and where it goes on. */
  page<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<Page<R>>;
  /** `keys`, with what a non-unique index notes of each record, and where it goes on. */
  pageOfKeys<R>(collection: Collection<R>, index: string | undefined, range: Range): MaybePromise<Page<Noted>>;
  /** How many entries there are, as the engine counts them; it may take turns of the event loop, so not for `readShared`. */
  count<R>(collection: Collection<R>, index: string | undefined, bounds: Bounds): MaybePromise<number>;
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
   * Writes a record and keeps its indexes. Answers the name of the unique index whose key another record owns,
   * in which case nothing was written; `undefined` when written.
   */
  put<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined>;
  /** `put` for a record that the caller knows to be new (a random id): saves the read; the commit still checks that the key was free. */
  insert<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined>;
  /** Removes a record with its index entries; answers whether it existed. */
  delete<R>(collection: Collection<R>, key: Key): MaybePromise<boolean>;
  /** `delete` for a record that is as it was seen, which saves reading it anew; `false`, and nothing is removed, where it has changed or is gone. */
  deleteSeen<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<boolean>;
  /** False when the transaction has become so large that others would wait for it. */
  hasRoom(): boolean;
  /** Has records deleted by transactions of their own. Nothing of this run is kept; the body runs again when they are gone. See `deleteUnder`. */
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
  /** The number of the commit that the oldest of them sees; none where nobody reads. Nothing that it sees can be written over, so the store grows meanwhile. */
  readonly oldest: number | undefined;
  /** The number of the latest commit. */
  readonly latest: number;
}

/** The engine could not keep a transaction (a full disk, a lost database): nothing of it was kept; `cause` tells why. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** The one door to what is kept. A transaction that the engine cannot keep rejects with `NotKept`; `StoreUnavailable` says itself whether anything was kept. */
export interface Store {
  /** Runs `body` on a snapshot at least as new as every commit acknowledged before the call. */
  read<T>(body: (reader: Reader) => T): T;
  /** Like `read`, on a snapshot that others share, for a few small reads; how new it is `Engine.shared` says. Spares the hot path a snapshot of its own. */
  readShared<T>(body: (reader: Reader) => T): T;
  /**
   * Like `read`, for what is too much to be read at once: pages that `body` gives to `hold` go on reading in the same snapshot while they are asked for.
   * As long as it is held the store grows by whatever is written, so whoever asks for the pages has a limit of time.
   */
  readPages<R>(body: (reader: Reader, hold: HoldPages) => MaybePromise<R>): Promise<R>;
  /** Runs `body`, commits what it wrote atomically, and resolves with its result when the commit is durable. Conflicts run it again. */
  transact<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<T>;
  stats(): StoreStats;
  /** Whether writes do not get through at present: another process holds the lock and does not go on, or the disk does not answer. Never waits. */
  isBlocked(): boolean;
  /** Lets go of what killed processes were reading, and tells who else reads; nothing where the engine has no such lists. */
  readers(): ReaderStats | undefined;
  close(): Promise<void>;
}

/** Continues with a value that may not be there yet, without a promise when it is. */
export function whenReady<T, U>(value: MaybePromise<T>, proceed: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return value instanceof Promise ? value.then(proceed) : proceed(value);
}

/** Several values that may not be there yet, asked for together; without a promise when all are. */
export function allReady<const T extends readonly unknown[]>(values: T): MaybePromise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  if (values.some((value) => value instanceof Promise)) return Promise.all(values);
  const ready: unknown = values;
  return ready as { -readonly [I in keyof T]: Awaited<T[I]> };
}
