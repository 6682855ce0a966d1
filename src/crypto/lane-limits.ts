import type { LaneName } from './lanes.ts';

/** How one lane is run. All limits of the crypto pool are in this file. */
export interface LaneLimits {
  /** Name of the task file under `workers/`. */
  readonly worker: string;
  /** Most threads, from the number of cores. */
  readonly threads: (cores: number) => number;
  /** Tasks a thread is given before it has answered the first; more than one spares short tasks the wait for the main thread. */
  readonly tasksPerThread: number;
  /** Tasks that may wait; one more is refused. */
  readonly queue: number;
  /** Added to the niceness of the threads. */
  readonly nice: number;
  /** An idle thread ends after so long; Infinity keeps it warm. */
  readonly idleMs: number;
  /** Heap of a thread, in MiB; what WebAssembly and native code allocate does not count. */
  readonly heapMb: number;
}

const ALL_CORES = (cores: number): number => cores;
const ONE = (): number => 1;

/**
 * The lanes. Together they hold more threads than there are cores, but by priority they share them: signing, which every session
 * waits for, runs at normal priority, and all else gives way to it and to the HTTP threads.
 */
export const LANES = {
  hash: { worker: 'hash', threads: ALL_CORES, tasksPerThread: 1, queue: 512, nice: 5, idleMs: 10_000, heapMb: 32 },
  sign: { worker: 'sign', threads: ALL_CORES, tasksPerThread: 4, queue: 4096, nice: 0, idleMs: Number.POSITIVE_INFINITY, heapMb: 32 },
  import: { worker: 'hash', threads: ONE, tasksPerThread: 1, queue: 256, nice: 15, idleMs: 10_000, heapMb: 32 },
} as const satisfies Partial<Record<LaneName, LaneLimits>>;

/** The lanes that exist. */
export type OpenLane = keyof typeof LANES;
