import type { ByteRange, ByteSpan, Entry, Link, Linked, PlainSource, Snapshot } from '../engine.ts';
import { sameBytes } from '../keys.ts';
import type { Seen } from '../store.ts';
import type { Connection, Rows } from './connection.ts';
import type { Connections } from './connections.ts';
import { told } from './faults.ts';
import { guardOfRange, guardsOfKey } from './guards.ts';
import { linkedAtByReading, linkedByReading } from '../linked.ts';
import { copy, entryOf, Rounds, valuesIn } from './rounds.ts';
import type { Statement, Statements } from './statements.ts';

/** Pages of a list are asked for as slowly as its reader likes, up to an hour; nothing is locked meanwhile. */
const BEGIN: Statement = {
  text: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 3600000',
  values: [],
};
const COMMIT: Statement = { text: 'COMMIT', values: [] };

/** Sends statements in one write. Where one fails, the first failure is told; the others are waited for. */
export async function sendAll(connection: Connection, statements: readonly Statement[]): Promise<readonly Rows[]> {
  const settled = await Promise.allSettled(connection.inOneWrite(() => statements.map((statement) => connection.run(statement))));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return settled.map((one) => (one.status === 'fulfilled' ? one.value : []));
}

/** Reads over rounds. */
class RoundSource {
  readonly rounds: Rounds;

  constructor(rounds: Rounds) {
    this.rounds = rounds;
  }

  async get(key: Uint8Array, seen?: Uint8Array): Promise<Uint8Array | undefined> {
    const value = await this.rounds.get(key);
    return seen && sameBytes(value, seen) ? seen : value;
  }

  getAgain({ key, bytes }: Seen<unknown>): Promise<Uint8Array | undefined> {
    return this.get(key, bytes);
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return { record, key, bytes };
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return this.rounds.getMany(keys);
  }

  range(range: ByteRange): Promise<readonly Entry[]> {
    return this.rounds.range(range);
  }

  linked(range: ByteRange, link: Link): Promise<readonly Linked[]> {
    return this.rounds.linked(range, link);
  }

  linkedAt(key: Uint8Array, link: Link): Promise<Linked | undefined> {
    return this.rounds.linkedAt(key, link);
  }

  count(span: ByteSpan): Promise<number> {
    return this.rounds.count(span);
  }
}

/** Reads of which each round sees a state of its own, at least as new as every commit acknowledged before it. */
export class LatestSource extends RoundSource implements Snapshot {
  hold(): void {}
  release(): void {}
}

/** Sends a round by itself; once more where its connection had ended, as idle ones do, and not where all is silent. */
async function sendRound(connections: Connections, round: readonly Statement[], isAgain = false): Promise<readonly Rows[]> {
  const connection = await connections.take();
  try {
    return await sendAll(connection, round);
  } catch (error) {
    if (isAgain || !connection.broken || connection.silentSince !== undefined) throw told(error);
  } finally {
    connections.give(connection);
  }
  return sendRound(connections, round, true);
}

/** The one latest source of a thread: reads of all requests of a turn go in one round, on few connections. */
export function openLatest(connections: Connections, statements: Statements, onRound?: () => void): LatestSource {
  return new LatestSource(new Rounds(statements, (round) => sendRound(connections, round), onRound));
}

/** A state that stays: a transaction that begins with its first round and holds its connection until it is released. */
export class SteadySnapshot extends RoundSource implements Snapshot {
  readonly #connections: Connections;
  #connection: Promise<Connection> | undefined;
  /** The end of the rounds under way. */
  #last: Promise<unknown> = Promise.resolve();
  #isReleased = false;

  constructor(connections: Connections, statements: Statements, onRound?: () => void) {
    // The rounds call back only once something is read.
    super(new Rounds(statements, (round) => this.#send(round), onRound));
    this.#connections = connections;
  }

  hold(): void {}

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    void this.#finish();
  }

  #send(round: readonly Statement[]): Promise<readonly Rows[]> {
    // Nobody waits for what a body that failed left under way; it must neither begin a transaction nor share another's.
    if (this.#isReleased) return sendRound(this.#connections, round);
    const sent = this.#sendOn(round);
    this.#last = Promise.allSettled([this.#last, sent]);
    return sent;
  }

  async #sendOn(round: readonly Statement[]): Promise<readonly Rows[]> {
    const isFirst = this.#connection === undefined;
    this.#connection ??= this.#connections.take();
    try {
      const connection = await this.#connection;
      const rows = await sendAll(connection, isFirst ? [BEGIN, ...round] : round);
      return isFirst ? rows.slice(1) : rows;
    } catch (error) {
      throw told(error);
    }
  }

  async #finish(): Promise<void> {
    await this.#last;
    if (!this.#connection) return;
    const connection = await this.#connection.catch(() => undefined);
    if (!connection) return;
    // Also ends a transaction in which a read failed.
    await connection.run(COMMIT).catch((error: Error) => connection.destroy(error));
    this.#connections.give(connection);
  }
}

/** Reads that lock what they find, for a run that cannot lose: in a transaction that is open on the connection. */
export class LockingSource implements PlainSource {
  readonly #connection: Connection;
  readonly #statements: Statements;
  readonly #hasTableLocks: boolean;

  constructor(connection: Connection, statements: Statements, hasTableLocks: boolean) {
    this.#connection = connection;
    this.#statements = statements;
    this.#hasTableLocks = hasTableLocks;
  }

  async get(key: Uint8Array, seen?: Uint8Array): Promise<Uint8Array | undefined> {
    const [value] = await this.getMany([key]);
    return seen && sameBytes(value, seen) ? seen : value;
  }

  async getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    const found = await this.#locked(keys.map(copy));
    const absent = keys.filter((_, at) => found[at] === undefined);
    if (absent.length === 0 || !this.#hasTableLocks) return found;
    // A row that is not there cannot be locked; who would add it needs its guards.
    await this.#lock(absent.map((key) => guardsOfKey(key).at(-1) ?? 'all'));
    return this.#locked(keys.map(copy));
  }

  async #locked(keys: readonly Buffer[]): Promise<readonly (Uint8Array | undefined)[]> {
    return valuesIn(await this.#connection.run({ text: this.#statements.getLocked, values: [keys] }), keys);
  }

  /** Locks guards against all others. */
  async #lock(guards: readonly (number | 'all')[]): Promise<void> {
    const all = guards.includes('all');
    if (!all) await this.#connection.run({ text: this.#statements.lock, values: [guards] });
    else if (this.#hasTableLocks) await this.#connection.run({ text: this.#statements.lockAll, values: [] });
  }

  async range(range: ByteRange): Promise<readonly Entry[]> {
    const { start, end, limit, reverse } = range;
    const values = [copy(start), copy(end), limit];
    await this.#lock([guardOfRange(range)]);
    return (await this.#connection.run({ text: this.#statements.rangeLocked(reverse), values })).map(entryOf);
  }

  linked(range: ByteRange, link: Link): Promise<readonly Linked[]> {
    return Promise.resolve(linkedByReading(this, range, link));
  }

  linkedAt(key: Uint8Array, link: Link): Promise<Linked | undefined> {
    return Promise.resolve(linkedAtByReading(this, copy(key), link));
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return { record, key, bytes };
  }
}
