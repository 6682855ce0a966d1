import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { LaneLimits } from './lane-limits.ts';
import { LaneFullError, type LaneName } from './lanes.ts';
import type { Slots } from './slots.ts';
import type { Settled } from './task.ts';

/** Counts since the start, and the present load. `rejected`: refused because full; `died`: workers lost under a task. */
export interface LaneCounters {
  readonly queued: number;
  readonly running: number;
  readonly completed: number;
  readonly rejected: number;
  readonly died: number;
}

/** How a task is placed in its lane. */
export interface Placement {
  /** A place the task needs while it runs. */
  readonly slots?: Slots | undefined;
  /** Takes the task out of the queue; a task that runs is not disturbed. */
  readonly signal?: AbortSignal | undefined;
}

interface Job {
  readonly task: unknown;
  readonly placement: Placement;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** Listens to the placement's signal while the job waits. */
  cancel?: () => void;
}

/**
 * A bounded queue before a Piscina pool. The pool is given only what it can start: its own queue forgets its tasks when a last worker
 * dies, and cannot wait for slots.
 */
export class Lane {
  readonly #name: LaneName;
  readonly #limits: LaneLimits;
  readonly #threads: number;
  readonly #waiting = new Set<Job>();
  /** Reasons for which workers died: one death rejects all the tasks of the worker with the same error. */
  readonly #deaths = new WeakSet<object>();
  #pool: Piscina | undefined;
  #closing = false;
  #whenIdle: (() => void) | undefined;
  #running = 0;
  #completed = 0;
  #rejected = 0;
  #died = 0;

  constructor(name: LaneName, limits: LaneLimits, cores: number) {
    this.#name = name;
    this.#limits = limits;
    this.#threads = Math.max(1, limits.threads(cores));
  }

  get counters(): LaneCounters {
    return {
      queued: this.#waiting.size,
      running: this.#running,
      completed: this.#completed,
      rejected: this.#rejected,
      died: this.#died,
    };
  }

  /**
   * Runs a task on a thread of the lane. Rejects with `LaneFullError` when the queue is full or the lane closes, with the signal's
   * reason when cancelled, and with an error when the task fails or its worker dies.
   */
  run<T>(task: unknown, placement: Placement = {}): Promise<T> {
    if (this.#closing || this.#waiting.size >= this.#limits.queue) {
      this.#rejected += 1;
      return Promise.reject(new LaneFullError(this.#name));
    }
    const { signal } = placement;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise<T>((resolve, reject) => {
      const job: Job = { task, placement, resolve, reject };
      this.#waiting.add(job);
      if (signal) {
        job.cancel = () => this.#waiting.delete(job) && reject(signal.reason);
        signal.addEventListener('abort', job.cancel, { once: true });
      }
      this.#startWaiting();
    });
  }

  /** Starts the first thread ahead of the first task. */
  warm(): void {
    this.#open();
  }

  /** Refuses what waits, finishes what runs, ends the threads. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const job of this.#waiting) job.reject(new LaneFullError(this.#name));
    this.#waiting.clear();
    if (this.#running > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#pool?.destroy();
  }

  #startWaiting(): void {
    const capacity = this.#threads * this.#limits.tasksPerThread;
    for (const job of this.#waiting) {
      if (this.#running >= capacity) return;
      const { slots } = job.placement;
      // Those without a free slot are passed by: others need not wait for them.
      if (slots === undefined || slots.take()) {
        this.#waiting.delete(job);
        this.#start(job);
      }
    }
  }

  #start(job: Job): void {
    this.#running += 1;
    if (job.cancel) job.placement.signal?.removeEventListener('abort', job.cancel);
    const settled: Promise<Settled<never>> = this.#open().run(job.task);
    settled
      .then(
        (result) => {
          this.#completed += 1;
          if ('value' in result) job.resolve(result.value);
          else job.reject(new Error(`a task of the ${this.#name} lane failed: ${result.failure}`));
        },
        (error: unknown) => {
          this.#countDeath(error);
          job.reject(new Error(`a worker of the ${this.#name} lane died`, { cause: error }));
        },
      )
      .finally(() => this.#finish(job));
  }

  #finish(job: Job): void {
    this.#running -= 1;
    job.placement.slots?.give();
    this.#startWaiting();
    if (this.#running === 0) this.#whenIdle?.();
  }

  #countDeath(error: unknown): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#deaths.has(error)) return;
      this.#deaths.add(error);
    }
    this.#died += 1;
  }

  #open(): Piscina {
    if (this.#pool) return this.#pool;
    const { worker, tasksPerThread, nice, idleMs, heapMb } = this.#limits;
    const warm = idleMs === Number.POSITIVE_INFINITY;
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL(`../../workers/${worker}.js`, import.meta.url)),
      minThreads: warm ? 1 : 0,
      maxThreads: this.#threads,
      concurrentTasksPerWorker: tasksPerThread,
      idleTimeout: idleMs,
      niceIncrement: nice,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: 4 },
      recordTiming: false,
    });
    // A worker that dies without a task is reported here; without a listener it would end the process.
    this.#pool.on('error', (error: unknown) => this.#countDeath(error));
    return this.#pool;
  }
}
