import { randomFillSync } from 'node:crypto';

/** Bytes drawn at a time: one call of the generator costs some 5 µs, however few bytes it is asked for. */
const POOL_BYTES = 8192;

/** Cryptographically strong random bytes, drawn in advance, each handed out once and then wiped. One per thread. */
export class Randomness {
  readonly #pool = Buffer.alloc(POOL_BYTES);
  #used = POOL_BYTES;

  bytes(size: number): Buffer {
    if (size > POOL_BYTES) return randomFillSync(Buffer.alloc(size));
    if (this.#used + size > POOL_BYTES) {
      randomFillSync(this.#pool);
      this.#used = 0;
    }
    const drawn = Buffer.from(this.#pool.subarray(this.#used, this.#used + size));
    this.#pool.fill(0, this.#used, this.#used + size);
    this.#used += size;
    return drawn;
  }

  /** Uniform in [0, 1). */
  unit(): number {
    return this.bytes(6).readUIntBE(0, 6) / 2 ** 48;
  }
}
