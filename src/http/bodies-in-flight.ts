import type { BodyPlace } from './engine.ts';

/** The room of one thread for request bodies that it has to keep: so many bytes of them at a time. */
export class BodiesInFlight {
  #most: number;
  #free: number;

  /** @param bytes option `max_bodies_in_flight_bytes` */
  constructor(bytes: number) {
    this.#most = bytes;
    this.#free = bytes;
  }

  /** Another limit. What is taken above a lower one stays until it is released, and nothing comes beside it. */
  resize(bytes: number): void {
    this.#free += bytes - this.#most;
    this.#most = bytes;
  }

  /**
   * A place for one body of at most `limit` bytes, if there is one. Declared bytes are taken at once, others as they
   * come.
   */
  take(limit: number, declared: number | undefined): BodyPlace | undefined {
    let held = 0;
    const hold = (bytes: number): boolean => {
      const more = Math.max(0, bytes - held);
      if (more > this.#free) return false;
      this.#free -= more;
      held += more;
      return true;
    };
    const release = (): void => {
      this.#free += held;
      held = 0;
    };
    // What is declared too large is refused before it comes, or drained without being kept.
    return hold(Math.min(declared ?? 0, limit)) ? { limit, isRead: true, hold, release } : undefined;
  }
}

/** The place of a body that nothing reads: it is discarded, and takes no room. */
export function passingPlace(limit: number): BodyPlace {
  return { limit, isRead: false, hold: () => true, release: () => {} };
}
