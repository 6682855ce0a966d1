/** What a batch should take: short enough that others who wait for the write lock do not notice. */
const BATCH_MS = 20;
const FIRST_LIMIT = 100;
/** Enough that a batch costs little beside its work: where it waits for other writers, fewer would not end sooner. */
const LOWEST_LIMIT = 20;
const HIGHEST_LIMIT = 500;
/** Within one batch the speed of a disk may change a hundredfold. */
const GROWTH = 2;
const LONGEST_REST_MS = 1_000;

/** Sizes a job's batches to take equal time, whatever their work costs, with rests at least as long for all others. */
export class Pace {
  #limit = FIRST_LIMIT;

  /** Pieces of work in the next batch. */
  get limit(): number {
    return this.#limit;
  }

  /** Takes in how many ms a batch took; answers how many to rest before the next. */
  took(ms: number): number {
    const fitting = (this.#limit * BATCH_MS) / Math.max(ms, 1);
    this.#limit = Math.round(Math.min(Math.max(fitting, LOWEST_LIMIT), this.#limit * GROWTH, HIGHEST_LIMIT));
    return Math.min(ms, LONGEST_REST_MS);
  }
}
