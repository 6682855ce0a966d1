import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { type LaneLimits, laneThreads } from './lane-limits.ts';
import { LaneFullError, type LaneName, TaskTimeoutError } from './lane-errors.ts';
import type { Asked, Settled } from './perform.ts';
import type { Slots } from './slots.ts';
import { type Asking, memoryOf, type Tasks } from './tasks.ts';

/** Counts since the start, and the present load. `rejected`: for a full lane; `died`: workers lost under a task. */
export interface LaneCounters {
  readonly queued: number;
  /** For how long the one that waits longest has waited; 0 where none waits. */
  readonly oldestSeconds: number;
  readonly running: number;
  readonly completed: number;
  readonly rejected: number;
  readonly died: number;
}

/** Seconds since a time of `performance.now`; 0 for none. */
export const secondsSince = (at: number | undefined): number => (at === undefined ? 0 : (performance.now() - at) / 1e3);

/** How a task is placed in its lane. The signal takes it out of the queue; a task that runs is not disturbed. */
export interface Placement extends Asking {
  /** A place the task needs while it runs. */
  readonly slots?: Slots | undefined;
}

interface Job {
  readonly task: Asked;
  /** On the clock of `performance.now`. */
  readonly askedAt: number;
  readonly placement: Placement;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
  /** Listens to the placement's signal while the job waits. */
  cancel?: () => void;
}

/**
 * A bounded queue before a Piscina pool whose workers do the tasks of a table. The pool gets only what it can start:
 * its own queue forgets tasks when its last worker dies, and cannot wait for slots. If a worker dies outside a task
 * (mostly at its start), its pool is given up with all tasks, as it might never run them; the next task opens another.
 */
export class Lane<T extends Tasks<T>> {
  readonly #name: LaneName;
  readonly #limits: LaneLimits;
  readonly #threads: number;
  readonly #waiting = new Set<Job>();
  readonly #started = new Set<Job>();
  /** Why workers died: one death rejects all the worker's tasks with the same error. */
  readonly #deaths = new WeakSet<object>();
  #pool: Piscina | undefined;
  #closing = false;
  #whenIdle: (() => void) | undefined;
  #completed = 0;
  #rejected = 0;
  #died = 0;

  constructor(name: LaneName, limits: LaneLimits, cores: number) {
    this.#name = name;
    this.#limits = limits;
    this.#threads = laneThreads(limits, cores);
  }

  get counters(): LaneCounters {
    return {
      queued: this.#waiting.size,
      oldestSeconds: secondsSince(this.#waiting.values().next().value?.askedAt),
      running: this.#started.size,
      completed: this.#completed,
      rejected: this.#rejected,
      died: this.#died,
    };
  }

  /**
   * Runs a task on a thread of the lane. Rejects with `LaneFullError` when the queue is full or the lane closes, the
   * signal's reason when cancelled, `TaskTimeoutError` after `taskMs`, an error when it fails or its worker dies.
   */
  run<N extends keyof T & string>(name: N, asked: Parameters<T[N]>, placement: Placement = {}): Promise<Awaited<ReturnType<T[N]>>> {
    if (this.#closing || this.#waiting.size >= this.#limits.queue) {
      this.#rejected += 1;
      return Promise.reject(new LaneFullError(this.#name));
    }
    const { signal } = placement;
    if (signal?.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const job: Job = { task: { name, asked }, askedAt: performance.now(), placement, resolve, reject };
      this.#waiting.add(job);
      if (signal) {
        job.cancel = () => this.#waiting.delete(job) && reject(signal.reason);
        signal.addEventListener('abort', job.cancel, { once: true });
      }
      this.#startWaiting();
    });
  }

  /** Refuses what waits, finishes what runs, ends the threads. */
  async close(): Promise<void> {
    this.#closing = true;
    for (const job of this.#waiting) job.reject(new LaneFullError(this.#name));
    this.#waiting.clear();
    if (this.#started.size > 0) await new Promise<void>((resolve) => (this.#whenIdle = resolve));
    await this.#pool?.destroy();
  }

  #startWaiting(): void {
    const capacity = this.#threads * this.#limits.tasksPerThread;
    for (const job of this.#waiting) {
      if (this.#started.size >= capacity) return;
      const { slots } = job.placement;
      // Tasks without a free slot are passed over: others need not wait for them.
      if (slots === undefined || slots.take()) {
        this.#waiting.delete(job);
        this.#start(job);
      }
    }
  }

  #start(job: Job): void {
    this.#started.add(job);
    job.placement.onStart?.();
    if (job.cancel) job.placement.signal?.removeEventListener('abort', job.cancel);
    const { taskMs } = this.#limits;
    const limit = new AbortController();
    // Aborting a task that runs ends its thread; the pool starts another for the next.
    const timer = taskMs === undefined ? undefined : setTimeout(() => limit.abort(new TaskTimeoutError(this.#name)), taskMs);
    const options = { transferList: memoryOf(job.task.asked), signal: taskMs === undefined ? null : limit.signal };
    const running: Promise<Settled<never>> = this.#open().run(job.task, options);
    running
      .finally(() => clearTimeout(timer))
      .then(
        (settled) => this.#end(job, settled),
        (error: unknown) => {
          const cause: unknown = limit.signal.aborted ? limit.signal.reason : error;
          this.#countDeath(cause);
          this.#end(job, { cause });
        },
      );
  }

  #end(job: Job, outcome: Settled<never> | { readonly cause: unknown }): void {
    // A task of a pool that was given up has ended before.
    if (!this.#started.delete(job)) return;
    this.#completed += 'cause' in outcome ? 0 : 1;
    if ('value' in outcome) job.resolve(outcome.value);
    else if ('failure' in outcome) job.reject(new Error(`a task of the ${this.#name} lane failed: ${outcome.failure}`));
    else if (outcome.cause instanceof TaskTimeoutError) job.reject(outcome.cause);
    else job.reject(new Error(`a worker of the ${this.#name} lane died`, { cause: outcome.cause }));
    job.placement.slots?.give();
    this.#startWaiting();
    if (this.#started.size === 0) this.#whenIdle?.();
  }

  #giveUp(pool: Piscina, error: unknown): void {
    if (this.#pool !== pool) return;
    this.#pool = undefined;
    this.#countDeath(error);
    // A copy: each task that ends lets another start, in the next pool.
    const lost = Array.from(this.#started);
    for (const job of lost) this.#end(job, { cause: error });
    pool.destroy().catch(() => {
      // Its threads are gone already.
    });
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
    const { worker, tasksPerThread, nice, idleMs, heapMb, youngHeapMb } = this.#limits;
    const pool = new Piscina({
      filename: fileURLToPath(new URL(`../../workers/${worker}.js`, import.meta.url)),
      minThreads: 0,
      maxThreads: this.#threads,
      concurrentTasksPerWorker: tasksPerThread,
      idleTimeout: idleMs,
      niceIncrement: nice,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, maxYoungGenerationSizeMb: youngHeapMb },
      recordTiming: false,
    });
    // A worker that dies without a task is reported here; without a listener it would end the process.
    pool.on('error', (error: unknown) => this.#giveUp(pool, error));
    this.#pool = pool;
    return pool;
  }
}
