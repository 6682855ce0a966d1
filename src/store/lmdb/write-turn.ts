import { type LostOutcome, StoreUnavailable } from '../unavailable.ts';

/* Seconds in which this thread ran: what the database answers during a stop of the whole process still counts. */
const SECOND_MS = 1_000;
/** Time to wait for the write lock, and to work. Others hold it for ms, a body alone for half of this at most. */
const LONGEST_WAIT_SECONDS = 10;
/** How long the disk may then take to commit. Long, as nobody knows afterwards what became of the commit. */
const LONGEST_SYNC_SECONDS = 20;
/** A body that runs alone holds the write lock of all; it only reads and decides meanwhile, so this is plenty. */
const LONGEST_BODY_MS = 5_000;
/** From here on something is wrong, although the waiting work may still be done. */
const LATE_SECONDS = 5;

/** Thrown inside a withdrawn transaction, so that the database rolls it back. */
class Withdrawn extends Error {
  override readonly name = 'Withdrawn';
}

/** One turn at the write lock: wait, work, commit. Withdrawn before its work is done, it surely keeps nothing. */
export class WriteTurn {
  #isCommitting = false;
  #isWithdrawn = false;
  /** In which the present stage went on. */
  #seconds = 0;

  /** Whether it takes longer than it should. */
  get isLate(): boolean {
    return this.#seconds >= LATE_SECONDS;
  }

  /** The work in the form that the database calls. A withdrawn turn does nothing, or throws if it already has. */
  guarded(work: () => void | Promise<void>): () => void | Promise<void> {
    return () => {
      if (this.#isWithdrawn) return undefined;
      const working = work();
      if (working instanceof Promise) return working.then(() => this.#commit());
      this.#commit();
    };
  }

  /** The outcome of `committed`; after too long calls `onLate` and rejects with `StoreUnavailable`. */
  settled<T>(committed: Promise<T>, onLate: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setInterval(() => {
        this.#seconds += 1;
        if (this.#seconds < (this.#isCommitting ? LONGEST_SYNC_SECONDS : LONGEST_WAIT_SECONDS)) return;
        clearInterval(timer);
        onLate();
        reject(new StoreUnavailable(this.#giveUp()));
      }, SECOND_MS);
      committed.then(resolve, reject).finally(() => clearInterval(timer));
    });
  }

  #giveUp(): LostOutcome {
    this.#isWithdrawn = !this.#isCommitting;
    return this.#isCommitting ? 'unknown' : 'not-kept';
  }

  #commit(): void {
    if (this.#isWithdrawn) throw new Withdrawn('nobody waits for this transaction any more');
    this.#isCommitting = true;
    this.#seconds = 0;
  }
}

/** What a body that runs alone comes to; rejects where it does not end in time. What it does later is ignored. */
export function aloneInTime<T>(body: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('a transaction that ran alone did not end')), LONGEST_BODY_MS);
    body.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
