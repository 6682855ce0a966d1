import { setImmediate as nextTurn } from 'node:timers/promises';
import { open, type RootDatabase } from 'lmdb';
import { Changes, markOf, Unchanged } from './changes.ts';
import {
  type ByteRange,
  type CommitRequest,
  type Counted,
  type Decision,
  type DirectSource,
  type Engine,
  type Entry,
  type SeenValue,
  type Snapshot,
  type Source,
  stillSo,
  type Write,
} from './engine.ts';
import { aloneInTime, WriteTurn } from './lmdb-turn.ts';
import { StoreUnavailable } from './unavailable.ts';

declare module 'lmdb' {
  interface RootDatabase {
    /** Not declared by the library. `info` costs a microsecond; its number is that of the newest meta page, which may still be on its way to the disk. */
    readonly env: { info(): { readonly lastTxnId: number } };
  }
}

type Database = RootDatabase<Uint8Array, Uint8Array>;
type ReadTransaction = ReturnType<Database['useReadTransaction']>;

/** So many commits of one thread share a transaction of the database, and so one sync of the disk. */
const MOST_COMMITS_AT_ONCE = 512;
/** Keys that a large commit reads or writes in one turn of the event loop: some milliseconds. */
const A_TURN = 1000;
/** Read transactions of all threads and processes together. */
const MOST_READERS = 1024;

function openDatabase(path: string): Database {
  return open<Uint8Array, Uint8Array>({
    path,
    noSubdir: false,
    keyEncoding: 'binary',
    encoding: 'binary',
    maxReaders: MOST_READERS,
    // The sync is part of the commit: what others see is durable, and a failed sync keeps nothing. Measured, overlapping syncs are no faster.
    overlappingSync: false,
  });
}

/** A line of LMDB's list of readers: process, thread, and the commit that it reads (no number where it reads none). */
const READER = /^ *[0-9]+ [0-9a-f]+ ([0-9]+)$/gm;

/** Reads through one handle: in a read transaction of its own when it has one, otherwise in the current one of the handle. */
class LmdbSource implements DirectSource {
  protected readonly database: Database;
  protected own: { readonly transaction: ReadTransaction } | undefined;

  constructor(database: Database) {
    this.database = database;
  }

  get(key: Uint8Array, seen?: Uint8Array): Uint8Array | undefined {
    const lent = readLent(this.database, key, this.own);
    return lent && valueOf(lent, seen);
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  range({ start, end, limit, reverse }: ByteRange): Entry[] {
    const bounds = reverse ? { start: end, end: start, exclusiveStart: true, inclusiveEnd: true } : { start, end };
    return [...this.database.getRange({ ...bounds, reverse, limit, ...this.own })];
  }

  /** Counted by the database, a million entries in 22 ms. */
  count({ start, end, limit }: ByteRange): Counted {
    const range = { start, end, ...this.own };
    const [next] = this.database.getKeys({ ...range, offset: limit, limit: 1 });
    return next ? { count: limit, next } : { count: this.database.getKeysCount(range), next: undefined };
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
class LmdbSnapshot extends LmdbSource implements Snapshot {
  released = false;
  readonly #unchanged: Unchanged;
  /** The latest commit when it began; it need not see that. */
  readonly #latest: number;
  /** The last commit that it is certain to see. */
  readonly #certain: number;
  #hasLookedAtReaders = false;

  /** To be made before the handle's next read transaction begins. */
  constructor(database: Database, unchanged: Unchanged) {
    super(database);
    this.#unchanged = unchanged;
    this.#latest = database.env.info().lastTxnId;
    this.#certain = unchanged.look(this.#latest);
  }

  getAgain(seen: SeenValue): Uint8Array | undefined {
    if (this.#unchanged.since(seen.asOf, seen.mark, this.#latest)) return seen.bytes;
    const value = this.get(seen.keyBytes, seen.bytes);
    if (this.#certain < this.#latest) this.#lookAtReaders();
    if (value === seen.bytes) {
      seen.mark = markOf(seen.keyBytes);
      seen.asOf = this.#certain;
    }
    return value;
  }

  /** What somebody reads is certain for those who come later; this snapshot itself may have begun before. */
  #lookAtReaders(): void {
    if (this.#hasLookedAtReaders) return;
    this.#hasLookedAtReaders = true;
    for (const [, commit] of this.database.readerList().matchAll(READER)) this.#unchanged.published(Number(commit));
  }

  hold(): void {
    if (!this.released) this.own ??= { transaction: this.database.useReadTransaction() };
  }

  release(): void {
    if (this.released) return;
    this.released = true;
    this.own?.transaction.done();
  }
}

/** A commit of this thread that waits for its turn. */
interface WaitingCommit {
  readonly request: CommitRequest;
  settle(committed: boolean): void;
  fail(error: unknown): void;
}

/** A body of this thread that waits to run alone. */
interface WaitingBody {
  /** Runs the body and answers what it writes, nothing when it threw; never rejects. */
  decide(latest: Source): Promise<readonly Write[]>;
  /** Hands on the result or the error of the body. */
  settle(): void;
  fail(error: unknown): void;
}

/**
 * LMDB in a folder, opened by any number of threads and processes at once. Each opens two handles: one that only reads, so that no
 * reader ever sees an open write transaction, and one that writes. At most one write transaction of a thread is under way; what is
 * committed meanwhile waits and shares the next.
 */
export class LmdbEngine implements Engine {
  readonly isDirect = true;
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #latest: DirectSource;
  readonly #changes: Changes;
  readonly #unchanged: Unchanged;
  readonly #onClosed: () => void;
  #current: LmdbSnapshot | undefined;
  #commits: WaitingCommit[] = [];
  #bodies: WaitingBody[] = [];
  #working: Promise<void> | undefined;
  /** The write transaction under way. */
  #turn: WriteTurn | undefined;
  /** It was given up, and the database has not answered yet. */
  #stuck = false;
  /** The write transaction under way, once it writes: its number, and whether that was announced. */
  #writing: { readonly commit: number; hasBegun: boolean } | undefined;

  /**
   * Opens or creates the database in a folder; throws when that is impossible.
   * @param changes memory of `Changes`, shared by all threads of the process that open this folder
   * @param onClosed called when it has let go of the folder
   */
  constructor(path: string, changes: SharedArrayBuffer = Changes.allocate(), onClosed: () => void = () => {}) {
    this.#onClosed = onClosed;
    this.#changes = new Changes(changes);
    this.#unchanged = new Unchanged(this.#changes);
    this.#reader = openDatabase(path);
    this.#writer = openDatabase(path);
    this.#latest = new LmdbSource(this.#writer);
    // Readers of killed processes would keep old pages alive.
    this.#reader.readerCheck();
  }

  snapshot(): Snapshot {
    this.#current?.hold();
    this.#reader.resetReadTxn();
    this.#current = new LmdbSnapshot(this.#reader, this.#unchanged);
    return this.#current;
  }

  commit(request: CommitRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#commits.push({ request, settle: resolve, fail: reject });
      this.#work();
    });
  }

  exclusive<T>(body: (source: Source) => Promise<Decision<T>>): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = (): void => {};
      const decide = async (latest: Source): Promise<readonly Write[]> => {
        try {
          const { result, writes } = await aloneInTime(body(latest));
          settle = () => resolve(result);
          return writes;
        } catch (error) {
          settle = () => reject(error);
          return [];
        }
      };
      this.#bodies.push({ decide, settle: () => settle(), fail: reject });
      this.#work();
    });
  }

  isBlocked(): boolean {
    // Who has nothing to write learns whether it could by an empty transaction, which takes the lock and syncs nothing.
    if (!this.#working) {
      this.#bodies.push({ decide: async () => [], settle: () => {}, fail: () => {} });
      this.#work();
    }
    return this.#stuck || this.#turn?.isLate === true;
  }

  async close(): Promise<void> {
    await this.#working;
    await this.#writer.close();
    await this.#reader.close();
    this.#onClosed();
  }

  #work(): void {
    this.#working ??= this.#workUntilIdle();
  }

  async #workUntilIdle(): Promise<void> {
    // What is committed in this turn of the event loop still joins the first batch.
    await undefined;
    while (this.#commits.length > 0 || this.#bodies.length > 0) {
      await this.#runBodies(this.#bodies.splice(0, MOST_COMMITS_AT_ONCE));
      await this.#runCommits(this.#commits.splice(0, MOST_COMMITS_AT_ONCE));
    }
    this.#working = undefined;
  }

  /** The bodies run one after the other in one write transaction; each sees the writes of those before. */
  async #runBodies(batch: readonly WaitingBody[]): Promise<void> {
    const kept = await this.#inWriteTransaction(batch, async () => {
      for (const body of batch) this.#apply(await body.decide(this.#latest));
    });
    if (kept) for (const body of batch) body.settle();
  }

  async #runCommits(batch: readonly WaitingCommit[]): Promise<void> {
    const outcomes: boolean[] = [];
    const hasLarge = batch.some(({ request }) => request.writes.length > A_TURN);
    const kept = await this.#inWriteTransaction(
      batch,
      hasLarge ? () => this.#commitInTurns(batch, outcomes) : () => this.#commitAtOnce(batch, outcomes),
    );
    if (kept) for (const [at, commit] of batch.entries()) commit.settle(outcomes[at] === true);
  }

  #commitAtOnce(batch: readonly WaitingCommit[], outcomes: boolean[]): void {
    for (const { request } of batch) {
      const unchanged = stillSo(this.#latest, request);
      if (unchanged) this.#apply(request.writes);
      outcomes.push(unchanged);
    }
  }

  /** The same, with turns of the event loop in between: whoever else this thread serves need not wait until tens of thousands of keys are written. */
  async #commitInTurns(batch: readonly WaitingCommit[], outcomes: boolean[]): Promise<void> {
    for (const { request } of batch) {
      const unchanged = await this.#isUnchanged(request);
      if (unchanged) await this.#applyInTurns(request.writes);
      outcomes.push(unchanged);
    }
  }

  async #applyInTurns(writes: readonly Write[]): Promise<void> {
    for (let at = 0; at < writes.length; at += A_TURN) {
      this.#apply(writes.slice(at, at + A_TURN));
      await nextTurn();
    }
  }

  async #isUnchanged({ keys: seen, ranges }: CommitRequest): Promise<boolean> {
    const keys = [...seen];
    for (let at = 0; at < keys.length; at += A_TURN) {
      if (!stillSo(this.#latest, { keys: keys.slice(at, at + A_TURN), ranges: [], writes: [] })) return false;
      await nextTurn();
    }
    return stillSo(this.#latest, { keys: [], ranges, writes: [] });
  }

  /** Answers true when all of the batch is durable; otherwise nothing of it is kept and all of it was told why. */
  async #inWriteTransaction(batch: readonly { fail(error: unknown): void }[], work: () => void | Promise<void>): Promise<boolean> {
    if (batch.length === 0) return false;
    try {
      if (this.#stuck) throw new StoreUnavailable('not-kept');
      this.#writing = undefined;
      const turn = new WriteTurn();
      this.#turn = turn;
      // A nested transaction, because only that is rolled back when `work` throws half-way.
      const committed = this.#writer.childTransaction(turn.guarded(work));
      await turn.settled(committed, () => this.#waitUnstuck(committed));
      this.#noteEnd(true);
      return true;
    } catch (error) {
      this.#noteEnd(false);
      const isLost = error instanceof StoreUnavailable;
      const failure = isLost ? error : new Error('the database could not keep a transaction', { cause: await causeOf(error) });
      for (const waiting of batch) waiting.fail(failure);
      return false;
    } finally {
      this.#turn = undefined;
    }
  }

  #waitUnstuck(committed: Promise<unknown>): void {
    this.#stuck = true;
    const answered = (kept: boolean): void => {
      this.#stuck = false;
      this.#noteEnd(kept);
    };
    committed.then(
      () => answered(true),
      () => answered(false),
    );
  }

  #apply(writes: readonly Write[]): void {
    for (const { key, value } of writes) {
      this.#note(key, value);
      if (value) void this.#writer.put(key, value);
      else void this.#writer.remove(key);
    }
  }

  /** Tells all threads what is going to change, and announces the commit once it is certain not to be empty: a value is put, or one that is there is removed. */
  #note(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#writing ??= { commit: this.#writer.getWriteTxnId(), hasBegun: false };
    this.#changes.mark(key, this.#writing.commit);
    if (this.#writing.hasBegun || (!value && this.#latest.get(key) === undefined)) return;
    this.#writing.hasBegun = true;
    this.#changes.begin(this.#writing.commit);
  }

  /** Tells all threads what became of it. Of one that is stuck nobody knows. */
  #noteEnd(kept: boolean): void {
    if (!this.#writing?.hasBegun) return;
    if (kept) this.#changes.keep(this.#writing.commit);
    else if (!this.#stuck) this.#changes.drop(this.#writing.commit);
  }
}

/** lmdb-js tells why a commit failed by a promise inside the error, rejected in the same turn and unhandled if nobody looks. */
async function causeOf(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error && 'commitError' in thrown && thrown.commitError instanceof Promise)) return thrown;
  const told = thrown.commitError.then(
    () => thrown,
    (cause: unknown) => cause,
  );
  return Promise.race([told, nextTurn(thrown)]);
}
