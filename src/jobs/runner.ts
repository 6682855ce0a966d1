import { setTimeout as rest } from 'node:timers/promises';
import type { Job } from '../recipes/recipe.ts';
import { defineCollection } from '../store/collection.ts';
import { fencedStore } from '../store/fenced.ts';
import type { Reader, Store } from '../store/store.ts';
import { Pace } from './pace.ts';

/** When a job last ran in the cluster and who may run it now. Times are ms since the epoch. */
export interface Lease {
  readonly job: string;
  /** A random id of the process that runs the job, `''` for nobody. */
  readonly holder: string;
  readonly heldUntil: number;
  readonly ranAt: number;
  /** When the last run began, which may go on; none before the first. */
  readonly startedAt?: number | undefined;
  /** What kind of fault ended the last run; none where it ended well. */
  readonly fault?: string | undefined;
}

/** Which process runs which job. */
export const leases = defineCollection({
  id: 4,
  name: 'leases',
  scope: 'core',
  format: 1,
  fields: { job: 1, holder: 2, heldUntil: 3, ranAt: 4, startedAt: 5, fault: 6 },
  key: (lease: Lease) => [lease.job],
});

/** When a job last ended in the cluster, ms since the epoch; `undefined` before its first turn was noted. */
export async function lastRunOf(store: Store, job: string): Promise<number | undefined> {
  const lease = await store.read((reader) => reader.get(leases, [job]));
  return lease?.ranAt;
}

/** A holder that has not renewed for this long has died; it renews after half of this. */
const LEASE_MS = 60_000;
/** The lease is looked at at least this often, however long the interval: clocks jump and other processes end. */
const LONGEST_WAIT_MS = 3_600_000;
const SHORTEST_WAIT_MS = 1_000;
/** Processes of a cluster do not wake at the same moment. */
const JITTER = 0.1;

/** What the runner needs of the world. */
export interface RunnerDependencies<S> {
  readonly store: Store;
  /** What jobs work with. @param store the one for their transactions, which end with the lease */
  readonly services: (store: Store) => S;
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly randomUnit: () => number;
  /** Random, unlike that of any other process. */
  readonly holder: string;
  /** Told of every failure; none is fatal, the job is tried again after its interval. */
  readonly onFault: (job: string, error: unknown) => void;
}

/** A transaction of a job was refused: another process runs it by now. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The name of an error and its code: unlike its text, they hold nothing of what was worked on. */
function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? `${error.name} ${error.code}` : error.name;
}

/** Runs each job once per interval in the whole cluster, as long as the process lives. */
export class JobRunner<S> {
  readonly #jobs: readonly Job<S>[];
  readonly #needs: RunnerDependencies<S>;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<void>>();
  #stopping = false;

  constructor(jobs: readonly Job<S>[], needs: RunnerDependencies<S>) {
    this.#jobs = jobs;
    this.#needs = needs;
  }

  start(): void {
    for (const job of this.#jobs) this.#wait(job, Math.min(job.everyMs, SHORTEST_WAIT_MS));
  }

  /** Begins nothing more and resolves when the batches that run have ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    await Promise.all(this.#running);
  }

  /** Runs the job now if it is due and nobody else does; answers how many ms to wait before looking again. */
  async tick(job: Job<S>): Promise<number> {
    const { store, services } = this.#needs;
    if (job.hasWork && !(await job.hasWork(services(store)))) return job.everyMs;
    const wait = await this.#claim(job);
    if (wait > 0) return wait;
    let fault: string | undefined;
    try {
      await this.#runAll(job);
    } catch (error) {
      fault = kindOf(error);
      throw error;
    } finally {
      await this.#release(job, fault);
    }
    return job.everyMs;
  }

  /** Batch after batch, until there is no more work, or another process has taken the job over. */
  async #runAll(job: Job<S>): Promise<void> {
    try {
      await this.#runBatches(job);
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    }
  }

  async #runBatches(job: Job<S>): Promise<void> {
    const { store, services: servicesOn } = this.#needs;
    const services = servicesOn(fencedStore(store, (reader) => this.#mustHold(reader, job)));
    const pace = new Pace();
    let renewedAt = performance.now();
    while (!this.#stopping) {
      const startedAt = performance.now();
      if (!(await job.run(services, pace.limit))) return;
      await rest(pace.took(performance.now() - startedAt));
      if (performance.now() - renewedAt < LEASE_MS / 2) continue;
      if (!(await this.#renew(job))) return;
      renewedAt = performance.now();
    }
  }

  /** A process that was paused for longer than a lease lasts finds out only so that it has lost it. */
  async #mustHold(reader: Reader, { name }: Job<S>): Promise<void> {
    if ((await reader.get(leases, [name]))?.holder !== this.#needs.holder) throw new LeaseLost(name);
  }

  #wait(job: Job<S>, ms: number): void {
    if (this.#stopping) return;
    const bounded = Math.min(Math.max(ms, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
    const timer = setTimeout(() => this.#wake(job), bounded * (1 + JITTER * this.#needs.randomUnit()));
    this.#timers.set(job.name, timer.unref());
  }

  #wake(job: Job<S>): void {
    const run = this.tick(job)
      .catch((error: unknown) => {
        this.#needs.onFault(job.name, error);
        return job.everyMs;
      })
      .then((wait) => {
        this.#running.delete(run);
        this.#wait(job, wait);
      });
    this.#running.add(run);
  }

  /** 0 when the lease is ours now, otherwise the ms until the job may be due. */
  async #claim({ name, everyMs }: Job<S>): Promise<number> {
    const { store, holder } = this.#needs;
    const time = await this.#time();
    return store.transact(async (tx) => {
      const lease = await tx.get(leases, [name]);
      if (!lease) {
        await tx.put(leases, { job: name, holder: '', heldUntil: 0, ranAt: time });
        return everyMs;
      }
      const sinceRun = time - lease.ranAt;
      // Below 0 the clock was set back; that must not keep the job from running.
      if (sinceRun >= 0 && sinceRun < everyMs) return everyMs - sinceRun;
      const left = lease.heldUntil - time;
      // Nobody holds it longer than a lease; one that seems to last longer is from before the clock was set back.
      if (lease.holder !== '' && lease.holder !== holder && left > 0 && left <= LEASE_MS) return left;
      await tx.put(leases, { ...lease, holder, heldUntil: time + LEASE_MS, startedAt: time });
      return 0;
    });
  }

  /** False when another process took the job over because this one was too slow. */
  async #renew({ name }: Job<S>): Promise<boolean> {
    const { store, holder } = this.#needs;
    const time = await this.#time();
    return store.transact(async (tx) => {
      const lease = await tx.get(leases, [name]);
      if (lease?.holder !== holder) return false;
      await tx.put(leases, { ...lease, heldUntil: time + LEASE_MS });
      return true;
    });
  }

  async #release({ name }: Job<S>, fault: string | undefined): Promise<void> {
    const { store, holder } = this.#needs;
    const time = await this.#time();
    return store.transact(async (tx) => {
      const lease = await tx.get(leases, [name]);
      if (lease?.holder === holder) await tx.put(leases, { ...lease, holder: '', heldUntil: 0, ranAt: time, fault });
    });
  }

  /** By the clock that all who may hold a lease share. */
  async #time(): Promise<number> {
    const { store, now } = this.#needs;
    return (await store.time()) ?? now();
  }
}
