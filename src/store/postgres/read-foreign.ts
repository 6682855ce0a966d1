import { createRequire } from 'node:module';
import type { Client, QueryResult } from 'pg';
import { ForeignFault, type ForeignDatabase, type ForeignPlan, type Row } from '../foreign-database.ts';
import { reasonOf } from './faults.ts';
import { placeOf, serversOf } from './servers.ts';

const CONNECT_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

/** A standby serves as well, and so does a database that was frozen so that nobody writes to it any more. */
const BEGIN: readonly [string, ...string[]] = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL lock_timeout = 0',
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  "SET LOCAL work_mem = '64MB'",
  'SET LOCAL jit = off',
  // Bytes that are no text come as they are: the server would end the statement that meets one.
  "SELECT set_config('client_encoding', 'SQL_ASCII', true) WHERE current_setting('server_encoding') = 'SQL_ASCII'",
];

const load = createRequire(import.meta.url);

const PLAN_BY = `SELECT set_config('enable_seqscan', $1, true), set_config('enable_hashjoin', $1, true), set_config('enable_mergejoin', $1, true)`;

/** Servers before this version cannot share what a standby sees. */
const SHARED_SNAPSHOT = `SELECT CASE WHEN NOT pg_is_in_recovery() OR current_setting('server_version_num')::int >= 100000
  THEN pg_export_snapshot() END AS snapshot`;

/** Reads a database in transactions that write nothing. @throws ForeignFault */
export async function readForeign({ url }: ForeignPlan): Promise<ForeignDatabase> {
  const database = connectionTo(url);
  await database.begin();
  return database;
}

function connectionTo(url: string): ClientDatabase {
  const { Client: PgClient } = load('pg') as typeof import('pg');
  const [server = { url, options: undefined }] = serversOf(url);
  const client = new PgClient({
    connectionString: server.url,
    ...(server.options !== undefined && { options: server.options }),
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'watchword migrate',
  });
  return new ClientDatabase(client, url);
}

/** One connection; statements wait for each other. */
class ClientDatabase implements ForeignDatabase {
  readonly #client: Client;
  readonly #url: string;
  #isConnected = false;
  #cursors = 0;
  /** The statement that was asked last. */
  #last: Promise<unknown> = Promise.resolve();
  #beside: readonly ClientDatabase[] = [];

  constructor(client: Client, url: string) {
    this.#client = client;
    this.#url = url;
    // Whatever is asked next fails, and says so.
    client.on('error', () => {});
  }

  get beside(): readonly ForeignDatabase[] {
    return this.#beside;
  }

  /** @param snapshot what another connection sees; without one, the instant of now */
  async begin(snapshot?: string): Promise<void> {
    if (!this.#isConnected) await this.#guarded(this.#client.connect());
    this.#isConnected = true;
    const [first, ...settings] = BEGIN;
    const shared = snapshot === undefined ? [] : [`SET TRANSACTION SNAPSHOT '${snapshot}'`];
    for (const text of [first, ...shared, ...settings]) await this.rows(text);
  }

  async widen(connections: number): Promise<void> {
    const [row] = await this.rows(SHARED_SNAPSHOT);
    const snapshot = row?.['snapshot'];
    if (typeof snapshot !== 'string') return;
    const opened = await Promise.all(
      Array.from({ length: connections }, async () => {
        const one = connectionTo(this.#url);
        try {
          await one.begin(snapshot);
          return [one];
        } catch {
          // The server may allow no more of them: it goes with fewer.
          await one.close();
          return [];
        }
      }),
    );
    this.#beside = opened.flat();
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const asked = this.#last.then(() => this.#client.query<Record<string, unknown>>({ text, values: [...values] }));
    // What waits is asked all the same, and fails if the connection is lost.
    this.#last = asked.catch(() => undefined);
    const { rows }: QueryResult<Row> = await this.#guarded(asked);
    return rows;
  }

  async *pages(text: string, values: readonly unknown[], size: number, byIndex = false): AsyncGenerator<readonly Row[], undefined> {
    const name = `pages_${this.#cursors++}`;
    // In one turn, so that no other statement is made a plan for in between.
    const planned = [
      this.rows(PLAN_BY, [byIndex ? 'off' : 'on']),
      this.rows(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, values),
      this.rows(PLAN_BY, ['on']),
    ];
    await Promise.all(planned);
    for (let ahead = this.#fetch(name, size); ; ) {
      const page = await ahead;
      if (page.length === 0) break;
      // The server makes the next page while this one is worked on.
      ahead = this.#fetch(name, size);
      ahead.catch(() => {
        // Whoever asks for that page is told.
      });
      yield page;
    }
    await this.rows(`CLOSE ${name}`);
  }

  #fetch(name: string, size: number): Promise<readonly Row[]> {
    return this.rows(`FETCH FORWARD ${size} FROM ${name}`);
  }

  async close(): Promise<void> {
    await this.#closeBeside();
    await this.#client.end().catch(() => {});
  }

  async #closeBeside(): Promise<void> {
    const beside = this.#beside;
    this.#beside = [];
    await Promise.all(beside.map((one) => one.close()));
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw new ForeignFault(`the database ${placeOf(this.#url)} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }
}
