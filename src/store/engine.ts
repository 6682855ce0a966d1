import type { Collection, IndexDefinition } from './collection.ts';
import { sameBytes } from './keys.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ReaderStats, Seen, StoreSize } from './store.ts';

/** A stored pair of bytes. */
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A piece of the ordered key space: from `start` on, before `end`. */
export interface ByteSpan {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
}

/** At most `limit` entries of a piece, from its end when `reverse`. */
export interface ByteRange extends ByteSpan {
  readonly limit: number;
  readonly reverse: boolean;
  /** It ends with the entry that reaches so many bytes of keys and values; none: however many they are. */
  readonly mostBytes?: number;
}

/** One change; `undefined` removes the key. */
export interface Write {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** What a transaction read under one key: the bytes, or `undefined` for "nothing there". */
export type SeenKey = Write;

/** An index, whose entries say where its records are (`layout.ts`). */
export interface Link {
  readonly collection: Collection<unknown>;
  readonly index: IndexDefinition<unknown>;
}

/** What stands under the key to which an index entry leads. */
export interface Linked extends SeenKey {
  readonly entry: Entry;
}

/** What a transaction read in one range. */
export interface SeenRange {
  readonly range: ByteRange;
  readonly entries: readonly Entry[];
}

/**
 * Reads of bytes from one consistent state. Each call is one round trip on engines over the network. Keys passed in are
 * lent for the call; bytes answered belong to the caller. A failed read rejects later, and never throws at once.
 */
export interface Source {
  /** The value under a key; `seen` itself (the same object) when the stored bytes equal it. */
  get(key: Uint8Array, seen?: Uint8Array): MaybePromise<Uint8Array | undefined>;
  /** `get` of what `stamp` made: an engine may know that a value is unchanged without comparing its bytes. */
  getAgain(seen: Seen<unknown>): MaybePromise<Uint8Array | undefined>;
  /** A record as read, with room for the engine's notes. @param key and `bytes` are kept: copies that nobody changes */
  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R>;
  /** The values under several keys, in their order. */
  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]>;
  range(range: ByteRange): MaybePromise<readonly Entry[]>;
  /** Entries of an index with the records to which they lead, in one round trip. */
  linked(range: ByteRange, link: Link): MaybePromise<readonly Linked[]>;
  /** The same for the one entry under a key of a unique index. @param key is kept */
  linkedAt(key: Uint8Array, link: Link): MaybePromise<Linked | undefined>;
  /** Counts entries of any number; an engine that shares this thread yields turns of the event loop meanwhile. */
  count(span: ByteSpan): MaybePromise<number>;
}

/** What a transaction reads from: it counts by reading, and itself remembers what it saw. */
export type PlainSource = Omit<Source, 'count' | 'getAgain'>;

/** Reads that answer at once. */
export interface DirectSource {
  get(key: Uint8Array, seen?: Uint8Array): Uint8Array | undefined;
  getMany(keys: readonly Uint8Array[]): readonly (Uint8Array | undefined)[];
  range(range: ByteRange): readonly Entry[];
}

/** A source that stays as it is until it was released as many times as it was handed out. */
export interface Snapshot extends Source {
  /** Called when the caller will go on reading after an asynchronous pause. */
  hold(): void;
  release(): void;
}

/** What a commit depends on and what it changes. */
export interface CommitRequest {
  /** To be gone through once. */
  readonly keys: Iterable<SeenKey>;
  readonly ranges: readonly SeenRange[];
  readonly writes: readonly Write[];
  /** See `Transaction.announce`. */
  readonly isAnnounced?: boolean | undefined;
}

/** What a body that ran alone decided. */
export interface Decision<T> {
  readonly result: T;
  readonly writes: readonly Write[];
  /** What it read, for engines whose commits go on while a body runs alone. */
  readonly reads: Pick<CommitRequest, 'keys' | 'ranges'>;
  readonly isAnnounced?: boolean | undefined;
}

/** What every engine offers: one ordered key space of bytes, snapshots, and an atomic, validated commit. */
export interface Engine {
  /** So many conflicts may a transaction lose before it runs alone. */
  readonly conflictsBeforeAlone: number;
  /** A snapshot at least as new as every commit acknowledged before the call. */
  snapshot(): Snapshot;
  /**
   * The same for a few small reads: at least as new as every commit acknowledged before the event loop's last poll, so
   * before any request received in it was sent. All calls after one poll may share it.
   */
  shared(): Snapshot;
  /**
   * Reads for a run whose commit checks them, where they are cheaper if each round may see a newer state than the one
   * before; a run that would end without a commit has them checked first. Engines without it read in snapshots.
   */
  draft?(): Snapshot;
  /**
   * Checks that everything read is unchanged, then applies all writes, atomically. Resolves with `true` when they are
   * durable, `false` when something read has changed and nothing was written. Rejects when the engine failed and
   * nothing was written, and with `StoreUnavailable`, which tells whether that is so, when it did not answer in time.
   */
  commit(request: CommitRequest): Promise<boolean>;
  /** Ms since the epoch by the store's own clock; engines whose processes share a machine have none. */
  time?(): Promise<number>;
  /** Waited for after each conflict. */
  beforeNextRun?(conflicts: number): Promise<void>;
  /** Runs `body` while nobody else can commit, then commits its decision; what it throws rejects, keeping nothing. */
  alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T>;
  /** What keeps writes from being kept, as far as known without waiting; an engine with nothing to write then tries. */
  blockedBy(): string | undefined;
  /** See `Store.readers`. */
  readers?(): ReaderStats;
  /** See `Store.size`. */
  size?(): MaybePromise<StoreSize>;
  /** Waits for running commits and lets go of everything. */
  close(): Promise<void>;
}

/** Whether everything that a transaction read is still so. */
export function validateReads(source: DirectSource, request: CommitRequest): boolean {
  for (const { key, value } of request.keys) {
    const found = source.get(key, value);
    if (found !== value && !sameBytes(found, value)) return false;
  }
  return request.ranges.every(({ range, entries }) => {
    const found = source.range(range);
    return (
      found.length === entries.length &&
      entries.every((entry, at) => sameBytes(entry.key, found[at]?.key) && sameBytes(entry.value, found[at]?.value))
    );
  });
}
