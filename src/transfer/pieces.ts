/** Joins what the ends of chunks cut apart, up to a length; of anything longer nothing is kept. */
export class Pieces {
  readonly #longest: number;
  #kept: Buffer[] = [];
  #length = 0;

  /** @param longest in bytes */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** True when nothing was added since the last `take`. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > this.#longest) this.#kept = [];
    else this.#kept.push(piece);
  }

  /** All that was added since the last call, undefined where it is too long. */
  take(): Buffer | undefined {
    const [first, ...others] = this.#kept;
    const isTooLong = this.#length > this.#longest;
    this.#kept = [];
    this.#length = 0;
    if (isTooLong) return undefined;
    if (first === undefined) return Buffer.alloc(0);
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }
}
