import { sameBytes } from './keys.ts';
import { type MaybePromise, type ReaderStats, whenReady } from './store.ts';

/** A stored pair of bytes. */
export interface Entry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A piece of the ordered key space: from `start` on, before `end`, at most `limit` entries, from the end when `reverse`. */
export interface ByteRange {
  readonly start: Uint8Array;
  readonly end: Uint8Array;
  readonly limit: number;
  readonly reverse: boolean;
}

/** What a count over a range came to. */
export interface Counted {
  /** At most the range's limit. */
  readonly count: number;
  /** The first entry beyond the limit; none when the whole range was counted. */
  readonly next: Uint8Array | undefined;
}

/** One change; `undefined` removes the key. */
export interface Write {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** What a transaction read under one key: the bytes, or `undefined` for "nothing there". */
export type SeenKey = Write;

/** What a transaction read in one range. */
export interface SeenRange {
  readonly range: ByteRange;
  readonly entries: readonly Entry[];
}

/** A value that was read before. */
export interface SeenValue {
  readonly keyBytes: Uint8Array;
  readonly bytes: Uint8Array;
  /** The engine's own notes, -1 and 0 for none: as of which commit the value is known to be there, and how it would notice that it was written. */
  asOf: number;
  mark: number;
}

/**
 * Reads of bytes from one consistent state. Each call is one round trip on engines over the network.
 * Keys passed in are lent for the call only; bytes answered belong to the caller.
 */
export interface Source {
  /** The value under a key; `seen` itself (the same object) when the stored bytes equal it. */
  get(key: Uint8Array, seen?: Uint8Array): MaybePromise<Uint8Array | undefined>;
  /** `get` for engines that can tell sooner than by comparing the bytes that a value is still what was seen. */
  getAgain?(seen: SeenValue): MaybePromise<Uint8Array | undefined>;
  /** The values under several keys, in their order. */
  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]>;
  range(range: ByteRange): MaybePromise<readonly Entry[]>;
  /** Counts the entries of a range in key order, whatever its direction, up to its limit. */
  count(range: ByteRange): MaybePromise<Counted>;
}

/** A source that answers at once. */
export interface DirectSource extends Source {
  get(key: Uint8Array, seen?: Uint8Array): Uint8Array | undefined;
  getMany(keys: readonly Uint8Array[]): readonly (Uint8Array | undefined)[];
  range(range: ByteRange): readonly Entry[];
}

/** A source that stays as it is until released. */
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
}

/** What a body that ran alone decided. */
export interface Decision<T> {
  readonly result: T;
  readonly writes: readonly Write[];
}

/** The little that every engine offers: one ordered key space of bytes with snapshots and an atomic, validated commit. */
export interface Engine {
  /** True where reads answer at once, without a promise, unless they have to wait for a disk. */
  readonly isDirect: boolean;
  /** A snapshot at least as new as every commit acknowledged before the call. */
  snapshot(): Snapshot;
  /**
   * Atomically: checks that everything read is still so, then applies all writes. Resolves with `true` when they are durable, with `false`
   * when something read has changed and nothing was written. Rejects when the engine failed and nothing was written, and with `StoreUnavailable`
   * when it did not answer in time, which tells whether that is so.
   */
  commit(request: CommitRequest): Promise<boolean>;
  /** Runs `body` while nobody else can commit, then commits what it decided; rejects with what it throws, keeping nothing. */
  exclusive<T>(body: (source: Source) => Promise<Decision<T>>): Promise<T>;
  /** Whether writes do not get through at present, as far as is known without waiting; asking makes an engine try that has nothing to write. */
  isBlocked(): boolean;
  /** See `Store.readers`. */
  readers?(): ReaderStats;
  /** Waits for running commits and lets go of everything. */
  close(): Promise<void>;
}

/** `Source.count` for sources that count by reading. */
export function countByReading(source: Pick<Source, 'range'>, range: ByteRange): MaybePromise<Counted> {
  const oneMore = { ...range, limit: range.limit + 1, reverse: false };
  return whenReady(source.range(oneMore), (entries) => ({
    count: Math.min(entries.length, range.limit),
    next: entries[range.limit]?.key,
  }));
}

/** Whether everything that a transaction read is still so. */
export function stillSo(source: DirectSource, request: CommitRequest): boolean {
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
