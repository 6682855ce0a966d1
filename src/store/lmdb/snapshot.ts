import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import { markOf, type Unchanged } from './write-marks.ts';
import type { ColdReads } from './cold-reads.ts';
import type { ByteRange, ByteSpan, DirectSource, Entry, Link, Linked, PlainSource, Snapshot } from '../engine.ts';
import { linkedAtByReading, linkedByReading } from '../linked.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Seen } from '../store.ts';

declare module 'lmdb' {
  interface RootDatabaseOptions {
    /** Not declared by the library. */
    readonly noReadAhead?: boolean;
  }

  interface RootDatabase {
    /** Undeclared by the library. Takes 1 µs; the number is the newest meta page's, which may still be syncing. */
    readonly env: { info(): { readonly lastTxnId: number } };
  }
}

/** A handle of a database whose keys and values are bytes. */
export type Database = RootDatabase<Uint8Array, Uint8Array>;
type ReadTransaction = ReturnType<Database['useReadTransaction']>;

/** Read transactions of all threads and processes together. */
const MOST_READERS = 1024;
/**
 * Entries counted in one turn of the event loop. LMDB may walk over a whole piece to find that the range ends before
 * it, so small ranges get small ones. Measured: a million entries take 22 ms, the largest piece 1 ms.
 */
const FIRST_PIECE = 1000;
const PIECE_GROWTH = 7;
const LARGEST_PIECE = 50_000;

/**
 * Opens one handle of the database in a folder that `prepareDataFolder` has looked at.
 * @param readAhead lets the system read beyond what is asked for: good for reading in order; random reads of a store
 * larger than memory would load thousands of times as much
 */
export function openDatabase(path: string, readAhead = false): Database {
  return open<Uint8Array, Uint8Array>({
    path,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    maxReaders: MOST_READERS,
    noReadAhead: !readAhead,
    // The sync is part of the commit: what others see is durable, a failed one keeps nothing. Overlapping: no faster.
    overlappingSync: false,
    // The batches of lmdb-js begin with a promise that nobody can handle: a failed commit would end the thread. Ours
    // are made here and as fast: within 3 % with 1, 32 and 64 in flight, measured in turns.
    eventTurnBatching: false,
  });
}

/** A line of LMDB's list of readers: process, thread, and the commit that it reads (no number where it reads none). */
const READER = /^ *[0-9]+ [0-9a-f]+ ([0-9]+)$/gm;

/** The commits that readers of all processes see, as far as they still live. Costs some microseconds. */
export function commitsBeingRead(database: Database): number[] {
  return Array.from(database.readerList().matchAll(READER), ([, commit]) => Number(commit));
}

/** What is remembered of a record, in one object: another would be one more wait for memory in every verification. */
class LmdbSeen<R> implements Seen<R> {
  readonly record: R;
  readonly key: Uint8Array;
  readonly bytes: Uint8Array;
  /** The last commit as of which the bytes surely are there; none yet. */
  asOf = -1;
  /** `markOf` the key, once the bytes were found again. */
  mark = 0;

  constructor(record: R, key: Uint8Array, bytes: Uint8Array) {
    this.record = record;
    this.key = key;
    this.bytes = bytes;
  }
}

/** What a piece of a range came to. */
interface Counted {
  readonly count: number;
  /** The first entry beyond the piece; none when the whole range was counted. */
  readonly next: Uint8Array | undefined;
}

/** Reads through one handle: in a read transaction of its own if it has one, else in the handle's current one. */
export class LmdbSource implements DirectSource, PlainSource {
  readonly #database: Database;
  #own: { readonly transaction: ReadTransaction } | undefined;

  constructor(database: Database) {
    this.#database = database;
  }

  get(key: Uint8Array, seen?: Uint8Array): Uint8Array | undefined {
    const lent = readLent(this.#database, key, this.#own);
    return lent && valueOf(lent, seen);
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  range({ start, end, limit, reverse, mostBytes }: ByteRange): Entry[] {
    const bounds = reverse ? { start: end, end: start, exclusiveStart: true, inclusiveEnd: true } : { start, end };
    const found = this.#database.getRange({ ...bounds, reverse, limit, ...this.#own });
    return mostBytes === undefined ? [...found] : firstBytes(found, mostBytes);
  }

  linked(range: ByteRange, link: Link): MaybePromise<readonly Linked[]> {
    return linkedByReading(this, range, link);
  }

  linkedAt(key: Uint8Array, link: Link): MaybePromise<Linked | undefined> {
    return linkedAtByReading(this, key, link);
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return new LmdbSeen(record, key, bytes);
  }

  /** The entries of a range, or the first ones of it. */
  countPiece({ start, end }: ByteSpan, limit: number): Counted {
    const range = { start, end, ...this.#own };
    const [next] = this.#database.getKeys({ ...range, offset: limit, limit: 1 });
    return next ? { count: limit, next } : { count: this.#database.getKeysCount(range), next: undefined };
  }

  /** Takes the handle's current read transaction for its own, if it has none. */
  hold(): void {
    this.#own ??= { transaction: this.#database.useReadTransaction() };
  }

  /** Lets go of its own transaction; nothing may be read afterwards. */
  release(): void {
    this.#own?.transaction.done();
  }
}

/** What a lent buffer holds, or `seen` when that is the same. The next read overwrites the buffer. */
function valueOf(lent: Buffer, seen: Uint8Array | undefined): Uint8Array {
  // Only its `length` is true: its own methods would read beyond it.
  const { length } = lent;
  if (seen !== undefined && seen.length === length && Buffer.prototype.compare.call(lent, seen, 0, length, 0, length) === 0) return seen;
  const copy = Buffer.allocUnsafe(length);
  copy.set(new Uint8Array(lent.buffer, lent.byteOffset, length));
  return copy;
}

/** Entries up to the one that reaches so many bytes. */
function firstBytes(found: Iterable<Entry>, most: number): Entry[] {
  const entries: Entry[] = [];
  let bytes = 0;
  for (const entry of found) {
    entries.push(entry);
    bytes += entry.key.length + entry.value.length;
    if (bytes >= most) break;
  }
  return entries;
}

/** `getBinaryFast` with the options that its declaration lacks. */
function readLent(
  database: { getBinaryFast(key: Uint8Array, options?: object): Buffer | undefined },
  key: Uint8Array,
  options: object | undefined,
): Buffer | undefined {
  return database.getBinaryFast(key, options);
}

/**
 * A snapshot of the reading handle. It costs nothing until it must outlive the handle's current read transaction:
 * when another snapshot begins, or when its reader pauses. Then it holds that transaction for itself.
 */
export class LmdbSnapshot implements Snapshot {
  readonly #database: Database;
  readonly #source: LmdbSource;
  readonly #unchanged: Unchanged;
  /** Brings what is read for the first time into memory; none where everything counts as being there. */
  readonly #cold: ColdReads | undefined;
  /** The latest commit when it began; it need not see that. */
  readonly #latest: number;
  /** The last commit that it is certain to see. */
  readonly #certain: number;
  #users = 1;
  #hasLookedAtReaders = false;

  /** To be made before the handle's next read transaction begins. */
  constructor(database: Database, unchanged: Unchanged, cold: ColdReads | undefined) {
    this.#database = database;
    this.#source = new LmdbSource(database);
    this.#unchanged = unchanged;
    this.#cold = cold;
    this.#latest = database.env.info().lastTxnId;
    this.#certain = unchanged.look(this.#latest);
  }

  get(key: Uint8Array, seen?: Uint8Array): MaybePromise<Uint8Array | undefined> {
    if (!this.#cold || seen) return this.#source.get(key, seen);
    const own = Buffer.from(key);
    return this.#inMemory(this.#cold, [own], () => this.#source.get(own));
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]> {
    if (!this.#cold || keys.length === 0) return this.#source.getMany(keys);
    const own = keys.map((key) => Buffer.from(key));
    return this.#inMemory(this.#cold, own, () => this.#source.getMany(own));
  }

  range(range: ByteRange): MaybePromise<readonly Entry[]> {
    if (!this.#cold) return this.#source.range(range);
    const own = { ...range, start: Buffer.from(range.start), end: Buffer.from(range.end) };
    return this.#inMemory(this.#cold, [own.reverse ? own.end : own.start], () => this.#source.range(own));
  }

  linked(range: ByteRange, link: Link): MaybePromise<readonly Linked[]> {
    return linkedByReading(this, range, link);
  }

  linkedAt(key: Uint8Array, link: Link): MaybePromise<Linked | undefined> {
    return linkedAtByReading(this, key, link);
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return this.#source.stamp(record, key, bytes);
  }

  count(span: ByteSpan): MaybePromise<number> {
    const { count, next } = this.#source.countPiece(span, FIRST_PIECE);
    return next === undefined ? count : this.#countOn(count, { ...span, start: next });
  }

  async #countOn(counted: number, span: ByteSpan): Promise<number> {
    this.hold();
    let sum = counted;
    let start: Uint8Array | undefined = span.start;
    for (let limit = FIRST_PIECE; start !== undefined; ) {
      await nextTurn();
      this.#refuseWhenReleased();
      limit = Math.min(limit * PIECE_GROWTH, LARGEST_PIECE);
      const piece = this.#source.countPiece({ start, end: span.end }, limit);
      sum += piece.count;
      start = piece.next;
    }
    return sum;
  }

  getAgain(seen: Seen<unknown>): Uint8Array | undefined {
    if (!(seen instanceof LmdbSeen)) return this.#source.get(seen.key, seen.bytes);
    if (this.#unchanged.since(seen.asOf, seen.mark, this.#latest)) return seen.bytes;
    const value = this.#source.get(seen.key, seen.bytes);
    if (this.#certain < this.#latest) this.#lookAtReaders();
    if (value === seen.bytes) {
      seen.mark = markOf(seen.key);
      seen.asOf = this.#certain;
    }
    return value;
  }

  /** Hands it out once more. */
  share(): void {
    this.#users += 1;
  }

  hold(): void {
    if (this.#users > 0) this.#source.hold();
  }

  release(): void {
    this.#users -= 1;
    if (this.#users === 0) this.#source.release();
  }

  async #inMemory<T>(cold: ColdReads, keys: readonly Uint8Array[], read: () => T): Promise<T> {
    this.hold();
    await cold.bring(keys);
    this.#refuseWhenReleased();
    return read();
  }

  #refuseWhenReleased(): void {
    if (this.#users === 0) throw new Error('the snapshot was released before it was read');
  }

  /** What one reader has seen is certain for later ones; this snapshot itself may have begun before. */
  #lookAtReaders(): void {
    if (this.#hasLookedAtReaders) return;
    this.#hasLookedAtReaders = true;
    for (const commit of commitsBeingRead(this.#database)) this.#unchanged.published(commit);
  }
}

/** How many pages a tree has, of each kind. */
interface TreePages {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

/** What the database says of its pages; all of it stands in its newest meta page. */
export function pagesOf(database: Database): { readonly pageSize: number; readonly lastPage: number; readonly used: number } {
  const stats: unknown = database.getStats();
  database.resetReadTxn();
  // The library declares an object without members.
  const { root, free, lastPageNumber } = stats as {
    readonly root: TreePages & { readonly pageSize: number };
    readonly free: TreePages;
    readonly lastPageNumber: number;
  };
  const [used = 0, listed = 0] = [root, free].map((tree) => tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages);
  return { pageSize: root.pageSize, lastPage: lastPageNumber, used: used + listed };
}
