import { readFileSync } from 'node:fs';

/** A thread that loads has up to 150 files open, and keeps a few; one may load while all others serve. */
const FILES_PER_THREAD = 160;
/** The store, the log, libuv and the lanes. */
const FILES_BESIDES = 64;
/** With fewer connections nothing could be served. */
const LEAST_CONNECTIONS = 64;
const OPEN_FILES = /^Max open files\s+(\d+)/m;
/** However many connections are refused, the log says so once in a minute. */
const QUIET_MS = 60_000;

/** How many files the process may have open (Node raises its soft limit to the hard one); undefined where unknown. */
export function openFilesLimit(): number | undefined {
  try {
    const [, limit] = OPEN_FILES.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return limit === undefined ? undefined : Number(limit);
  } catch {
    return undefined;
  }
}

/** Connections the process may have beside all else that it opens, with so many HTTP threads. Throws if too few. */
export function mostConnections(openFiles: number | undefined, httpThreads: number): number {
  if (openFiles === undefined) return Number.MAX_SAFE_INTEGER;
  const most = openFiles - FILES_BESIDES - FILES_PER_THREAD * (httpThreads + 1);
  if (most >= LEAST_CONNECTIONS) return most;
  const threads = httpThreads === 1 ? 'one HTTP thread needs' : `${httpThreads} HTTP threads need`;
  throw new Error(`only ${openFiles} files may be open, but ${threads} ${openFiles - most + LEAST_CONNECTIONS} ("ulimit -n", LimitNOFILE)`);
}

/** The connections of all threads of the process, counted against what it may have. */
export class ConnectionLimit {
  readonly #all: Int32Array;
  readonly #most: number;
  readonly #onFull: () => void;
  #own = 0;
  #saidAt = Number.NEGATIVE_INFINITY;

  /**
   * @param memory room for one Int32, shared by all threads
   * @param onFull told of connections that are refused, once in a minute
   */
  constructor(memory: SharedArrayBuffer, most: number, onFull: () => void) {
    this.#all = new Int32Array(memory);
    this.#most = most;
    this.#onFull = onFull;
  }

  /** Counts a new connection; answers whether it may stay. One that may not is closed, and counted until then. */
  opened(): boolean {
    this.#own += 1;
    if (Atomics.add(this.#all, 0, 1) < this.#most) return true;
    const now = performance.now();
    if (now - this.#saidAt >= QUIET_MS) {
      this.#saidAt = now;
      this.#onFull();
    }
    return false;
  }

  closed(): void {
    this.#own -= 1;
    Atomics.sub(this.#all, 0, 1);
  }

  /** The thread ends, and its connections with it. */
  end(): void {
    Atomics.sub(this.#all, 0, this.#own);
    this.#own = 0;
  }
}
