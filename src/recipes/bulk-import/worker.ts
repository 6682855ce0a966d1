import { randomUUID } from 'node:crypto';
import type { Config } from '../../config/config.ts';
import { allReady } from '../../store/maybe-promise.ts';
import type { AppNumber } from '../../store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { TenantDirectory } from '../tenants/directory.ts';
import { publicTenantOf } from '../multitenancy/public-tenant.ts';
import {
  CLAIM_MS,
  claimPiece,
  type ClaimedPiece,
  ClaimLost,
  isDue,
  nextWaitingApp,
  releaseClaim,
  renewClaim,
  storeUnder,
} from './claims.ts';
import { hasPlainPassword, importBatch, type ImportServices, type SeenEntry } from './import-batch.ts';
import { type QueueClaim, type QueuePlace, queueEntries } from './records.ts';

/** Entries in one claim: a few seconds of work where no passwords are hashed, so that no other worker waits long. */
const PIECE = 4000;
/** Users in one transaction: more touch fewer pages each, but applying it holds the write lock for milliseconds. */
const BATCH = 400;
/** Bytes at which a batch ends early: one entry may have 8 MiB, so entries are read a few at a time up to there. */
const BATCH_BYTES = 4 * 1024 * 1024;
const READ_AT_ONCE = 50;
/** Transactions at once: one is made while another is written. What more hold would outlive the young generation. */
const BATCHES_AT_ONCE = 2;
const RENEW_MS = CLAIM_MS / 4;
/** Users whose passwords are hashed for one batch, per parallel hash: seconds of work, less than a claim lasts. */
const HASHED_PER_BATCH = 8;
/** An app whose entries cannot be imported now is left alone for so long. */
const PAUSE_MS = 5_000;
/** How often the queue is looked at: one look at the first key of an index. */
const SHORTEST_LOOK_MS = 25;
const LONGEST_LOOK_MS = 500;
const LOOKS_PER_DELAY = 4;

/** What the worker needs of the world. */
export interface WorkerDependencies extends ImportServices {
  readonly directory: TenantDirectory;
  /** Random, unlike that of any other worker. */
  readonly owner: string;
  /** ms that entries wait before they are taken. */
  readonly delayMs: number;
  /** ms on a clock that only goes forward. */
  readonly elapsed: () => number;
  /** Told when importing for an app begins and ends. */
  readonly onRound?: (isRunning: boolean) => void;
}

/** What one transaction imports. */
interface Batch {
  readonly entries: readonly SeenEntry[];
  /** Places of the queue that it makes an end of. */
  readonly count: number;
}

/**
 * Imports what is in the queues of all apps while the process lives. Any number of workers and processes share them:
 * each claims a piece, and a claim that ends without being renewed goes to another (contract 05 section 6.11).
 */
export class ImportWorker {
  readonly #needs: WorkerDependencies;
  readonly #lookMs: number;
  /** Apps that have to wait, and until when on the clock that only goes forward. */
  readonly #resting = new Map<AppNumber, number>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isStopping = false;

  constructor(needs: WorkerDependencies) {
    this.#needs = needs;
    this.#lookMs = Math.min(Math.max(needs.delayMs / LOOKS_PER_DELAY, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
  }

  start(): void {
    if (this.#isStopping) return;
    this.#timer = setTimeout(() => {
      this.#running = this.runOnce()
        .catch((error: unknown) => this.#needs.onFault(error))
        .then(() => this.start());
    }, this.#lookMs).unref();
  }

  /** Begins nothing more and resolves when the batch that runs has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  /** Imports all that is due now; apps take turns, a round each. */
  async runOnce(): Promise<void> {
    while (!this.#isStopping && (await this.#pass()));
  }

  /** One round for every app that has entries; answers whether anything was imported. */
  async #pass(): Promise<boolean> {
    const { store, delayMs } = this.#needs;
    let imported = 0;
    for (let from = 0; !this.#isStopping; ) {
      const waiting = await nextWaitingApp(store, from);
      if (!waiting) break;
      if (isDue(waiting.since, await this.#time(), delayMs) && !this.#rests(waiting.app)) imported += await this.#roundOf(waiting.app);
      from = waiting.app + 1;
    }
    return imported > 0;
  }

  #rests(app: AppNumber): boolean {
    const until = this.#resting.get(app);
    if (until === undefined) return false;
    if (until > this.#needs.elapsed()) return true;
    this.#resting.delete(app);
    return false;
  }

  /** As many entries of an app as its configuration allows in one go; answers how many were taken. */
  async #roundOf(number: AppNumber): Promise<number> {
    const { store, directory, elapsed, onFault, onRound } = this.#needs;
    let taken = 0;
    let held: QueueClaim | undefined;
    onRound?.(true);
    try {
      const app = await publicTenantOf(store, directory, number);
      // A deleted one: its entries disappear with the rest of it.
      if (!app) return this.#pause(number);
      const { bulk_migration_batch_size: size, bulk_migration_sleep_between_rounds_in_batch_ms: restMs } = app.appConfig;
      while (taken < size && !this.#isStopping) {
        const piece = await this.#claim(number, Math.min(size - taken, PIECE));
        if (!piece) return taken; // With this, claims of our own are gone too.
        taken += piece.places.length;
        // The claim of the next piece takes the place of this one.
        held = piece.claim;
        await this.#importPiece(app, piece);
      }
      if (held) await releaseClaim(store, held);
      if (restMs !== null) this.#resting.set(number, elapsed() + restMs);
    } catch (error) {
      if (!(error instanceof ClaimLost)) onFault(error);
      this.#pause(number);
      // Nothing but time depends on it.
      if (held) await releaseClaim(store, held).catch(onFault);
    } finally {
      onRound?.(false);
    }
    return taken;
  }

  #pause(app: AppNumber): 0 {
    this.#resting.set(app, this.#needs.elapsed() + PAUSE_MS);
    return 0;
  }

  async #claim(app: AppNumber, most: number): Promise<ClaimedPiece | undefined> {
    const { store, owner, delayMs } = this.#needs;
    return claimPiece(store, { app, owner, delayMs, most, now: await this.#time() });
  }

  /** By the clock that all workers share: one whose own is wrong neither takes claims of others nor keeps its own. */
  async #time(): Promise<number> {
    const { store, now } = this.#needs;
    return (await store.time()) ?? now();
  }

  /** Rejects with the first failure, once nothing of the piece is under way any more. */
  async #importPiece(app: Tenant, { claim, places }: ClaimedPiece): Promise<void> {
    const { store, elapsed } = this.#needs;
    const services = { ...this.#needs, store: storeUnder(store, claim) };
    const running = new Set<Promise<void>>();
    const failures: unknown[] = [];
    let renewAt = elapsed() + RENEW_MS;
    for (let at = 0; at < places.length && !this.#isStopping && failures.length === 0; ) {
      const { entries, count } = await this.#nextBatch(app, places.slice(at, at + BATCH));
      at += count;
      const importing = importBatch(services, app, entries)
        .catch((error: unknown) => failures.push(error))
        .then(() => void running.delete(importing));
      running.add(importing);
      if (running.size >= BATCHES_AT_ONCE) await Promise.race(running);
      if (elapsed() < renewAt) continue;
      // They prove the claim as it is, and would lose to its renewal.
      await Promise.all(running);
      if (!(await renewClaim(store, claim, await this.#time()))) break;
      renewAt = elapsed() + RENEW_MS;
    }
    await Promise.all(running);
    if (failures.length > 0) throw failures[0];
  }

  /** The first of these entries that still exist, and how many places they cover: fewer if passwords need hashing. */
  async #nextBatch({ app, appConfig }: Tenant, places: readonly QueuePlace[]): Promise<Batch> {
    const found: (SeenEntry | undefined)[] = [];
    for (let bytes = 0; found.length < places.length && bytes < BATCH_BYTES; ) {
      const asked = places.slice(found.length, found.length + READ_AT_ONCE);
      const some = await this.#needs.store.read((reader) => allReady(asked.map(({ id }) => reader.getSeen(queueEntries, [app, id]))));
      for (const seen of some) bytes += seen?.bytes.length ?? 0;
      found.push(...some);
    }
    const mostHashed = HASHED_PER_BATCH * Math.max(1, appConfig.bulk_migration_parallelism);
    let hashed = 0;
    const end = found.findIndex((seen) => seen && hasPlainPassword(seen.record) && ++hashed > mostHashed);
    const count = end < 0 ? found.length : end;
    return { entries: found.slice(0, count).flatMap((seen) => (seen?.record.status === 'NEW' ? [seen] : [])), count };
  }
}

/**
 * Starts a worker as the base configuration wants it, if it wants one; answers how to stop it.
 * @param onFault told of failures; none is fatal
 */
export function startImports(
  parts: Omit<WorkerDependencies, 'owner' | 'delayMs' | 'elapsed' | 'onFault'>,
  { bulk_migration_cron_enabled: isWanted, bulk_import_delay_ms: delayMs }: Config,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  const worker = new ImportWorker({ ...parts, owner: randomUUID(), delayMs, elapsed: () => performance.now(), onFault });
  if (isWanted) worker.start();
  return () => worker.stop();
}
