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

/** Where records are kept, for all threads of a process: made once and handed to every thread, so it can be cloned. */
export type StorePlan = LmdbPlan | MemoryPlan;

/** Of a store that outlives its process. */
export type LastingPlan = Exclude<StorePlan, MemoryPlan>;

/** Who is told what becomes of a store: functions, which cannot be cloned and so are not in a plan. */
export interface StoreWatch {
  /** Told when this process can read and write nothing of the store any more: it should end and be restarted. */
  readonly onLost?: (error: Error) => void;
  /** Told of every read call of an engine in memory, each of which is a round trip on an engine over the network. */
  readonly onRound?: () => void;
}

/** What the configuration says of the store. */
interface StoreOptions {
  readonly store_engine: StorePlan['engine'];
  readonly data_dir: string;
}

/** The plan of a process. */
export function planStore({ store_engine: engine, data_dir: path }: StoreOptions): StorePlan {
  return engine === 'memory' ? { engine } : { engine, path, marks: WriteMarks.allocate() };
}

/** The plan of a command on a data folder, in use by servers or not. @param readAhead everything is read in order */
export function planFolder(path: string, readAhead = false): LastingPlan {
  return { engine: 'lmdb', path, readAhead };
}

/** Whether all threads, and other processes, see the same records; otherwise one thread does everything. */
export function isShared(plan: StorePlan): plan is LastingPlan {
  return plan.engine !== 'memory';
}
