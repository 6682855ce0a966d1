import { readFileSync } from 'node:fs';
import { WriteMarks } from './lmdb/write-marks.ts';

/** A folder, made when it is missing; any number of threads and processes may open it. */
export interface LmdbPlan {
  readonly engine: 'lmdb';
  readonly path: string;
  /** Memory of `WriteMarks`, shared by the threads of a process that open this folder. */
  readonly marks?: SharedArrayBuffer;
  /** Everything will be read in order, as exports and checks do: the system may read ahead. */
  readonly readAhead?: boolean;
  /** Every read takes the way of those that wait for the disk. For tests. */
  readonly cold?: boolean;
}

/** The memory of the thread that opens it. */
export interface MemoryPlan {
  readonly engine: 'memory';
  /** Answers every read with a promise, as an engine over the network does. */
  readonly slow?: boolean;
}

/** A database that speaks PostgreSQL's protocol; any number of nodes may use it. */
export interface PostgresPlan {
  readonly engine: 'postgres';
  readonly url: string;
  /** Instead of the one in the URL. */
  readonly password: string | undefined;
  readonly schema: string;
  /** Most connections of a thread. */
  readonly connections: number;
  /** False behind a pooler that hands statements to sessions of others. */
  readonly prepared: boolean;
  /** Longest wait for a connection and for an answer, ms. */
  readonly timeoutMs: number;
  /** URL of the database itself, where commits announce changes and a connection listens for those of others. */
  readonly listenUrl?: string | null;
}

/** Where records are kept, for all threads of a process: made once and handed to every thread, so it can be cloned. */
export type StorePlan = LmdbPlan | PostgresPlan | MemoryPlan;

/** Who is told what becomes of a store: functions, which cannot be cloned and so are not in a plan. */
export interface StoreWatch {
  /** Told when this process can read and write nothing of the store any more: it should end and be restarted. */
  readonly onLost?: (error: Error) => void;
  /** Told of every read call of an engine in memory, each of which is a round trip on an engine over the network. */
  readonly onRound?: () => void;
}

/** Of a store in a folder, which this product copies and restores itself; databases have tools of their own. */
export type FolderPlan = LmdbPlan;

/** What the configuration says of the store. */
export interface StoreOptions {
  readonly store_engine: StorePlan['engine'];
  readonly data_dir: string;
  readonly postgres_url: string | null;
  readonly postgres_password_file: string | null;
  readonly postgres_schema: string;
  readonly postgres_connections: number;
  readonly postgres_prepared: boolean;
  readonly postgres_timeout_ms: number;
  readonly postgres_listen_url: string | null;
  readonly http_threads: number;
}

/** Besides the HTTP threads, main and the jobs thread use the store. */
const OTHER_THREADS = 2;

/** How the process makes its store. */
const PLANNED: { readonly [E in StorePlan['engine']]: (options: StoreOptions) => StorePlan } = {
  memory: () => ({ engine: 'memory' }),
  lmdb: ({ data_dir: path }) => ({ engine: 'lmdb', path, marks: WriteMarks.allocate() }),
  postgres: (options) => ({
    engine: 'postgres',
    url: options.postgres_url ?? '',
    password: options.postgres_password_file === null ? undefined : readPassword(options.postgres_password_file),
    schema: options.postgres_schema,
    connections: Math.max(2, Math.floor(options.postgres_connections / (options.http_threads + OTHER_THREADS))),
    prepared: options.postgres_prepared,
    timeoutMs: options.postgres_timeout_ms,
    listenUrl: options.postgres_listen_url,
  }),
};

/** The plan of a process. @throws Error where the file of the password cannot be read */
export function planStore(options: StoreOptions): StorePlan {
  return PLANNED[options.store_engine](options);
}

function readPassword(file: string): string {
  return readFileSync(file, 'utf8').replace(/\r?\n$/, '');
}

/** The plan of a command on a data folder, in use by servers or not. @param readAhead everything is read in order */
export function planFolder(path: string, readAhead = false): FolderPlan {
  return { engine: 'lmdb', path, readAhead };
}

/** Whether all threads, and other processes, see the same records; otherwise one thread does everything. */
export function isShared(plan: StorePlan): boolean {
  return plan.engine !== 'memory';
}

/** Whether it stands in a folder. */
export function isInFolder(plan: StorePlan): plan is FolderPlan {
  return plan.engine === 'lmdb';
}
