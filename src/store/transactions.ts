import { seal } from './checksum.ts';
import type { Collection } from './collection.ts';
import { deleteBatch } from './delete-under.ts';
import type { Engine, Snapshot, Write } from './engine.ts';
import { HeldPages } from './held-pages.ts';
import { keyText, type NamedKey, sameBytes } from './keys.ts';
import { type IndexEntry, indexEntries, indexOf, namedRecordKey, primaryBytes, primaryOfEntry } from './layout.ts';
import { Overlay } from './overlay.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { type MaybePromise, whenReady } from './maybe-promise.ts';
import { lostOutcome } from './unavailable.ts';
import type { Doomed, Key, HoldPages, Reader, ReaderStats, Seen, Store, StoreSize, StoreStats, Transaction } from './store.ts';

/** One run of a transaction body. */
class BufferedTransaction extends SnapshotReader implements Transaction {
  readonly #overlay: Overlay;
  /** What has to be deleted before the body can do its work. */
  readonly doomed: Doomed[] = [];
  isAnnounced = false;
  /** A first run assumes, without reading, that keys of inserted records are free and recalled records as seen. */
  readonly #trusting: boolean;

  constructor(overlay: Overlay, trusting: boolean) {
    super(overlay);
    this.#overlay = overlay;
    this.#trusting = trusting;
  }

  recall<R>(collection: Collection<R>, primary: Key, seen: Seen<R> | undefined): MaybePromise<R | undefined> {
    const named = namedRecordKey(collection, primary);
    if (this.#trusting) this.#overlay.assume(named, seen?.bytes);
    return whenReady(this.#overlay.get(named.key, seen?.bytes), (bytes) => {
      if (bytes === seen?.bytes) return seen?.record;
      return bytes && collection.decode(bytes, named.key);
    });
  }

  put<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined> {
    const key = namedRecordKey(collection, collection.key(record));
    const next = indexEntries(collection, record, primaryBytes(key.key));
    return whenReady(this.#overlay.fetch(decidingKeys(key, next)), () => this.#write(collection, key, record, next));
  }

  insert<R>(collection: Collection<R>, record: R): MaybePromise<string | undefined> {
    const key = namedRecordKey(collection, collection.key(record));
    const next = indexEntries(collection, record, primaryBytes(key.key));
    const keys = decidingKeys(key, next);
    if (this.#trusting) for (const each of keys) this.#overlay.assume(each, undefined);
    return whenReady(this.#overlay.fetch(keys), () => {
      if (this.#overlay.known(key.name)?.value) throw new Error(`collection ${collection.name}: a record to be inserted is already there`);
      return this.#write(collection, key, record, next);
    });
  }

  delete<R>(collection: Collection<R>, primary: Key): MaybePromise<boolean> {
    const key = namedRecordKey(collection, primary);
    return whenReady(this.#overlay.fetch([key]), () => {
      const before = this.#overlay.known(key.name)?.value;
      if (before) this.#remove(collection, key, collection.decode(before, key.key));
      return before !== undefined;
    });
  }

  deleteSeen<R>(collection: Collection<R>, seen: Seen<R>): MaybePromise<boolean> {
    const key = { name: keyText(seen.key), key: seen.key };
    return whenReady(this.#overlay.get(seen.key, seen.bytes), (found) => {
      if (found !== seen.bytes) return false;
      this.#remove(collection, key, seen.record);
      return true;
    });
  }

  hasRoom(): boolean {
    return this.#overlay.hasRoom();
  }

  announce(): void {
    this.isAnnounced = true;
  }

  deleteFirst(doomed: Doomed): void {
    this.doomed.push(doomed);
  }

  #remove<R>(collection: Collection<R>, key: NamedKey, record: R): void {
    for (const entry of indexEntries(collection, record, primaryBytes(key.key))) this.#overlay.write(entry, undefined);
    this.#overlay.write(key, undefined);
  }

  /** Writes a record over the stored one; the overlay already knows everything that decides about it. */
  #write<R>(collection: Collection<R>, key: NamedKey, record: R, next: readonly IndexEntry[]): string | undefined {
    const primary = primaryBytes(key.key);
    for (const entry of next) if (entry.unique !== undefined && this.#isOthers(collection, entry, primary)) return entry.unique;
    const before = this.#overlay.known(key.name)?.value;
    const added = before ? this.#removeLast(indexEntries(collection, collection.decode(before, key.key), primary), next) : next;
    for (const entry of added) this.#overlay.write(entry, seal(entry.key, entry.content));
    this.#overlay.write(key, collection.encode(record, key.key));
    return undefined;
  }

  /** Whether another record owns the key of a unique index. */
  #isOthers<R>(collection: Collection<R>, { unique = '', name, key }: IndexEntry, primary: Uint8Array): boolean {
    const value = this.#overlay.known(name)?.value;
    return value !== undefined && !sameBytes(primaryOfEntry(collection, indexOf(collection, unique), { key, value }), primary);
  }

  /** Removes the index entries that a record no longer has; answers those that are new, or say something new. */
  #removeLast(last: readonly IndexEntry[], next: readonly IndexEntry[]): IndexEntry[] {
    const names = new Set(next.map(({ name }) => name));
    for (const entry of last) if (!names.has(entry.name)) this.#overlay.write(entry, undefined);
    const before = new Map(last.map(({ name, content }) => [name, content]));
    return next.filter(({ name, content }) => !sameBytes(before.get(name), content));
  }
}

/** What has to be read before a record is written: its own key and those of its unique indexes. */
function decidingKeys(key: NamedKey, entries: readonly IndexEntry[]): NamedKey[] {
  const keys = [key];
  for (const entry of entries) if (entry.unique !== undefined) keys.push(entry);
  return keys;
}

/** How a run ended: its result is committed, or nothing is, for it lost to another or something has to go first. */
type Outcome<T> = { readonly committed: true; readonly result: T } | { readonly committed: false; readonly doomed: readonly Doomed[] };

const LOST = { committed: false, doomed: [] } as const;
const NO_READS = { keys: [], ranges: [] } as const;

/** The transactional store over any engine: optimistic runs, and after too many conflicts a run alone. */
export class EngineStore implements Store {
  readonly #engine: Engine;
  #closed: Promise<void> | undefined;
  /** Transactions and pausing reads under way. */
  #running = 0;
  #onIdle = (): void => {};
  /** Reads in the snapshot that was shared last. */
  #sharing: SnapshotReader | undefined;
  #commits = 0;
  #conflicts = 0;
  #exclusive = 0;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  read<T>(body: (reader: Reader) => T): T {
    this.#refuseWhenClosed();
    const snapshot = this.#engine.snapshot();
    return this.#readIn(snapshot, new SnapshotReader(snapshot), body);
  }

  readShared<T>(body: (reader: Reader) => T): T {
    this.#refuseWhenClosed();
    const snapshot = this.#engine.shared();
    if (this.#sharing?.source !== snapshot) this.#sharing = new SnapshotReader(snapshot);
    return this.#readIn(snapshot, this.#sharing, body);
  }

  /** Runs `body` and releases the snapshot when all is read. */
  #readIn<T>(snapshot: Snapshot, reader: Reader, body: (reader: Reader) => T): T {
    let result: T;
    try {
      result = body(reader);
    } catch (error) {
      snapshot.release();
      throw error;
    }
    if (!(result instanceof Promise)) {
      snapshot.release();
      return result;
    }
    snapshot.hold();
    const released: unknown = this.#whileOpen(result.finally(() => snapshot.release()));
    return released as T;
  }

  async readPages<R>(body: (reader: Reader, hold: HoldPages) => MaybePromise<R>): Promise<R> {
    this.#refuseWhenClosed();
    const snapshot = this.#engine.snapshot();
    snapshot.hold();
    this.#running++;
    let isOver = false;
    const release = (): void => {
      if (isOver) return;
      isOver = true;
      snapshot.release();
      this.#ended();
    };
    let isHeld = false;
    const hold: HoldPages = (pages) => {
      isHeld = true;
      return new HeldPages(pages, release);
    };
    try {
      const result = await body(new SnapshotReader(snapshot), hold);
      if (!isHeld) release();
      return result;
    } catch (error) {
      release();
      throw error;
    }
  }

  async transact<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    this.#refuseWhenClosed();
    return this.#whileOpen(this.#runUntilKept(body));
  }

  stats(): StoreStats {
    return { commits: this.#commits, conflicts: this.#conflicts, exclusive: this.#exclusive };
  }

  time(): Promise<number> | undefined {
    return this.#engine.time?.();
  }

  blockedBy(): string | undefined {
    return this.#closed === undefined ? this.#engine.blockedBy() : 'it is closed';
  }

  size(): MaybePromise<StoreSize | undefined> {
    this.#refuseWhenClosed();
    return this.#engine.size?.();
  }

  readers(): ReaderStats | undefined {
    return this.#engine.readers?.();
  }

  close(): Promise<void> {
    this.#closed ??= this.#closeWhenIdle();
    return this.#closed;
  }

  async #closeWhenIdle(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    await this.#engine.close();
  }

  /** Keeps the engine open until the promise is settled. */
  async #whileOpen<T>(work: Promise<T>): Promise<T> {
    this.#running++;
    try {
      return await work;
    } finally {
      this.#ended();
    }
  }

  #ended(): void {
    this.#running--;
    if (this.#running === 0) this.#onIdle();
  }

  async #runUntilKept<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<T> {
    for (let conflicts = 0; ; ) {
      const isAlone = conflicts === this.#engine.conflictsBeforeAlone;
      const outcome = isAlone ? await this.#runAlone(body) : await this.#run(body, conflicts === 0);
      if (outcome.committed) return outcome.result;
      if (outcome.doomed.length > 0) await this.#deleteAll(outcome.doomed);
      else {
        conflicts++;
        this.#conflicts++;
        await this.#engine.beforeNextRun?.(conflicts);
      }
    }
  }

  async #deleteAll(doomed: readonly Doomed[]): Promise<void> {
    for (const each of doomed) while (await this.#runUntilKept((tx) => deleteBatch(tx, each)));
  }

  async #run<T>(body: (transaction: Transaction) => MaybePromise<T>, trusting: boolean): Promise<Outcome<T>> {
    const snapshot = this.#engine.draft?.() ?? this.#engine.snapshot();
    const overlay = new Overlay(snapshot);
    const transaction = new BufferedTransaction(overlay, trusting);
    let result: T;
    let writes: readonly Write[] = [];
    try {
      const running = body(transaction);
      if (running instanceof Promise) {
        snapshot.hold();
        result = await running;
      } else result = running;
      if (transaction.doomed.length === 0) writes = overlay.writes();
      // Without a commit nothing else would check the assumptions.
      const isWrong = writes.length === 0 && overlay.assumedWrongly();
      if (isWrong !== false && (await isWrong)) return LOST;
    } catch (error) {
      // What the body saw may have been a wrong assumption: then its error means nothing.
      if (await overlay.assumedWrongly()) return LOST;
      // Where the store is lost nothing can be asked; what is too large is so in any state.
      const isTold = lostOutcome(error) !== undefined || !overlay.hasRoom();
      if (!isTold && !(await this.#sawOneState(overlay))) return LOST;
      throw error;
    } finally {
      snapshot.release();
    }
    if (transaction.doomed.length > 0) return { committed: false, doomed: transaction.doomed };
    // Nothing to be kept, so that no commit checks what was read.
    if (writes.length === 0) return (await this.#sawOneState(overlay)) ? { committed: true, result } : LOST;
    const { isAnnounced } = transaction;
    const committed = await this.#engine.commit({ keys: overlay.seen(), ranges: overlay.ranges, writes, isAnnounced });
    if (!committed) return LOST;
    this.#commits++;
    return { committed, result };
  }

  /** Whether all that a run read stood there at one time: snapshots see to that, of a draft the engine tells. */
  #sawOneState(overlay: Overlay): MaybePromise<boolean> {
    if (!this.#engine.draft) return true;
    return this.#engine.commit({ keys: overlay.seen(), ranges: overlay.ranges, writes: [] });
  }

  async #runAlone<T>(body: (transaction: Transaction) => MaybePromise<T>): Promise<Outcome<T>> {
    this.#exclusive++;
    const outcome = await this.#engine.alone<Outcome<T>>(async (source) => {
      const overlay = new Overlay(source);
      const transaction = new BufferedTransaction(overlay, false);
      const result = await body(transaction);
      const { doomed, isAnnounced } = transaction;
      if (doomed.length > 0) return { result: { committed: false, doomed }, writes: [], reads: NO_READS };
      const reads = { keys: overlay.seen(), ranges: overlay.ranges };
      return { result: { committed: true, result }, writes: overlay.writes(), reads, isAnnounced };
    });
    if (outcome.committed) this.#commits++;
    return outcome;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('the store is closed');
  }
}
