/**
 * Two generations of a container, simpler than a list in order of use. A full young one becomes the old one; users of
 * the class move what they find in the old one to the young one, so the half used last is always there.
 */
export class Generations<C> {
  readonly #make: () => C;
  readonly #most: number;
  #size = 0;
  young: C;
  old: C;

  /** @param capacity of both together, in whatever `makeRoom` counts */
  constructor(capacity: number, make: () => C) {
    this.#most = Math.max(1, Math.floor(capacity / 2));
    this.#make = make;
    this.young = make();
    this.old = make();
  }

  /** To be called before something of that size is added to the young one. */
  makeRoom(size: number): void {
    if (this.#size > 0 && this.#size + size > this.#most) {
      this.old = this.young;
      this.young = this.#make();
      this.#size = 0;
    }
    this.#size += size;
  }

  clear(): void {
    this.young = this.#make();
    this.old = this.#make();
    this.#size = 0;
  }
}

/** A map of bounded size that forgets what is not used. */
export class Remembered<K, V> {
  readonly #maps: Generations<Map<K, V>>;
  readonly #sizeOf: (value: V) => number;

  /** @param capacity in entries, or in what `sizeOf` counts */
  constructor(capacity: number, sizeOf: (value: V) => number = () => 1) {
    this.#maps = new Generations(capacity, () => new Map<K, V>());
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const young = this.#maps.young.get(key);
    if (young !== undefined) return young;
    const old = this.#maps.old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: K, value: V): void {
    if (!this.#maps.young.has(key)) this.#maps.makeRoom(this.#sizeOf(value));
    this.#maps.young.set(key, value);
  }
}
