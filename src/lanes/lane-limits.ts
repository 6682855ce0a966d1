import type { LaneName } from './lane-errors.ts';

/** How one lane of the pool is run. All limits of the lanes, that of signing too, are in this file. */
export interface LaneLimits {
  /** Name of the task file under `workers/`. */
  readonly worker: string;
  /** Most threads, from the number of cores. */
  readonly threads: (cores: number) => number;
  /** Tasks given to a thread before it answers the first; above one, short tasks need not wait for the main thread. */
  readonly tasksPerThread: number;
  /** Tasks that may wait; one more is refused. */
  readonly queue: number;
  /** Added to the niceness of the threads. */
  readonly nice: number;
  /** An idle thread ends after so long. */
  readonly idleMs: number;
  /** Heap of a thread, in MiB; memory of WebAssembly and native code is not counted. */
  readonly heapMb: number;
  /** The part of it for short-lived objects, in MiB: small for tasks that make few of them. */
  readonly youngHeapMb: number;
  /** A task that takes longer, the start of its thread included, ends with its thread. Needs `tasksPerThread` 1. */
  readonly taskMs?: number;
}

const ALL_CORES = (cores: number): number => cores;
const ONE = (): number => 1;

/**
 * The lanes of the pool. They have more threads than there are cores, and share these by priority: they give way to the
 * HTTP threads and to signing, which every session waits for and which runs on libuv's threads at normal priority.
 */
export const LANES = {
  hash: { worker: 'hash', threads: ALL_CORES, tasksPerThread: 1, queue: 512, nice: 5, idleMs: 10_000, heapMb: 32, youngHeapMb: 4 },
  /** Reads whole uploads: 64 MiB of JSON become some hundred MiB of objects. */
  import: { worker: 'import', threads: ONE, tasksPerThread: 1, queue: 256, nice: 15, idleMs: 10_000, heapMb: 1024, youngHeapMb: 32 },
  /** The largest and deepest document that is let in takes up to 3 s and some 60 MiB on a core of its own. */
  xml: {
    worker: 'xml',
    threads: ALL_CORES,
    tasksPerThread: 1,
    queue: 256,
    nice: 5,
    idleMs: 10_000,
    heapMb: 192,
    youngHeapMb: 48,
    taskMs: 10_000,
  },
  /** Makes RSA keys that nobody waits for yet. A thread loads little and ends soon; a stop waits for its pair. */
  keys: { worker: 'keys', threads: ONE, tasksPerThread: 1, queue: 1, nice: 5, idleMs: 500, heapMb: 16, youngHeapMb: 1 },
} as const satisfies Partial<Record<LaneName, LaneLimits>>;

/** Threads that a lane may have. */
export const laneThreads = ({ threads }: Pick<LaneLimits, 'threads'>, cores: number): number => Math.max(1, threads(cores));

/** The lanes of the pool. */
export type OpenLane = keyof typeof LANES;

/** Signatures that may wait in one HTTP thread; one more is refused. At 1 ms each, the last waits a second or two. */
export const SIGN_QUEUE = 2048;

/** Pairs for signing keys that are kept ready: those of one new app. They are made after the start, at low priority. */
export const KEY_STOCK = 2;

/** Signing keys ordered and not made yet, by all threads; one more is refused, or left to the first use of its app. */
export const KEY_QUEUE = 256;

/** Signing keys made at a time while somebody waits: the two of an app, and a few more where there are cores. */
export function keyWidth(cores: number): number {
  return Math.min(4, Math.max(2, cores));
}

/** Keys of service providers queued in one HTTP thread; made one at a time, in 0.1 to 1 s. One more is refused. */
export const SP_KEY_QUEUE = 32;

/** A signature under way while the thread takes in the result of another. */
const LEAST_SIGNATURES = 2;

/** Signatures that one HTTP thread has under way at a time: all threads together keep the cores just busy. */
export function signingWidth(cores: number, httpThreads: number): number {
  return Math.max(LEAST_SIGNATURES, Math.ceil(cores / httpThreads));
}

/** What a lane can take: tasks that run at a time, and tasks that wait. */
export interface LaneSize {
  readonly threads: number;
  readonly queue: number;
}

/** The sizes of all lanes of a process. */
export function laneSizes(cores: number, httpThreads: number): Readonly<Record<LaneName, LaneSize>> {
  const sizeOf = ({ threads, queue }: LaneLimits): LaneSize => ({ threads: laneThreads({ threads }, cores), queue });
  return {
    hash: sizeOf(LANES.hash),
    import: sizeOf(LANES.import),
    xml: sizeOf(LANES.xml),
    keys: sizeOf(LANES.keys),
    sign: { threads: signingWidth(cores, httpThreads) * httpThreads, queue: SIGN_QUEUE * httpThreads },
  };
}
