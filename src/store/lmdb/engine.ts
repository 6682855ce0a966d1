import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unchanged, WriteMarks } from './write-marks.ts';
import { type CommitRequest, type Decision, type Engine, type PlainSource, type Snapshot, validateReads, type Write } from '../engine.ts';
import { ColdReads, PageFaults, type PageWatch } from './cold-reads.ts';
import { aloneInTime, WriteTurn } from './write-turn.ts';
import { SharedSnapshot } from './shared-snapshot.ts';
import { commitsBeingRead, type Database, LmdbSnapshot, LmdbSource, openDatabase, pagesOf } from './snapshot.ts';
import { freeBytes, Room } from './room.ts';
import { NotKept, type ReaderStats, type StoreSize } from '../store.ts';
import { StoreUnavailable } from '../unavailable.ts';

/** Measured with 64 in flight on one key: 2 commits two to three times as many as 4, as bodies alone share syncs. */
const MOST_CONFLICTS = 2;
/** So many commits of one thread share a transaction of the database, and so one sync of the disk. */
const MOST_COMMITS_AT_ONCE = 512;
/** Keys that a large commit reads or writes in one turn of the event loop: some milliseconds. */
const A_TURN = 1000;
const META_PAGES = 2;
const ANY_KEY = Uint8Array.of(0);
const STUCK = 'another process holds its lock and does not go on, or the disk does not answer';

/** A commit of this thread that waits for its turn. */
interface WaitingCommit {
  readonly request: CommitRequest;
  settle(committed: boolean): void;
  fail(error: unknown): void;
}

/** A body of this thread that waits to run alone. */
interface WaitingBody {
  /** Runs the body and answers what it writes, nothing when it threw; never rejects. */
  decide(latest: PlainSource): Promise<readonly Write[]>;
  /** Hands on the result or the error of the body. */
  settle(): void;
  fail(error: unknown): void;
}

/** What an engine is opened with besides its folder. */
export interface LmdbOptions {
  /** Memory of `WriteMarks`, shared by all threads of the process that open this folder. */
  readonly marks?: SharedArrayBuffer;
  /** Everything will be read in order (`openDatabase`). */
  readonly readAhead?: boolean;
  /** Tells whether pages are missing in memory. */
  readonly pages?: PageWatch;
  /** Called when it has let go of the folder. */
  readonly onClosed?: () => void;
  /** Called when LMDB has given up the database in this process: nothing can be read or written until a restart. */
  readonly onLost?: (error: Error) => void;
}

/**
 * LMDB in a folder, opened by any number of threads and processes at once, each with two handles: one only reads, so
 * that no reader sees an open write transaction, and one writes. A thread has at most one write transaction under way;
 * commits that come meanwhile share the next.
 */
export class LmdbEngine implements Engine {
  readonly conflictsBeforeAlone = MOST_CONFLICTS;
  readonly #reader: Database;
  readonly #writer: Database;
  readonly #latest: LmdbSource;
  readonly #marks: WriteMarks;
  readonly #unchanged: Unchanged;
  readonly #path: string;
  readonly #onClosed: () => void;
  readonly #pages: PageWatch;
  readonly #cold: ColdReads;
  readonly #shared = new SharedSnapshot(() => this.snapshot());
  #current: LmdbSnapshot | undefined;
  #commits: WaitingCommit[] = [];
  #bodies: WaitingBody[] = [];
  #working: Promise<void> | undefined;
  readonly #room: Room;
  readonly #onLost: (error: Error) => void;
  /** The write transaction under way. */
  #turn: WriteTurn | undefined;
  /** It was given up, and the database has not answered yet. */
  #stuck = false;
  /** The write transaction under way, once it writes: its number, and whether that was announced. */
  #writing: { readonly commit: number; hasBegun: boolean } | undefined;

  /** Opens or creates the database in a folder; throws when that is impossible. */
  constructor(path: string, { marks = WriteMarks.allocate(), readAhead, pages = new PageFaults(), onClosed, onLost }: LmdbOptions = {}) {
    this.#path = path;
    this.#onClosed = onClosed ?? (() => {});
    this.#onLost = onLost ?? (() => {});
    this.#marks = new WriteMarks(marks);
    this.#unchanged = new Unchanged(this.#marks);
    this.#reader = openDatabase(path, readAhead);
    this.#writer = openDatabase(path, readAhead);
    this.#pages = pages;
    this.#cold = new ColdReads(this.#reader);
    this.#room = new Room(path);
    this.#latest = new LmdbSource(this.#writer);
    // Readers of killed processes would keep old pages alive.
    this.#reader.readerCheck();
  }

  snapshot(): LmdbSnapshot {
    this.#current?.hold();
    this.#reader.resetReadTxn();
    this.#current = new LmdbSnapshot(this.#reader, this.#unchanged, this.#pages.areMissing ? this.#cold : undefined);
    return this.#current;
  }

  shared(): Snapshot {
    return this.#shared.get();
  }

  commit(request: CommitRequest): Promise<boolean> {
    if (!this.#pages.areMissing) return this.#commit(request);
    // Nobody else can write while a page is waited for under the lock.
    const keys = [...request.keys];
    const touched = [...keys, ...request.writes].map(({ key }) => key);
    return this.#cold.bring(touched).then(() => this.#commit({ ...request, keys }));
  }

  alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T> {
    return new Promise((resolve, reject) => {
      let settle = (): void => {};
      const decide = async (latest: PlainSource): Promise<readonly Write[]> => {
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

  blockedBy(): string | undefined {
    // An empty transaction tells whether writes get through: it takes the lock and syncs nothing.
    if (!this.#working) {
      this.#bodies.push({ decide: async () => [], settle: () => {}, fail: () => {} });
      this.#work();
    }
    return this.#stuck || this.#turn?.isLate === true ? STUCK : undefined;
  }

  readers(): ReaderStats {
    this.#reader.readerCheck();
    const commits = commitsBeingRead(this.#reader);
    const oldest = commits.length === 0 ? undefined : Math.min(...commits);
    return { count: commits.length, oldest, latest: this.#reader.env.info().lastTxnId };
  }

  /** Free are the pages that no tree has: those that old snapshots still see are among them. */
  size(): StoreSize {
    const { pageSize, lastPage, used } = pagesOf(this.#reader);
    const freePages = Math.max(0, lastPage + 1 - META_PAGES - used);
    return { bytes: (lastPage + 1) * pageSize, freeBytes: freePages * pageSize, diskFreeBytes: freeBytes(this.#path) };
  }

  /** Copies the database, as it is at one moment, to an empty folder. @param withFree free pages too */
  copyTo(folder: string, withFree: boolean): Promise<void> {
    return this.#reader.backup(folder, !withFree);
  }

  async close(): Promise<void> {
    this.#pages.close();
    await this.#working;
    await this.#cold.idle();
    await this.#writer.close();
    await this.#reader.close();
    this.#onClosed();
  }

  #commit(request: CommitRequest): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#commits.push({ request, settle: resolve, fail: reject });
      this.#work();
    });
  }

  #work(): void {
    this.#working ??= this.#workUntilIdle();
  }

  async #workUntilIdle(): Promise<void> {
    // Commits of this turn of the event loop still join the first batch.
    await undefined;
    while (this.#commits.length > 0 || this.#bodies.length > 0) {
      await this.#runBodies(this.#bodies.splice(0, MOST_COMMITS_AT_ONCE));
      await this.#runCommits(this.#commits.splice(0, MOST_COMMITS_AT_ONCE));
    }
    this.#working = undefined;
  }

  /** The bodies run one after another in one write transaction; each sees the writes of those before. */
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
      const unchanged = validateReads(this.#latest, request);
      if (unchanged) this.#apply(request.writes);
      outcomes.push(unchanged);
    }
  }

  /** The same, with turns of the event loop in between: others on this thread need not wait for 10,000s of keys. */
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
      if (!validateReads(this.#latest, { keys: keys.slice(at, at + A_TURN), ranges: [], writes: [] })) return false;
      await nextTurn();
    }
    return validateReads(this.#latest, { keys: [], ranges, writes: [] });
  }

  /** Answers true when the whole batch is durable; otherwise nothing of it is kept and every caller was told why. */
  async #inWriteTransaction(batch: readonly { fail(error: unknown): void }[], work: () => void | Promise<void>): Promise<boolean> {
    if (batch.length === 0) return false;
    try {
      if (this.#stuck) throw new StoreUnavailable('not-kept');
      this.#writing = undefined;
      this.#room.begin();
      const turn = new WriteTurn();
      this.#turn = turn;
      // A nested transaction: only that is rolled back when `work` throws half-way.
      const committed = this.#writer.childTransaction(turn.guarded(work));
      await turn.settled(committed, () => this.#waitUnstuck(committed));
      this.#noteEnd(true);
      return true;
    } catch (error) {
      this.#noteEnd(false);
      const isLost = error instanceof StoreUnavailable;
      const failure = isLost ? error : new NotKept('the database could not keep a transaction', { cause: await causeOf(error) });
      for (const waiting of batch) waiting.fail(failure);
      if (!isLost && this.#isGivenUp()) this.#onLost(failure);
      return false;
    } finally {
      this.#turn = undefined;
    }
  }

  /** LMDB gives up if it cannot tell what became of its meta page (MDB_PANIC): all reads of this process fail then. */
  #isGivenUp(): boolean {
    try {
      this.#writer.resetReadTxn();
      this.#latest.get(ANY_KEY);
      return false;
    } catch (error) {
      return error instanceof Error && error.message.includes('MDB_PANIC');
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
    this.#room.take(writes);
    for (const { key, value } of writes) {
      this.#note(key, value);
      if (value) void this.#writer.put(key, value);
      else void this.#writer.remove(key);
    }
  }

  /** Tells all threads what will change, and announces the commit once it is certain not to be empty. */
  #note(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#writing ??= { commit: this.#writer.getWriteTxnId(), hasBegun: false };
    this.#marks.mark(key, this.#writing.commit);
    if (this.#writing.hasBegun || (!value && this.#latest.get(key) === undefined)) return;
    this.#writing.hasBegun = true;
    this.#marks.begin(this.#writing.commit);
  }

  /** Tells all threads what became of it. Of one that is stuck nobody knows. */
  #noteEnd(kept: boolean): void {
    if (!this.#writing?.hasBegun) return;
    if (kept) this.#marks.keep(this.#writing.commit);
    else if (!this.#stuck) this.#marks.drop(this.#writing.commit);
  }
}

/** lmdb-js gives a failure's cause by a promise in the error, rejected in this turn, unhandled if nobody looks. */
async function causeOf(thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof Error && 'commitError' in thrown && thrown.commitError instanceof Promise)) return thrown;
  const told = thrown.commitError.then(
    () => thrown,
    (cause: unknown) => cause,
  );
  return Promise.race([told, nextTurn(thrown)]);
}
