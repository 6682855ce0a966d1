/** Keys whose hashes agree share a mark: a write of one then counts as one of the other, seldom with so many marks. */
const MARKS = 65_536;
/** Commits whose makers are remembered; what is older counts as another process's. */
const COMMITS = 4_096;
/** In the order in which they stand in the memory. */
const PARTS = { marks: MARKS, begun: COMMITS, kept: COMMITS };

/** Who made a commit, as far as known here. `open`: a thread of this process, which has not yet said it was kept. */
type Maker = 'ours' | 'open' | 'other';

/**
 * What this process's threads wrote, by key and commit, in memory they share. The database numbers commits in sequence,
 * over all processes. Numbers are kept modulo 2^32: a mark of 2^31 commits ago looks newer, which costs a read.
 */
export class WriteMarks {
  /** By hash of a key: the last commit that wrote such a key. */
  readonly #marks: Int32Array;
  /** By number of a commit: commits that a thread of this process is writing, or has written. */
  readonly #begun: Int32Array;
  /** By number of a commit: those of them that are known to be kept. */
  readonly #kept: Int32Array;

  /** @param memory of `allocate`, the same for all threads of the process: else each takes the others for another */
  constructor(memory: SharedArrayBuffer) {
    const all = new Int32Array(memory);
    this.#marks = all.subarray(0, PARTS.marks);
    this.#begun = all.subarray(PARTS.marks, PARTS.marks + PARTS.begun);
    this.#kept = all.subarray(PARTS.marks + PARTS.begun);
  }

  static allocate(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer((PARTS.marks + PARTS.begun + PARTS.kept) * Int32Array.BYTES_PER_ELEMENT);
    const empty = new WriteMarks(memory);
    // Zero, the number of every 2^32nd commit, would be found where nothing was noted; this one never stands there.
    empty.#begun[0] = 1;
    empty.#kept[0] = 1;
    return memory;
  }

  /** To be called for each key that it writes, before anybody can see the commit. */
  mark(key: Uint8Array, commit: number): void {
    Atomics.store(this.#marks, markOf(key), commit);
  }

  /** Called before the commit is visible, and only if it surely changes something: else the next has its number. */
  begin(commit: number): void {
    Atomics.store(this.#begun, commit % COMMITS, commit);
  }

  /** To be called when the commit is kept. */
  keep(commit: number): void {
    Atomics.store(this.#kept, commit % COMMITS, commit);
  }

  /** To be called when nothing of the commit was kept, so that its number belongs to another one. */
  drop(commit: number): void {
    Atomics.compareExchange(this.#begun, commit % COMMITS, commit | 0, 0);
  }

  makerOf(commit: number): Maker {
    const at = commit % COMMITS;
    if (Atomics.load(this.#kept, at) === (commit | 0)) return 'ours';
    return Atomics.load(this.#begun, at) === (commit | 0) ? 'open' : 'other';
  }

  /** The last commit of this process that wrote a key with this mark; `latest` is about the latest one's number. */
  lastAt(mark: number, latest: number): number {
    return latest + ((Atomics.load(this.#marks, mark) - latest) | 0);
  }
}

/** Which mark a key has. */
export function markOf(key: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ (key[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 16)) & (MARKS - 1);
}

/** What one reader may take for unchanged. Commits of other processes show by their numbers: they change everything. */
export class Unchanged {
  readonly #marks: WriteMarks;
  /** Up to here the maker of each commit is known. */
  #decided = 0;
  /** The last commit that another process may have made. */
  #lastOther = 0;
  /** A commit that readers have seen. */
  #published = 0;

  constructor(marks: WriteMarks) {
    this.#marks = marks;
  }

  /**
   * Called whenever a snapshot begins, before it reads; answers the last commit that it surely sees. LMDB shows a
   * commit's number while it is still synced, before others can read it: the latest is certain only when a thread of
   * this process has said it was kept, or somebody has read it.
   * @param latest the number of the latest commit, as LMDB shows it
   */
  look(latest: number): number {
    this.#decide(latest);
    return latest <= this.#published || this.#marks.makerOf(latest) === 'ours' ? latest : latest - 1;
  }

  /** Tells that a reader of any process has seen a commit: all snapshots that begin from now on see it too. */
  published(commit: number): void {
    this.#published = Math.max(this.#published, commit);
  }

  #decide(latest: number): void {
    if (latest - this.#decided > COMMITS) {
      this.#decided = latest;
      this.#lastOther = latest;
    }
    while (this.#decided < latest) {
      const commit = this.#decided + 1;
      const maker = this.#marks.makerOf(commit);
      if (maker === 'open') return;
      if (maker === 'other') this.#lastOther = commit;
      this.#decided = commit;
    }
  }

  /** Whether no commit after `asOf` wrote a key with this mark, for a snapshot whose `look` was told `latest`. */
  since(asOf: number, mark: number, latest: number): boolean {
    if (asOf > latest || asOf < this.#lastOther || latest > this.#decided) return false;
    return this.#marks.lastAt(mark, latest) <= asOf;
  }
}
