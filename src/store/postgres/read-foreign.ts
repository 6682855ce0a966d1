import { createRequire } from 'node:module';
import type { Client, QueryResult } from 'pg';
import { ForeignFault, type ForeignDatabase, type ForeignPlan, type Row } from '../foreign-database.ts';
import { reasonOf } from './faults.ts';
import { placeOf, serversOf } from './servers.ts';

const CONNECT_MS = 15_000;
const KEEP_ALIVE_MS = 10_000;

/** A standby serves as well, and so does a database that was frozen so that nobody writes to it any more. */
const BEGIN = [
  'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
  'SET LOCAL statement_timeout = 0',
  'SET LOCAL lock_timeout = 0',
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  "SET LOCAL work_mem = '64MB'",
  'SET LOCAL jit = off',
];

const load = createRequire(import.meta.url);

/** Reads a database in transactions that write nothing. @throws ForeignFault */
export async function readForeign({ url }: ForeignPlan): Promise<ForeignDatabase> {
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
  const database = new ClientDatabase(client, placeOf(url));
  await database.begin();
  return database;
}

/** One connection; statements wait for each other. */
class ClientDatabase implements ForeignDatabase {
  readonly #client: Client;
  readonly #place: string;
  #isConnected = false;
  #cursors = 0;

  constructor(client: Client, place: string) {
    this.#client = client;
    this.#place = place;
    // Whatever is asked next fails, and says so.
    client.on('error', () => {});
  }

  async begin(): Promise<void> {
    if (!this.#isConnected) await this.#guarded(this.#client.connect());
    this.#isConnected = true;
    for (const text of BEGIN) await this.rows(text);
  }

  async rows(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    const { rows }: QueryResult<Row> = await this.#guarded(this.#client.query({ text, values: [...values] }));
    return rows;
  }

  async *pages(text: string, values: readonly unknown[], size: number): AsyncGenerator<readonly Row[], undefined> {
    const name = `pages_${this.#cursors++}`;
    await this.rows(`DECLARE ${name} NO SCROLL CURSOR FOR ${text}`, values);
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

  async renew(): Promise<void> {
    await this.rows('COMMIT');
    await this.begin();
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  async #guarded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw new ForeignFault(`the database ${this.#place} cannot be read: ${reasonOf(error)}`, { cause: error });
    }
  }
}
