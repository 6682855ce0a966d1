import { type Connection, type ConnectionOptions, connect, StatementNames } from './connection.ts';
import { cannotUse, unreachable } from './faults.ts';

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** More that wait than this are refused at once: they would only time out. */
const MOST_WAITING = 1_000;

/** While no connection can be made, one is tried about so often, whatever became of the tries before. */
const TRY_EVERY_MS = 400;
/** Tries at once: each may wait for a network that swallows what it is sent. */
const MOST_TRIES = 4;

/**
 * The connections of one thread. While none can be made, requests for one are refused at once instead of waiting for
 * what is not there, and a few tries at a time find out when the database is back: nothing piles up here or there.
 */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #randomUnit: () => number;
  readonly #free: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #names = new StatementNames();
  readonly #closing = new AbortController();
  /** Those that are taken or free, and those that are being made for somebody. */
  #open = 0;
  #onEmpty = (): void => {};
  /** Why no connection could be made last; undefined while they can be. */
  #outage: { readonly error: unknown } | undefined;
  #tries = 0;
  #trying: NodeJS.Timeout | undefined;
  /** When the database last answered. */
  #heardAt = 0;

  /** @param randomUnit uniform in [0, 1) */
  constructor(options: ConnectionOptions, randomUnit: () => number) {
    this.#options = options;
    this.#randomUnit = randomUnit;
  }

  /** Why the database is out of reach, in one line without secrets; undefined where it is not, as far as known. */
  outage(): string | undefined {
    return this.#outage && this.#open === 0 ? cannotUse(this.#options.url, this.#outage.error).message : undefined;
  }

  /** A connection for its caller alone, until it is given back. @throws StoreUnavailable */
  async take(): Promise<Connection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) {
      if (!free.broken) return free;
      this.#open -= 1;
    }
    this.#refuseWhenClosed();
    if (!this.#outage && this.#open < this.#options.connections) return this.#make();
    if (this.#outage && this.#open === 0) throw unreachable(this.#outage.error);
    if (this.#waiting.length >= MOST_WAITING) throw unreachable(new Error('too many wait for a connection'));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const at = this.#waiting.findIndex((one) => one.resolve === resolve);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(unreachable(new Error('no connection became free in time')));
      }, this.#options.timeoutMs);
      this.#waiting.push({ resolve, reject, timer });
    });
  }

  /** Gives a connection back. */
  give(connection: Connection): void {
    const { broken, silentSince } = connection;
    if (!broken) this.#heardAt = performance.now();
    if (!broken && !connection.isSpent && !this.#closing.signal.aborted) {
      this.#hand(connection);
      return;
    }
    this.#open -= 1;
    if (!broken) void connection.end();
    // Not one that waited for a lock, say, while others were answered.
    if (broken && silentSince !== undefined && this.#heardAt < silentSince) this.#goOut(broken);
    this.#replace();
  }

  #hand(connection: Connection): void {
    const next = this.#nextWaiting();
    if (next) next.resolve(connection);
    else this.#free.push(connection);
  }

  #nextWaiting(): Waiting | undefined {
    const next = this.#waiting.shift();
    clearTimeout(next?.timer);
    return next;
  }

  /** After one has gone: who waits gets a new one in its place. */
  #replace(): void {
    if (this.#open === 0) this.#onEmpty();
    if (this.#outage && this.#open === 0) this.#refuseWaiting(this.#outage.error);
    if (this.#outage) return;
    const next = this.#nextWaiting();
    if (next) this.#make().then(next.resolve, next.reject);
  }

  async #make(): Promise<Connection> {
    this.#open += 1;
    try {
      const connection = await connect(this.#options, this.#names, this.#closing.signal);
      this.#outage = undefined;
      return connection;
    } catch (error) {
      this.#open -= 1;
      this.#goOut(error);
      this.#replace();
      throw unreachable(error);
    }
  }

  #goOut(error: unknown): void {
    this.#outage = { error };
    if (this.#trying === undefined && !this.#closing.signal.aborted) this.#tryLater();
  }

  #tryLater(): void {
    // Threads and nodes that lost the database together do not come back together.
    this.#trying = setTimeout(
      () => {
        this.#trying = undefined;
        if (!this.#outage) return;
        if (this.#tries < MOST_TRIES) void this.#try();
        this.#tryLater();
      },
      TRY_EVERY_MS * (0.5 + this.#randomUnit()),
    ).unref();
  }

  async #try(): Promise<void> {
    this.#tries += 1;
    try {
      const connection = await connect(this.#options, this.#names, this.#closing.signal);
      this.#outage = undefined;
      if (this.#closing.signal.aborted || this.#open >= this.#options.connections) await connection.end();
      else {
        this.#open += 1;
        this.#hand(connection);
      }
    } catch (error) {
      if (this.#outage) this.#outage = { error };
    } finally {
      this.#tries -= 1;
    }
  }

  #refuseWaiting(cause: unknown): void {
    for (let next = this.#nextWaiting(); next; next = this.#nextWaiting()) next.reject(unreachable(cause));
  }

  #refuseWhenClosed(): void {
    if (this.#closing.signal.aborted) throw unreachable(new Error('the store is closed'));
  }

  /** Waits for what is taken, and ends all. */
  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#trying);
    const free = this.#free.splice(0);
    this.#open -= free.length;
    this.#refuseWaiting(new Error('the store is closed'));
    await Promise.all(free.map((connection) => connection.end()));
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}
