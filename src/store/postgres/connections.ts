import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import type { Client, ClientConfig, QueryResult } from 'pg';
import { isOutage, unreachable } from './faults.ts';
import type { Statement } from './statements.ts';

/** How the database is reached, and how much of it a thread may use. */
export interface ConnectionOptions {
  readonly url: string;
  readonly password: string | undefined;
  /** Most connections of this thread. */
  readonly connections: number;
  /** Whether statements are prepared by name. */
  readonly prepared: boolean;
  /** Longest wait for a connection and for an answer, ms. */
  readonly timeoutMs: number;
  /** Settings that each session begins with. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told of each notice on a channel to which the session listens. */
  readonly onNotice?: () => void;
}

/**
 * Settings of sessions. Plans keep to the primary key and to the order of the keys they are given: with few rows a scan
 * would seem cheaper; what is switched off counts as so dear that PostgreSQL would compile the plan, for 70 ms each.
 * Who waits for a lock longer than this lets others go first.
 */
export const SETTINGS: Readonly<Record<string, string>> = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  lock_timeout: '200',
};

/** The rows that statements answered. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** One connection; statements sent to it without waiting travel together. */
export class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #prepared: boolean;
  readonly #timeoutMs: number;
  readonly #names: Map<string, string>;
  /** Why it can be used no more. */
  broken: Error | undefined;
  #running = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, socket: Socket, { prepared, timeoutMs }: ConnectionOptions, names: Map<string, string>) {
    this.#client = client;
    this.#socket = socket;
    this.#prepared = prepared;
    this.#timeoutMs = timeoutMs;
    this.#names = names;
    client.on('error', (error) => this.#break(error));
    client.on('end', () => this.#break(new Error('the connection has ended')));
  }

  /** Sends a statement; those sent before in the same turn go in the same write. */
  async run({ text, values }: Statement): Promise<Rows> {
    if (this.broken) throw this.broken;
    this.#begin();
    try {
      const named = this.#prepared && values.length > 0 ? { name: this.#nameOf(text) } : {};
      const result: QueryResult = await this.#client.query({ ...named, text, values: [...values] });
      return result.rows;
    } catch (error) {
      throw this.broken ?? error;
    } finally {
      this.#end();
    }
  }

  /** Cuts the connection: whatever runs on it fails, and nobody knows what became of it. */
  destroy(reason: Error): void {
    this.#break(reason);
    // What the library offers waits for the server, which may never answer.
    this.#socket.destroy();
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `w${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }

  #break(error: Error): void {
    this.broken ??= error;
  }

  #begin(): void {
    this.#running += 1;
    this.#timer ??= setTimeout(() => this.destroy(new Error('the database does not answer')), this.#timeoutMs);
  }

  #end(): void {
    this.#running -= 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running > 0 && !this.broken)
      this.#timer = setTimeout(() => this.destroy(new Error('the database does not answer')), this.#timeoutMs);
  }
}

interface Waiting {
  readonly resolve: (connection: Connection) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/** More that wait than this are refused at once: they would only time out. */
const MOST_WAITING = 1_000;

const load = createRequire(import.meta.url);

/** The connections of one thread. */
export class Connections {
  readonly #options: ConnectionOptions;
  readonly #free: Connection[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #names = new Map<string, string>();
  #open = 0;
  #isClosed = false;
  #onEmpty = (): void => {};

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** A connection for its caller alone, until it is given back. @throws StoreUnavailable */
  async take(): Promise<Connection> {
    for (let free = this.#free.pop(); free; free = this.#free.pop()) {
      if (!free.broken) return free;
      this.#open -= 1;
    }
    if (this.#isClosed) throw unreachable(new Error('the store is closed'));
    if (this.#open < this.#options.connections) return this.#connect();
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
    if (connection.broken || this.#isClosed) {
      this.#open -= 1;
      if (!connection.broken) void connection.end();
      this.#replace();
      if (this.#open === 0) this.#onEmpty();
      return;
    }
    const next = this.#waiting.shift();
    if (!next) {
      this.#free.push(connection);
      return;
    }
    clearTimeout(next.timer);
    next.resolve(connection);
  }

  /** Who waits gets a new connection in place of a broken one. */
  #replace(): void {
    const next = this.#isClosed ? undefined : this.#waiting.shift();
    if (!next) return;
    clearTimeout(next.timer);
    this.#connect().then(next.resolve, next.reject);
  }

  async #connect(): Promise<Connection> {
    this.#open += 1;
    try {
      return await connect(this.#options, this.#names);
    } catch (error) {
      this.#open -= 1;
      throw isOutage(error) ? unreachable(error) : error;
    }
  }

  /** Waits for what is taken, and ends all. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const free = this.#free.splice(0);
    this.#open -= free.length;
    for (const { reject, timer } of this.#waiting.splice(0)) {
      clearTimeout(timer);
      reject(unreachable(new Error('the store is closed')));
    }
    await Promise.all(free.map((connection) => connection.end()));
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
  }
}

/** The driver reads `sslmode` more strictly than PostgreSQL's own library, unless it is told not to. */
function asLibpq(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (parsed.searchParams.has('sslmode') && !parsed.searchParams.has('uselibpqcompat')) parsed.searchParams.set('uselibpqcompat', 'true');
  return parsed.href;
}

/** Opens a connection. @throws what the library or the database says */
export async function connect(options: ConnectionOptions, names = new Map<string, string>()): Promise<Connection> {
  const { Client: PgClient } = load('pg') as typeof import('pg');
  const { url, password, settings: wanted = {}, timeoutMs } = options;
  const begun = Object.entries(wanted).map(([name, value]) => `-c ${name}=${value}`);
  const settings = begun.length > 0 ? { options: begun.join(' ') } : {};
  const socket = new Socket();
  const config: ClientConfig & { readonly pipeline: boolean } = {
    connectionString: asLibpq(url),
    ...(password !== undefined && { password }),
    ...settings,
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    pipeline: true,
    stream: () => socket,
    application_name: 'watchword',
  };
  const client = new PgClient(config);
  const connection = new Connection(client, socket, options, names);
  if (options.onNotice) client.on('notification', options.onNotice);
  await client.connect();
  return connection;
}
