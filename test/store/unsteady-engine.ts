import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ByteRange, ByteSpan, CommitRequest, Decision, Entry, Link, Linked, PlainSource, Snapshot } from '../../src/store/engine.ts';
import { MemoryEngine } from '../../src/store/memory.ts';
import { type MaybePromise, whenReady } from '../../src/store/maybe-promise.ts';
import type { Seen } from '../../src/store/store.ts';
import { StoreUnavailable } from '../../src/store/unavailable.ts';

/** Numbers from 0 to below 1, the same in every run. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) / 2 ** 24;
  };
}

const MOST_TURNS = 4;

/** Answers at once, or some turns of the event loop later, or rejects. */
class Weather {
  readonly #chance: () => number;
  /** Of how many operations one fails: 0 for none. */
  faults = 0;

  constructor(seed: number) {
    this.#chance = chances(seed);
  }

  answer<T>(work: () => MaybePromise<T>, makeFault: () => Error): MaybePromise<T> {
    const turns = Math.floor(this.#chance() * MOST_TURNS);
    // Made here, so that it tells who asked.
    const fault = this.#chance() < this.faults ? makeFault() : undefined;
    if (turns === 0 && !fault) return work();
    // What is asked for is lent for the call, so it is looked up before the pause.
    return this.#later(turns, fault ?? work());
  }

  async #later<T>(turns: number, found: MaybePromise<T> | Error): Promise<T> {
    for (let turn = 0; turn < turns; turn++) await nextTurn();
    if (found instanceof Error) throw found;
    return found;
  }
}

/** A read that failed at random. */
export class LostRead extends Error {
  constructor() {
    super('the read was lost');
  }
}

const lostRead = (): Error => new LostRead();

class UnsteadySource implements PlainSource {
  readonly under: PlainSource;
  readonly weather: Weather;

  constructor(under: PlainSource, weather: Weather) {
    this.under = under;
    this.weather = weather;
  }

  get(key: Uint8Array, seen?: Uint8Array): MaybePromise<Uint8Array | undefined> {
    return this.weather.answer(() => this.under.get(key, seen), lostRead);
  }

  getMany(keys: readonly Uint8Array[]): MaybePromise<readonly (Uint8Array | undefined)[]> {
    return this.weather.answer(() => this.under.getMany(keys), lostRead);
  }

  range(range: ByteRange): MaybePromise<readonly Entry[]> {
    return this.weather.answer(() => this.under.range(range), lostRead);
  }

  linked(range: ByteRange, link: Link): MaybePromise<readonly Linked[]> {
    return this.weather.answer(() => this.under.linked(range, link), lostRead);
  }

  linkedAt(key: Uint8Array, link: Link): MaybePromise<Linked | undefined> {
    return this.weather.answer(() => this.under.linkedAt(key, link), lostRead);
  }

  stamp<R>(record: R, key: Uint8Array, bytes: Uint8Array): Seen<R> {
    return this.under.stamp(record, key, bytes);
  }
}

class UnsteadySnapshot extends UnsteadySource implements Snapshot {
  readonly #snapshot: Snapshot;
  readonly #onRelease: () => void;

  constructor(snapshot: Snapshot, weather: Weather, onRelease: () => void) {
    super(snapshot, weather);
    this.#snapshot = snapshot;
    this.#onRelease = onRelease;
  }

  getAgain(seen: Seen<unknown>): MaybePromise<Uint8Array | undefined> {
    return this.weather.answer(() => this.#snapshot.getAgain(seen), lostRead);
  }

  count(span: ByteSpan): MaybePromise<number> {
    return this.weather.answer(() => this.#snapshot.count(span), lostRead);
  }

  hold(): void {
    this.#snapshot.hold();
  }

  release(): void {
    this.#onRelease();
    this.#snapshot.release();
  }
}

/** An engine in memory that answers late and fails now and then, as one over a bad network does: no failed commit is kept. */
export class UnsteadyEngine extends MemoryEngine {
  readonly #weather: Weather;
  /** Snapshots that were not released yet. */
  snapshots = 0;

  constructor(seed: number) {
    super({});
    this.#weather = new Weather(seed);
  }

  /** The share of reads and commits that fail from now on. */
  set faults(share: number) {
    this.#weather.faults = share;
  }

  override snapshot(): Snapshot {
    this.snapshots += 1;
    return new UnsteadySnapshot(super.snapshot(), this.#weather, () => {
      this.snapshots -= 1;
    });
  }

  override async commit(request: CommitRequest): Promise<boolean> {
    return this.#weather.answer(
      () => super.commit(request),
      () => new StoreUnavailable('not-kept'),
    );
  }

  override async alone<T>(body: (source: PlainSource) => Promise<Decision<T>>): Promise<T> {
    return super.alone(async (source) => whenReady(body(new UnsteadySource(source, this.#weather)), (decision) => decision));
  }
}
