import { setImmediate as nextTurn } from 'node:timers/promises';
import { digestOf, seal } from './checksum.ts';
import { type Collection, hasSum, type IndexDefinition } from './collection.ts';
import type { Engine, Entry, Snapshot } from './engine.ts';
import { firstAfter, RECORDS, sameBytes, SPACE_BYTES } from './keys.ts';
import { type IndexEntry, indexEntries, isOld, notedEntry, primaryBytes, primaryOfEntry, recordKey, recordKeyOf } from './layout.ts';

/** Entries that are looked at in one snapshot. */
const PIECE = 200;
/** No collection has the number 0. */
const FIRST_KEY = Uint8Array.of(0, 1);
const AFTER_LAST_KEY = Uint8Array.of(0xff, 0xff);

/** Told while a store is checked. */
export interface CheckReport {
  /** One line, which names collections and digests of keys, and nothing of what is stored. */
  readonly finding: (text: string) => void;
  /** @param checked entries so far, of about `total` */
  readonly progress: (checked: number, total: number) => void;
}

/** What a check came to. */
export interface CheckCount {
  records: number;
  indexEntries: number;
  /** Of both, those that an older version wrote, without a sum. */
  withoutSum: number;
  findings: number;
  /** Records by the names of their collections. */
  readonly collections: Record<string, number>;
}

/**
 * Reads the whole store: each record can be read and has its index entries, each index entry leads to a record that has
 * it. It reads pieces in snapshots of their own, so that neither memory nor, beside a running core, the file grows;
 * what is written meanwhile is checked or not.
 */
export async function checkStore(
  engine: Engine,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<CheckCount> {
  const total = await countAll(engine);
  const check = new StoreCheck(collections, report);
  for (let start: Uint8Array | undefined = FIRST_KEY; start !== undefined; ) {
    start = await inSnapshot(engine, (snapshot) => check.piece(snapshot, start ?? FIRST_KEY));
    report.progress(check.count.records + check.count.indexEntries, total);
    await nextTurn();
    signal.throwIfAborted();
  }
  return check.count;
}

async function countAll(engine: Engine): Promise<number> {
  const span = { start: FIRST_KEY, end: AFTER_LAST_KEY };
  return inSnapshot(engine, async (snapshot) => snapshot.count(span));
}

/** Runs work on a snapshot that is held as long. */
export async function inSnapshot<T>(engine: Engine, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const snapshot = engine.snapshot();
  snapshot.hold();
  try {
    return await work(snapshot);
  } finally {
    snapshot.release();
  }
}

class StoreCheck {
  readonly count: CheckCount = { records: 0, indexEntries: 0, withoutSum: 0, findings: 0, collections: {} };
  readonly #collections: ReadonlyMap<number, Collection<unknown>>;
  readonly #report: CheckReport;

  constructor(collections: readonly Collection<unknown>[], report: CheckReport) {
    this.#collections = new Map(collections.map((collection) => [collection.id, collection]));
    this.#report = report;
  }

  /** Checks the entries from a key on; answers where the next piece begins, nothing at the end. */
  async piece(snapshot: Snapshot, start: Uint8Array): Promise<Uint8Array | undefined> {
    const entries = await snapshot.range({ start, end: AFTER_LAST_KEY, limit: PIECE, reverse: false });
    for (const entry of entries) await this.#entry(snapshot, entry);
    const last = entries.at(-1);
    return last && entries.length === PIECE ? firstAfter(last.key) : undefined;
  }

  async #entry(snapshot: Snapshot, entry: Entry): Promise<void> {
    const [high = 0, low = 0, space = 0] = entry.key;
    const collection = this.#collections.get((high << 8) | low);
    const index = collection && Object.entries(collection.indexes ?? {}).find(([, { id }]) => id === space);
    if (space === RECORDS) this.count.records += 1;
    else this.count.indexEntries += 1;
    if (!collection || entry.key.length <= SPACE_BYTES || (space !== RECORDS && !index))
      this.#find(`${digestOf(entry.key)} belongs to no collection that this version knows`);
    else if (index) await this.#indexEntry(snapshot, collection, index, entry);
    else await this.#record(snapshot, collection, entry);
  }

  async #record(snapshot: Snapshot, collection: Collection<unknown>, { key, value }: Entry): Promise<void> {
    const { collections } = this.count;
    collections[collection.name] = (collections[collection.name] ?? 0) + 1;
    if (!hasSum(value)) this.count.withoutSum += 1;
    const record = this.#decode(collection, key, value);
    if (record === undefined) return;
    if (!sameBytes(recordKey(collection, collection.key(record)), key))
      return this.#find(`collection ${collection.name}: the record ${digestOf(key)} is that of another key`);
    const wanted = indexEntries(collection, record, primaryBytes(key));
    const found = await snapshot.getMany(wanted.map((entry) => entry.key));
    // What is there is checked when it has its turn.
    for (const [at, entry] of wanted.entries())
      if (!found[at]) this.#find(`collection ${collection.name}: the record ${digestOf(key)} lacks its index entry ${digestOf(entry.key)}`);
  }

  async #indexEntry(
    snapshot: Snapshot,
    collection: Collection<unknown>,
    [name, index]: readonly [string, IndexDefinition<unknown>],
    entry: Entry,
  ): Promise<void> {
    if (isOld(index.unique === true, entry.value)) this.count.withoutSum += 1;
    const primary = this.#attempt(() => primaryOfEntry(collection, index, entry));
    if (!primary) return;
    const key = recordKeyOf(collection, primary);
    const value = await snapshot.get(key);
    const leads = `collection ${collection.name}: the entry ${digestOf(entry.key)} of index ${name} leads to the record ${digestOf(key)}`;
    if (!value) return this.#find(`${leads}, which is not there`);
    // One that cannot be read is a finding of its own.
    const record = this.#decode(collection, key, value, false);
    if (record === undefined) return;
    const wanted = indexEntries(collection, record, primary).find((each) => sameBytes(each.key, entry.key));
    if (!wanted) this.#find(`${leads}, which does not stand there`);
    else if (!saysTheSame(collection, index, entry, wanted)) this.#find(`${leads}, of which it notes something else`);
  }

  #decode(collection: Collection<unknown>, key: Uint8Array, value: Uint8Array, isFinding = true): unknown {
    return this.#attempt(() => collection.decode(value, key), isFinding);
  }

  #attempt<T>(read: () => T, isFinding = true): T | undefined {
    try {
      return read();
    } catch (error) {
      if (isFinding) this.#find(error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #find(text: string): void {
    this.count.findings += 1;
    this.#report.finding(text);
  }
}

/** Whether an entry's note agrees with its record; an entry without a note need not. */
function saysTheSame(collection: Collection<unknown>, index: IndexDefinition<unknown>, entry: Entry, wanted: IndexEntry): boolean {
  if (index.unique) return true;
  const { note } = notedEntry(collection, index, entry);
  return note === undefined || note === notedEntry(collection, index, { key: wanted.key, value: seal(wanted.key, wanted.content) }).note;
}
