/** A handle that can touch the pages of keys on another thread. */
interface Database {
  prefetch(keys: Uint8Array[], callback: () => void): void;
}

/** How often this thread looks whether pages are missing. */
const LOOK_MS = 100;
/** Page faults of the process that waited for the disk, between two looks; fewer are left to the threads they meet. */
const FAULTS = 3;
/** For this long after the last of them, pages still count as missing. */
const LASTING_MS = 5_000;
/** Reads of one thread under way at a time; libuv gets one more thread for each (scripts/thread-pool.cjs). */
const MOST_UNDER_WAY = 4;
/** Waiting reads that share a hand-over to a thread at most, which takes longer than a read that finds its page. */
const MOST_TOGETHER = 64;

/** Tells whether pages of the store are missing in memory. */
export interface PageWatch {
  readonly areMissing: boolean;
  close(): void;
}

/** Every read takes the way of those that wait for the disk. For tests. */
export const ALWAYS_MISSING: PageWatch = { areMissing: true, close: () => {} };

/**
 * Tells whether this process has lately waited for pages that were not in memory, so whether the store may be larger
 * than memory. While it has not, the question costs only 3 µs in each tenth of a second.
 */
export class PageFaults implements PageWatch {
  readonly #count: () => number;
  #faults: number;
  #until = 0;
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref();

  /** @param count page faults of the process so far that had to wait for the disk */
  constructor(count = () => process.resourceUsage().majorPageFault) {
    this.#count = count;
    this.#faults = count();
  }

  get areMissing(): boolean {
    return this.#until > 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #look(): void {
    const faults = this.#count();
    const now = performance.now();
    if (faults - this.#faults >= FAULTS) this.#until = now + LASTING_MS;
    else if (now > this.#until) this.#until = 0;
    this.#faults = faults;
  }
}

/** Keys whose pages are waited for. */
interface Waiting {
  readonly keys: Uint8Array[];
  readonly done: () => void;
}

/** Brings pages into memory on libuv's threads: a missing one stops the thread that touches it, and its requests. */
export class ColdReads {
  readonly #database: Database;
  readonly #waiting: Waiting[] = [];
  #underWay = 0;
  #onIdle = (): void => {};

  constructor(database: Database) {
    this.#database = database;
  }

  /** Resolves when the pages that a read or write of these keys touches are in memory; does not tell their content. */
  async bring(keys: readonly Uint8Array[]): Promise<void> {
    const pieces = Math.min(MOST_UNDER_WAY, keys.length);
    const bringing = Array.from({ length: pieces }, (_, piece) => this.#bringPiece(keys.filter((__, at) => at % pieces === piece)));
    await Promise.all(bringing);
  }

  /** Resolves when none is under way: the database may be closed only then. */
  async idle(): Promise<void> {
    if (this.#underWay === 0) return;
    await new Promise<void>((resolve) => {
      this.#onIdle = resolve;
    });
  }

  #bringPiece(keys: Uint8Array[]): Promise<void> {
    return new Promise((done) => {
      this.#waiting.push({ keys, done });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay === MOST_UNDER_WAY) return;
    const share = Math.ceil(this.#waiting.length / MOST_UNDER_WAY);
    const next = this.#waiting.splice(0, Math.min(share, MOST_TOGETHER));
    if (next.length === 0) {
      if (this.#underWay === 0) this.#onIdle();
      return;
    }
    this.#underWay += 1;
    const read = (): void => {
      this.#underWay -= 1;
      for (const { done } of next) done();
      this.#next();
    };
    this.#database.prefetch(
      next.flatMap(({ keys }) => keys),
      read,
    );
  }
}
