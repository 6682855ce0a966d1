import { LIMITS } from '../config/limits.ts';
import type { LargeBody } from './engine.ts';

/** The places of one thread for large bodies: so many bytes of them are in its memory at a time. */
export class LargeBodies {
  #free: number = LIMITS.uploadsBytes;

  /** A place for one body; undefined while there is none. @param declared its bytes, if they are known */
  take(declared: number | undefined): LargeBody | undefined {
    // What is declared too large is refused before it comes, or drained without being kept.
    const taken = Math.min(declared ?? LIMITS.uploadBytes, LIMITS.uploadBytes);
    if (taken > this.#free) return undefined;
    this.#free -= taken;
    return {
      limit: LIMITS.uploadBytes,
      release: () => {
        this.#free += taken;
      },
    };
  }
}
