import type { ByteRange, ByteSpan, Entry, Link, Linked } from '../engine.ts';
import { keyText } from '../keys.ts';
import { recordKeyOf, recordKeyOfEntry } from '../layout.ts';
import type { Rows } from './connection.ts';
import type { Statement, Statements } from './statements.ts';

const NOTHING = new Uint8Array();

/** Sends the statements of a round in one write; answers their rows in the same order. */
export type Send = (statements: readonly Statement[]) => Promise<readonly Rows[]>;

interface Ask {
  readonly statement: Statement;
  readonly resolve: (rows: Rows) => void;
  readonly reject: (error: unknown) => void;
}

interface Wanted {
  readonly key: Uint8Array;
  readonly answers: { readonly resolve: (value: Uint8Array | undefined) => void; readonly reject: (error: unknown) => void }[];
}

/** Most keys in one statement. */
const MOST_KEYS = 1_000;

/**
 * Gathers all that is asked for in one turn of the event loop into one round trip; all single keys are one statement.
 * Keys are copied at the call, since callers lend them.
 */
export class Rounds {
  readonly #statements: Statements;
  readonly #send: Send;
  readonly #onRound: (() => void) | undefined;
  #wanted = new Map<string, Wanted>();
  #asked: Ask[] = [];
  #isDue = false;

  constructor(statements: Statements, send: Send, onRound?: () => void) {
    this.#statements = statements;
    this.#send = send;
    this.#onRound = onRound;
  }

  get(key: Uint8Array): Promise<Uint8Array | undefined> {
    return new Promise((resolve, reject) => {
      const name = keyText(key);
      const wanted = this.#wanted.get(name);
      if (wanted) wanted.answers.push({ resolve, reject });
      else this.#wanted.set(name, { key: Buffer.from(key), answers: [{ resolve, reject }] });
      this.#flushSoon();
    });
  }

  getMany(keys: readonly Uint8Array[]): Promise<readonly (Uint8Array | undefined)[]> {
    return Promise.all(keys.map((key) => this.get(key)));
  }

  async range({ start, end, limit, reverse, mostBytes }: ByteRange): Promise<readonly Entry[]> {
    const values = [copy(start), copy(end), limit];
    const rows = await (mostBytes === undefined
      ? this.#ask(this.#statements.range(reverse), values)
      : this.#ask(this.#statements.rangeWithin(reverse), [...values, mostBytes]));
    return rows.map(entryOf);
  }

  async linked({ start, end, limit, reverse }: ByteRange, link: Link): Promise<readonly Linked[]> {
    const values = [copy(start), copy(end), limit, targetOf(link)];
    const rows = await this.#ask(this.#statements.linked(link, reverse), values);
    return rows.map((row) => linkedOf(row, link));
  }

  async linkedAt(key: Uint8Array, link: Link): Promise<Linked | undefined> {
    const [row] = await this.#ask(this.#statements.linkedAt, [copy(key), targetOf(link)]);
    return row && linkedOf(row, link);
  }

  async count({ start, end }: ByteSpan): Promise<number> {
    const [row] = await this.#ask(this.#statements.count, [copy(start), copy(end)]);
    return Number(row?.['n']);
  }

  #ask(text: string, values: readonly unknown[]): Promise<Rows> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ statement: { text, values }, resolve, reject });
      this.#flushSoon();
    });
  }

  #flushSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    // After all callbacks of this turn, those of other requests too.
    setImmediate(() => void this.#flush());
  }

  async #flush(): Promise<void> {
    const [wanted, asked] = [[...this.#wanted.values()], this.#asked];
    this.#wanted = new Map();
    this.#asked = [];
    this.#isDue = false;
    this.#onRound?.();
    const batches = Array.from({ length: Math.ceil(wanted.length / MOST_KEYS) }, (_, at) =>
      wanted.slice(at * MOST_KEYS, (at + 1) * MOST_KEYS),
    );
    const gets = batches.map((batch) => ({ text: this.#statements.get, values: [batch.map(({ key }) => key)] }));
    try {
      const answers = await this.#send([...gets, ...asked.map(({ statement }) => statement)]);
      batches.forEach((batch, at) => give(batch, answers[at] ?? []));
      asked.forEach(({ resolve }, at) => resolve(answers[batches.length + at] ?? []));
    } catch (error) {
      for (const { answers } of wanted) for (const { reject } of answers) reject(error);
      for (const { reject } of asked) reject(error);
    }
  }
}

function give(batch: readonly Wanted[], rows: Rows): void {
  const values = valuesIn(
    rows,
    batch.map(({ key }) => key),
  );
  batch.forEach(({ answers }, at) => {
    for (const { resolve } of answers) resolve(values[at]);
  });
}

/** The values of keys, in their order, among the rows that were found. */
export function valuesIn(rows: Rows, keys: readonly Uint8Array[]): readonly (Uint8Array | undefined)[] {
  const found = new Map(rows.map((row) => [keyText(bytesOf(row['k'])), bytesOf(row['v'])]));
  return keys.map((key) => found.get(keyText(key)));
}

export const copy = (bytes: Uint8Array): Buffer => Buffer.from(bytes);

/** What a record's key begins with, before the bytes of its primary key. */
const targetOf = ({ collection }: Link): Buffer => copy(recordKeyOf(collection, NOTHING));

function bytesOf(value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  throw new Error('the database answered something else than bytes');
}

export const entryOf = (row: Rows[number]): Entry => ({ key: bytesOf(row['k']), value: bytesOf(row['v']) });

function linkedOf(row: Rows[number], link: Link): Linked {
  const entry = entryOf(row);
  if (row['rk'] === null) return { entry, key: recordKeyOfEntry(link, entry), value: undefined };
  return { entry, key: bytesOf(row['rk']), value: bytesOf(row['rv']) };
}
