import {
  type ByteRange,
  type Counted,
  countByReading,
  type Entry,
  type SeenKey,
  type SeenRange,
  type Source,
  type Write,
} from './engine.ts';
import { compareBytes, keyText, sameBytes } from './keys.ts';
import { type MaybePromise, whenReady } from './store.ts';

/**
 * What one run of a transaction has read and written: a source that shows its own writes over a snapshot
 * and remembers everything read, so that the commit can check it and nothing is read twice.
 */
export class Overlay implements Source {
  readonly #under: Source;
  readonly #seen = new Map<string, SeenKey>();
  readonly #writes = new Map<string, Write>();
  readonly #assumed: Uint8Array[] = [];
  readonly ranges: SeenRange[] = [];

  constructor(under: Source) {
    this.#under = under;
  }

  get(lent: Uint8Array, expected?: Uint8Array): MaybePromise<Uint8Array | undefined> {
    const name = keyText(lent);
    const known = this.#writes.get(name) ?? this.#seen.get(name);
    if (known) return expected && sameBytes(known.value, expected) ? expected : known.value;
    const key = Buffer.from(lent);
    return whenReady(this.#under.get(key, expected), (value) => this.#remember(name, key, value));
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]> {
    const missing = keys.filter((key) => this.known(key) === undefined);
    const answer = (): (Uint8Array | undefined)[] => keys.map((key) => this.known(key)?.value);
    if (missing.length === 0) return answer();
    return whenReady(this.#under.getMany(missing), (values) => {
      for (const [at, key] of missing.entries()) this.#remember(keyText(key), key, values[at]);
      return answer();
    });
  }

  range(range: ByteRange): MaybePromise<readonly Entry[]> {
    const own = [...this.#writes.values()].filter(
      (write) => compareBytes(write.key, range.start) >= 0 && compareBytes(write.key, range.end) < 0,
    );
    // An own write may remove or replace an entry of the snapshot: read so many more that the limit is still reached.
    const read = { ...range, limit: range.limit + own.length };
    return whenReady(this.#under.range(read), (entries) => {
      this.ranges.push({ range: read, entries });
      return own.length === 0 ? entries : merge(entries, own, range);
    });
  }

  /** By reading, so that the entries are remembered and own writes count. */
  count(range: ByteRange): MaybePromise<Counted> {
    return countByReading(this, range);
  }

  /** What this transaction knows of a key without reading: its own write, or what it read before. */
  known(key: Uint8Array): Write | undefined {
    const name = keyText(key);
    return this.#writes.get(name) ?? this.#seen.get(name);
  }

  /** Takes for granted that nothing stands under a key; the commit checks it. */
  assumeFree(key: Uint8Array): void {
    this.#assumed.push(key);
    this.#remember(keyText(key), key, undefined);
  }

  write(key: Uint8Array, value: Uint8Array | undefined): void {
    this.#writes.set(keyText(key), { key, value });
  }

  /** Whether something stands where the transaction assumed nothing. */
  assumedWrongly(): MaybePromise<boolean> {
    if (this.#assumed.length === 0) return false;
    return whenReady(this.#under.getMany(this.#assumed), (values) => values.some((value) => value !== undefined));
  }

  /** Everything read under single keys. */
  seen(): Iterable<SeenKey> {
    return this.#seen.values();
  }

  /** The writes that change something. */
  writes(): Write[] {
    const changes: Write[] = [];
    for (const [name, write] of this.#writes) {
      const before = this.#seen.get(name);
      if (!before || !sameBytes(before.value, write.value)) changes.push(write);
    }
    return changes;
  }

  #remember(name: string, key: Uint8Array, value: Uint8Array | undefined): Uint8Array | undefined {
    // Two reads of one key may be under way at once: the first answer stays, so that the body sees one value.
    const first = this.#seen.get(name);
    if (first) return first.value;
    this.#seen.set(name, { key, value });
    return value;
  }
}

/** Entries of the snapshot with own writes put over them, in the order and within the limit of the range. */
function merge(entries: readonly Entry[], own: readonly Write[], range: ByteRange): Entry[] {
  const merged = new Map<string, Write>();
  for (const entry of entries) merged.set(keyText(entry.key), entry);
  for (const write of own) merged.set(keyText(write.key), write);
  const present = [...merged.values()].filter((entry): entry is Entry => entry.value !== undefined);
  present.sort((a, b) => (range.reverse ? compareBytes(b.key, a.key) : compareBytes(a.key, b.key)));
  return present.slice(0, range.limit);
}
