/** A process-wide number of places, for tasks that need one (contract 03 section 1.3, both hashing pool sizes). */
export class Slots {
  #free: number;

  /** @param size raised to 1 */
  constructor(size: number) {
    this.#free = Math.max(1, size);
  }

  /** Takes a place; false when none is free. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  /** Gives a place back. */
  give(): void {
    this.#free += 1;
  }
}
