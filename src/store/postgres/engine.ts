import { setTimeout as rest } from 'node:timers/promises';
import type { CommitRequest, Decision, Engine, PlainSource, Snapshot } from '../engine.ts';
import type { StoreSize } from '../store.ts';
import { StoreUnavailable } from '../unavailable.ts';
import { commitStatements, newMarker, soleStatement, stepsOf, TURN } from './commit.ts';
import type { Connection, Rows } from './connection.ts';
import type { Connections } from './connections.ts';
import { isConflict, isDoubtful, isOutage, told, unreachable } from './faults.ts';
import { SETTINGS } from './settings.ts';
import { type LatestSource, LockingSource, openLatest, SteadySnapshot } from './sources.ts';
import { type Statement, type Statements } from './statements.ts';

/** What the engine works with. */
export interface PostgresParts {
  readonly connections: Connections;
  readonly statements: Statements;
  /** Whether sessions of the database are shared with others (a pooler by transactions). */
  readonly isPooled: boolean;
  /** PostgreSQL itself: row locks and guards prove what was read. Others prove it themselves, being SERIALIZABLE. */
  readonly locksProve: boolean;
  /** Where commits announce what other nodes remember; undefined where nobody listens. */
  readonly channel?: string | undefined;
  /** How long an answer may take, ms. */
  readonly timeoutMs: number;
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly randomUnit: () => number;
  /** Told of every round of reads. */
  readonly onRound?: (() => void) | undefined;
}

/** A commit that lost waits so long on average before it is run again, and twice as long after each further loss. */
const FIRST_REST_MS = 2;
const LONGEST_REST_MS = 200;
/** How often who doubts an outcome asks again. */
const SETTLE_REST_MS = 100;
/** Markers are kept for so much longer than anybody may still doubt, and removed so often. */
const MARKERS_KEPT_MS = 10 * 60_000;
/** Who doubts has waited for the answer, and then asks for as long again, each time waiting at most twice as long. */
const MOST_DOUBT_TIMES = 5;
const FORGET_EVERY_MS = 60_000;

const COMMIT: Statement = { text: 'COMMIT', values: [] };
const ROLLBACK: Statement = { text: 'ROLLBACK', values: [] };
/** Where the settings of a session are those of others too. */
const SET_LOCAL: readonly Statement[] = Object.entries(SETTINGS).map(([name, value]) => ({
  text: `SET LOCAL ${name} = ${value}`,
  values: [],
}));
/** A lone run waits as long as it takes; those who hold what it wants give up before. */
const PATIENT: Statement = { text: 'SET LOCAL lock_timeout = 0', values: [] };

/** Keys and values in a PostgreSQL-compatible database, which any number of nodes share (decision 0025). */
export class PostgresEngine implements Engine {
  readonly conflictsBeforeAlone = 4;
  readonly #parts: PostgresParts;
  readonly #latest: LatestSource;
  readonly #forgetting: NodeJS.Timeout;
  readonly #begin: readonly Statement[];
  #isProbing = false;
  /** How far the clock of the database is ahead of ours, ms: what one node marks, the others judge by age. */
  #ahead = 0;

  constructor(parts: PostgresParts) {
    this.#parts = parts;
    this.#latest = openLatest(parts.connections, parts.statements, parts.onRound);
    const level = parts.locksProve ? 'READ COMMITTED' : 'SERIALIZABLE';
    this.#begin = [{ text: `BEGIN ISOLATION LEVEL ${level}`, values: [] }, ...(parts.isPooled && parts.locksProve ? SET_LOCAL : [])];
    this.#forgetting = setInterval(() => void this.#forget().catch(() => {}), FORGET_EVERY_MS).unref();
  }

  snapshot(): Snapshot {
    return new SteadySnapshot(this.#parts.connections, this.#parts.statements, this.#parts.onRound);
  }

  shared(): Snapshot {
    return this.#latest;
  }

  draft(): Snapshot {
    return this.#latest;
  }

  async commit(request: CommitRequest): Promise<boolean> {
    const { statements, locksProve, connections } = this.#parts;
    const { ranges, isAnnounced } = request;
    const steps = stepsOf(request);
    // Where nothing is written nothing has to be settled later, nor to be made durable.
    const marker = request.writes.length > 0 ? this.#newMarker() : undefined;
    const sole =
      marker && this.#canStandAlone && ranges.length === 0 && !isAnnounced ? soleStatement(statements, steps, marker) : undefined;
    const sent = sole
      ? [sole]
      : [...this.#begin, ...commitStatements(statements, steps, ranges, locksProve), ...this.#end(marker, request)];
    const connection = await connections.take();
    const failed = await connection.runTogether(sent).catch((error: unknown) => ({ error }));
    if (failed && !sole) await rollBack(connection);
    // Before anybody doubts: who settles needs a connection, and a broken one would keep its place.
    connections.give(connection);
    return failed === undefined || this.#outcome(marker, failed.error);
  }

  /** Whether a statement outside of a transaction has the settings that ours need. */
  get #canStandAlone(): boolean {
    return this.#parts.locksProve && !this.#parts.isPooled;
  }

  #newMarker(): Buffer {
    return newMarker(this.#parts.now() + this.#ahead);
  }

  /**
   * The last statements of a transaction: its marker, and a notice where it announces something. Only where locks prove
   * what was read is that proved before a COMMIT.
   */
  #end(marker: Buffer | undefined, { isAnnounced }: Pick<CommitRequest, 'isAnnounced'>): readonly Statement[] {
    const { statements, channel, locksProve } = this.#parts;
    if (!marker) return [locksProve ? ROLLBACK : COMMIT];
    const mark = { text: statements.mark, values: [marker] };
    return isAnnounced && channel !== undefined ? [mark, { text: statements.announce, values: [channel] }, COMMIT] : [mark, COMMIT];
  }

  /** Whether a transaction that failed was kept after all. @throws what says neither */
  #outcome(marker: Buffer | undefined, error: unknown): Promise<boolean> | boolean {
    if (isConflict(error)) return false;
    if (marker && isDoubtful(error)) return this.#settle(marker, error);
    throw told(error);
  }

  /**
   * Whether a transaction was kept whose connection was lost: inserts its marker as void, unless it is there. One
   * that is there and not void says that it was; a void one, that it never can be. @throws StoreUnavailable
   */
  async #settle(marker: Buffer, cause: unknown): Promise<boolean> {
    const { statements, timeoutMs } = this.#parts;
    for (const until = performance.now() + timeoutMs; performance.now() < until; await rest(SETTLE_REST_MS)) {
      try {
        const [row] = await this.#run({ text: statements.settle, values: [marker] });
        if (row) return row['is_void'] === false;
      } catch {
        // It is asked again until the time is over; then the cause of the doubt is told.
      }
    }
    throw Object.assign(new StoreUnavailable('unknown'), { cause });
  }

  /** Those who lost to each other try again at different times. */
  beforeNextRun(conflicts: number): Promise<void> {
    return this.#backOff(conflicts - 1);
  }

  /** One such run at a time in the whole cluster: it locks what it reads, and waits for others longer than they do. */
  async alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T> {
    for (let tries = 0; ; tries += 1) {
      const outcome = await this.#tryAlone(body);
      if (outcome) return outcome.result;
      await this.#backOff(tries);
    }
  }

  /** Undefined where it lost all the same: locks were waited for in a circle, or a key was taken. */
  async #tryAlone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<{ readonly result: T } | undefined> {
    const { statements, locksProve, connections } = this.#parts;
    const connection = await connections.take();
    let marker: Buffer | undefined;
    let decided: { readonly result: T } | undefined;
    let failed: { readonly error: unknown } | undefined;
    try {
      await connection.runTogether([...this.#begin, PATIENT, { text: statements.takeTurn, values: [TURN] }]);
      const { result, writes, reads, isAnnounced } = await body(new LockingSource(connection, statements, locksProve));
      const work = commitStatements(statements, stepsOf({ ...reads, writes }), reads.ranges, locksProve);
      decided = { result };
      if (writes.length > 0) marker = this.#newMarker();
      await connection.runTogether([...work, ...this.#end(marker, { isAnnounced })]);
    } catch (error) {
      failed = { error };
      await rollBack(connection);
    }
    // As in `commit`, before anybody doubts.
    connections.give(connection);
    if (!failed) return decided;
    const { error } = failed;
    if (decided) return (await this.#outcome(marker, error)) ? decided : undefined;
    if (isConflict(error)) return undefined;
    throw told(error);
  }

  /** Waits a little, at random, longer after each loss. */
  async #backOff(tries: number): Promise<void> {
    const most = Math.min(FIRST_REST_MS * 2 ** tries, LONGEST_REST_MS);
    await rest(most * (0.5 + this.#parts.randomUnit()));
  }

  async time(): Promise<number> {
    const [row] = await this.#run({ text: this.#parts.statements.time, values: [] });
    return Math.floor(Number(row?.['ms']));
  }

  /** Tables and indexes; PostgreSQL itself tells, and no other database that speaks its protocol has to. */
  async size(): Promise<StoreSize> {
    const [row] = await this.#run({ text: this.#parts.statements.size, values: [] });
    return { bytes: Number(row?.['bytes']) };
  }

  /** Why the database is out of reach. Asks it each time, so that the next answer is about now. */
  blockedBy(): string | undefined {
    if (!this.#isProbing) {
      this.#isProbing = true;
      const probed = this.#run({ text: this.#parts.statements.isThere, values: [] }).catch(() => {});
      void probed.then(() => (this.#isProbing = false));
    }
    return this.#parts.connections.outage();
  }

  async close(): Promise<void> {
    clearInterval(this.#forgetting);
    await this.#parts.connections.close();
  }

  /** Sets its clock by that of the database. @returns the time there, ms */
  async followClock(): Promise<number> {
    const time = await this.time();
    this.#ahead = time - this.#parts.now();
    return time;
  }

  async #forget(): Promise<void> {
    const { statements, timeoutMs } = this.#parts;
    const time = await this.followClock();
    const oldest = time - MARKERS_KEPT_MS - MOST_DOUBT_TIMES * timeoutMs;
    await this.#run({ text: statements.forget, values: [newMarker(oldest)] });
  }

  /** One statement on a connection of its own. @throws StoreUnavailable where the database is out of reach */
  async #run(statement: Statement): Promise<Rows> {
    const connection = await this.#parts.connections.take();
    try {
      return await connection.run(statement);
    } catch (error) {
      throw isOutage(error) ? unreachable(error) : error;
    } finally {
      this.#parts.connections.give(connection);
    }
  }
}

/** After a statement that failed: what stood behind it was not run, its end neither. */
async function rollBack(connection: Connection): Promise<void> {
  if (!connection.broken) await connection.run(ROLLBACK).catch((error: Error) => connection.destroy(error));
}
