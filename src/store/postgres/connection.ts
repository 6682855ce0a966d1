import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { setTimeout as rest } from 'node:timers/promises';
import type { Client, ClientConfig, QueryResult } from 'pg';
import { asBatch, type NamedStatement } from './batch.ts';
import { ConnectionLost, isDoubtful, isSpent } from './faults.ts';
import { type ServerAddress, serversOf } from './servers.ts';
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
  readonly schema: string;
  /** Who connects; a node where it is left out. */
  readonly user?: DatabaseUser;
  /** Settings that each session begins with. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Told of each notice on a channel to which the session listens. */
  readonly onNotice?: () => void;
}

/** Who uses a store. */
export type DatabaseUser = 'node' | 'copy';

/** The rows that statements answered. */
export type Rows = readonly Readonly<Record<string, unknown>>[];

/** What a WARNING without a code of its own has: among them, that a commit was not replicated as it should be. */
const WARNING = '01000';
/** How long a connection that is no longer wanted may take to end. */
const END_LIMIT_MS = 1_000;
/** Of idle connections: firewalls forget them otherwise. */
const KEEP_ALIVE_MS = 10_000;
const TAKES_WRITES: Statement = { text: 'SHOW transaction_read_only', values: [] };

/** The names of prepared statements, the same in all sessions of a thread. */
export class StatementNames {
  readonly #names = new Map<string, string>();

  of(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `w${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** The longest name that PostgreSQL keeps, which it cuts off and rids of all but ASCII. */
const LONGEST_APPLICATION = 63;

/** How sessions are called in the lists of the database, so that a copy sees whether nodes use a schema. */
export function applicationOf({ schema, user }: Pick<ConnectionOptions, 'schema' | 'user'>): string {
  const name = `watchword${user === 'copy' ? ' copy' : ''}: ${schema}`;
  return name.replace(/[^ -~]/g, '?').slice(0, LONGEST_APPLICATION);
}

const load = createRequire(import.meta.url);

/** One connection; statements sent to it without waiting travel together. */
export class Connection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #prepared: boolean;
  readonly #timeoutMs: number;
  readonly #names: StatementNames;
  /** Statements of batches that this session has parsed. */
  readonly #parsed = new Set<string>();
  /** Why it can be used no more. */
  broken: ConnectionLost | undefined;
  /** It works, but what it does is of no use. */
  isSpent = false;
  /** Since when it waited for the answer that never came, by `performance.now()`. */
  silentSince: number | undefined;
  #running = 0;
  #waitingSince = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(client: Client, socket: Socket, { prepared, timeoutMs }: ConnectionOptions, names: StatementNames) {
    this.#client = client;
    this.#socket = socket;
    this.#prepared = prepared;
    this.#timeoutMs = timeoutMs;
    this.#names = names;
    client.on('error', (error) => this.#break(error));
    client.on('end', () => this.#break(new Error('the connection has ended')));
    client.on('notice', ({ code, message }) => {
      // A commit that is said to be done although no other server has it yet must not be believed.
      if (code === WARNING && this.#running > 0) this.destroy(new Error(message));
    });
  }

  /** What `send` sends goes in one write: each costs as much as the statements in it. */
  inOneWrite<T>(send: () => T): T {
    this.#socket.cork();
    try {
      return send();
    } finally {
      this.#socket.uncork();
    }
  }

  /** Sends a statement, without waiting for those before. */
  async run({ text, values }: Statement): Promise<Rows> {
    const named = this.#prepared && values.length > 0 ? { name: this.#names.of(text) } : {};
    const { rows }: QueryResult = await this.#whileTimed(() => this.#client.query({ ...named, text, values: [...values] }));
    return rows;
  }

  /** Sends statements of which none is run after one that fails, in one write. What they answer is dropped. */
  async runTogether(statements: readonly Statement[]): Promise<void> {
    const { Query } = load('pg') as typeof import('pg');
    const named = statements.map((statement) => this.#named(statement));
    await this.#whileTimed(
      () =>
        new Promise<void>((resolve, reject) => {
          this.#client.query(asBatch(new Query({ text: '' }), named, (error) => (error ? reject(error) : resolve())));
        }),
    );
    for (const { name } of named) if (name !== undefined) this.#parsed.add(name);
  }

  #named(statement: Statement): NamedStatement {
    if (!this.#prepared) return { ...statement, name: undefined, isParsed: false };
    const name = `b${this.#names.of(statement.text)}`;
    return { ...statement, name, isParsed: this.#parsed.has(name) };
  }

  /** @throws ConnectionLost, or what the database says */
  async #whileTimed<T>(work: () => Promise<T>): Promise<T> {
    if (this.broken) throw this.broken;
    this.#begin();
    try {
      const result = await work();
      // Said together with a warning.
      if (this.broken) throw this.broken;
      return result;
    } catch (error) {
      this.isSpent ||= isSpent(error);
      if (error instanceof Error && isDoubtful(error)) this.#break(error);
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

  /** Ends it in the orderly way, or after a while in the other. */
  async end(): Promise<void> {
    await Promise.race([this.#client.end().catch(() => {}), rest(END_LIMIT_MS, undefined, { ref: false })]);
    this.destroy(new Error('the connection has ended'));
  }

  #break(error: Error): void {
    this.broken ??= error instanceof ConnectionLost ? error : new ConnectionLost(error.message, { cause: error });
  }

  #begin(): void {
    this.#running += 1;
    if (this.#timer === undefined) this.#wait();
  }

  #end(): void {
    this.#running -= 1;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#running > 0 && !this.broken) this.#wait();
  }

  #wait(): void {
    this.#waitingSince = performance.now();
    this.#timer = setTimeout(() => {
      this.silentSince = this.#waitingSince;
      this.destroy(new Error('the database does not answer'));
    }, this.#timeoutMs);
  }
}

/**
 * Opens a connection to the server that takes writes; of several, the first that answers. A server that takes none
 * may not even be read: what others have acknowledged reaches it later.
 * @throws what the library or the database says
 */
export async function connect(options: ConnectionOptions, names = new StatementNames(), signal?: AbortSignal): Promise<Connection> {
  const attempts = serversOf(options.url, options.password).map((server) => connectTo(server, options, names, signal));
  const [only] = attempts;
  if (only && attempts.length === 1) return only;
  const first = await Promise.any(attempts);
  for (const attempt of attempts) {
    attempt.then(
      (other) => (other === first ? undefined : other.end()),
      () => {},
    );
  }
  return first;
}

async function connectTo(
  { url, options: wanted }: ServerAddress,
  options: ConnectionOptions,
  names: StatementNames,
  signal: AbortSignal | undefined,
): Promise<Connection> {
  const { Client: PgClient } = load('pg') as typeof import('pg');
  const { settings = {}, timeoutMs } = options;
  // Of a setting that is named twice the last holds: ours.
  const begun = [wanted ?? [], Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)].flat();
  const socket = new Socket();
  const abort = (): unknown => socket.destroy(new Error('the store is closed'));
  const config: ClientConfig = {
    connectionString: url,
    ...(begun.length > 0 && { options: begun.join(' ') }),
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    pipeline: true,
    stream: () => socket,
    application_name: applicationOf(options),
  };
  const client = new PgClient(config);
  const connection = new Connection(client, socket, options, names);
  if (options.onNotice) client.on('notification', options.onNotice);
  signal?.addEventListener('abort', abort);
  try {
    await client.connect();
    const [row] = await connection.run(TAKES_WRITES);
    if (row?.['transaction_read_only'] !== 'off')
      throw new ConnectionLost('it is read-only: a replica, or default_transaction_read_only is set');
    return connection;
  } catch (error) {
    connection.destroy(new Error('the connection was not made'));
    throw error;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}
