/// <reference lib="es2024.arraybuffer" />

/** Up to this size pieces are copied one by one: few bytes, and no system calls. */
const SMALL_BYTES = 16_384;

/**
 * What has come of a body in pieces. Large ones have memory of their own, freed at once when dropped: other memory
 * waits for a garbage collection, which an idle process does not run, and then stays with C's allocator.
 */
export class KeptBody {
  readonly #most: number;
  #pieces: Uint8Array[] = [];
  #memory: ArrayBuffer | undefined;
  #size = 0;

  /** @param most bytes that it will have at most; only addresses are set aside for them */
  constructor(most: number) {
    this.#most = most;
  }

  /** Copies a piece, whose memory is only lent. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.length;
    if (!this.#memory && size > SMALL_BYTES) this.#move();
    if (this.#memory) {
      this.#memory.resize(size);
      new Uint8Array(this.#memory).set(piece, this.#size);
    } else this.#pieces.push(piece.slice());
    this.#size = size;
  }

  /** All of it, until it is dropped. */
  bytes(): Uint8Array {
    return this.#memory ? new Uint8Array(this.#memory, 0, this.#size) : Buffer.concat(this.#pieces);
  }

  /** Gives its memory back. */
  drop(): void {
    this.#memory?.resize(0);
    this.#memory = undefined;
    this.#pieces = [];
  }

  /** From pieces to memory of its own. */
  #move(): void {
    const memory = new ArrayBuffer(this.#size, { maxByteLength: this.#most });
    new Uint8Array(memory).set(Buffer.concat(this.#pieces));
    this.#memory = memory;
    this.#pieces = [];
  }
}
