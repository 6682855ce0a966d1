import {
  type ByteRange,
  type ByteSpan,
  type CommitRequest,
  type Decision,
  type DirectSource,
  type Engine,
  type Entry,
  type Link,
  type Linked,
  type PlainSource,
  type Snapshot,
  validateReads,
  type Write,
} from './engine.ts';
import { keyText, sameBytes } from './keys.ts';
import { linkedAtByReading, linkedByReading } from './linked.ts';
import type { MemoryPlan, StoreWatch } from './plan.ts';
import { type MaybePromise, whenReady } from './maybe-promise.ts';
import type { Seen } from './store.ts';

/** One value of a key and the commit that wrote it; `undefined` where that commit removed the key. */
interface Version {
  readonly commit: number;
  readonly value: Uint8Array | undefined;
}

/** Part of its plan, and who watches it. */
export type MemoryOptions = Pick<MemoryPlan, 'slow'> & Pick<StoreWatch, 'onRound'>;

/** An ordered map of bytes that keeps old versions for as long as a snapshot may ask for them. */
class VersionedMap {
  readonly #versions = new Map<string, readonly Version[]>();
  /** The keys that have versions, in order; as text of one character a byte, which orders like the bytes. */
  readonly #order: string[] = [];
  /** Keys with more than one version, or removed ones. */
  readonly #stale = new Set<string>();
  commit = 0;

  get(name: string, commit: number): Uint8Array | undefined {
    return this.#versions.get(name)?.findLast((version) => version.commit <= commit)?.value;
  }

  range(range: ByteRange, commit: number): Entry[] {
    const first = this.#positionOf(keyText(range.start));
    const last = this.#positionOf(keyText(range.end)) - 1;
    const entries: Entry[] = [];
    const { mostBytes = Number.POSITIVE_INFINITY } = range;
    for (let i = 0, bytes = 0; i <= last - first && entries.length < range.limit && bytes < mostBytes; i++) {
      const name = this.#order[range.reverse ? last - i : first + i] ?? '';
      const value = this.get(name, commit);
      if (!value) continue;
      entries.push({ key: Buffer.from(name, 'latin1'), value });
      bytes += name.length + value.length;
    }
    return entries;
  }

  /** Applies writes as one commit. `oldest` is the oldest commit that a snapshot still reads. */
  apply(writes: readonly Write[], oldest: number): void {
    this.commit++;
    for (const { key, value } of writes) {
      const name = keyText(key);
      const versions = this.#versions.get(name);
      if (!versions) this.#order.splice(this.#positionOf(name), 0, name);
      this.#versions.set(name, [...(versions ?? []), { commit: this.commit, value: value && Buffer.from(value) }]);
      if (versions || !value) this.#stale.add(name);
    }
    this.sweep(Math.min(oldest, this.commit));
  }

  /** Drops what no snapshot from `oldest` on can see. */
  sweep(oldest: number): void {
    for (const name of this.#stale) {
      const versions = this.#versions.get(name) ?? [];
      const visible = versions.findLastIndex((version) => version.commit <= oldest);
      const kept = visible > 0 ? versions.slice(visible) : versions;
      if (kept.length === 1 && kept[0]?.value === undefined && visible >= 0) {
        this.#versions.delete(name);
        this.#order.splice(this.#positionOf(name), 1);
        this.#stale.delete(name);
        continue;
      }
      this.#versions.set(name, kept);
      if (kept.length === 1 && kept[0]?.value !== undefined) this.#stale.delete(name);
    }
  }

  /** Where `name` stands or would stand in the order. */
  #positionOf(name: string): number {
    let low = 0;
    let high = this.#order.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] ?? '') < name) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The state after one commit. */
class MemoryState implements DirectSource {
  readonly #map: VersionedMap;
  readonly commit: number;

  constructor(map: VersionedMap) {
    this.#map = map;
    this.commit = map.commit;
  }

  get(key: Uint8Array, seen?: Uint8Array): Uint8Array | undefined {
    const value = this.#map.get(keyText(key), this.commit);
    return seen && sameBytes(value, seen) ? seen : value && Buffer.from(value);
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key));
  }

  range(range: ByteRange): Entry[] {
    return this.#map.range(range, this.commit);
  }
}

/** A state as transactions see it: its reads are counted, and slow when asked to be. */
class MemorySnapshot implements Snapshot {
  readonly #state: MemoryState;
  readonly #options: MemoryOptions;
  readonly #onRelease: () => void;

  constructor(state: MemoryState, options: MemoryOptions, onRelease: () => void) {
    this.#state = state;
    this.#options = options;
    this.#onRelease = onRelease;
  }

  get(key: Uint8Array, seen?: Uint8Array): MaybePromise<Uint8Array | undefined> {
    return this.#answer(this.#state.get(key, seen));
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]> {
    return this.#answer(this.#state.getMany(keys));
  }

  range(range: ByteRange): MaybePromise<readonly Entry[]> {
    return this.#answer(this.#state.range(range));
  }

  linked(range: ByteRange, link: Link): MaybePromise<readonly Linked[]> {
    return whenReady(linkedByReading(this.#state, range, link), (linked) => this.#answer(linked));
  }

  linkedAt(key: Uint8Array, link: Link): MaybePromise<Linked | undefined> {
    return whenReady(linkedAtByReading(this.#state, key, link), (linked) => this.#answer(linked));
  }

  getAgain(seen: Seen<unknown>): MaybePromise<Uint8Array | undefined> {
    return this.get(seen.key, seen.bytes);
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return { record, key, bytes };
  }

  count(span: ByteSpan): MaybePromise<number> {
    return this.#answer(this.#state.range({ ...span, limit: Number.MAX_SAFE_INTEGER, reverse: false }).length);
  }

  /** Nothing to do: versions are kept until the release in any case. */
  hold(): void {}

  release(): void {
    this.#onRelease();
  }

  #answer<T>(value: T): MaybePromise<T> {
    this.#options.onRound?.();
    return this.#options.slow ? new Promise((resolve) => setImmediate(resolve, value)) : value;
  }
}

/** Everything in the memory of this process: for tests and simulation. */
export class MemoryEngine implements Engine {
  readonly #map = new VersionedMap();
  readonly #open = new Set<MemoryState>();
  readonly #options: MemoryOptions;
  /** The end of the commits that run or wait. */
  #turn: Promise<unknown> = Promise.resolve();

  readonly conflictsBeforeAlone = 2;

  constructor(options: MemoryOptions) {
    this.#options = options;
  }

  snapshot(): Snapshot {
    const state = new MemoryState(this.#map);
    this.#open.add(state);
    return new MemorySnapshot(state, this.#options, () => {
      this.#open.delete(state);
      if (this.#open.size === 0) this.#map.sweep(this.#map.commit);
    });
  }

  /** One of its own: it costs nothing. */
  shared(): Snapshot {
    return this.snapshot();
  }

  commit(request: CommitRequest): Promise<boolean> {
    return this.#inTurn(() => {
      const unchanged = validateReads(new MemoryState(this.#map), request);
      if (unchanged) this.#apply(request.writes);
      return unchanged;
    });
  }

  alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T> {
    return this.#inTurn(async () => {
      const decision = await body(new MemorySnapshot(new MemoryState(this.#map), this.#options, () => {}));
      this.#apply(decision.writes);
      return decision.result;
    });
  }

  blockedBy(): undefined {
    return undefined;
  }

  async close(): Promise<void> {
    await this.#turn;
  }

  #apply(writes: readonly Write[]): void {
    let oldest = Number.POSITIVE_INFINITY;
    for (const state of this.#open) oldest = Math.min(oldest, state.commit);
    this.#map.apply(writes, oldest);
  }

  #inTurn<T>(work: () => MaybePromise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}
