const MIB = 1024 * 1024;

/**
 * What one run of a transaction body may do, repeated reads and writes included: an endless one ends within seconds,
 * before its thread misses ten turns of main's (`Watchdog`). Measured: an upload of 10,000 users, the maximum, makes
 * 10,000 reads and 20,000 writes of 25 MB (at most 64 MiB); an import of 500 users 2,500 and 4,000; periodic jobs take
 * batches of 500. What one user id has is unbounded; much of it is deleted in transactions of its own (`deleteUnder`).
 */
export const WORK_LIMITS = { reads: 500_000, writes: 500_000, bytes: 256 * MIB } as const;

/** Beyond this, a transaction leaves deletions to others where it can: some tens of ms of the write lock. */
const ROOM = { writes: 10_000, bytes: 64 * MIB };

/** A range costs as much as so many keys, even if it is empty. */
const RANGE_READS = 10;

type Work = keyof typeof WORK_LIMITS;

/** A transaction body did more than any may: a fault of ours. Nothing of it is kept. */
export class WorkBudgetExceeded extends Error {
  override readonly name = 'WorkBudgetExceeded';

  constructor(work: Work) {
    super(`a transaction was ended after ${WORK_LIMITS[work]} ${work}; nothing of it was kept`);
  }
}

/** Counts one run's work. Past the limit everything throws `WorkBudgetExceeded`: a body that catches it fails too. */
export class WorkBudget {
  #reads = 0;
  #writes = 0;
  #bytes = 0;

  /** Keys that were asked for. */
  read(keys: number): void {
    this.#reads += keys;
    if (this.#reads > WORK_LIMITS.reads) throw new WorkBudgetExceeded('reads');
  }

  /** @param entries that the range brought */
  range(entries: number): void {
    this.read(RANGE_READS + entries);
  }

  /** @param bytes of its key and value */
  write(bytes: number): void {
    this.#writes += 1;
    if (this.#writes > WORK_LIMITS.writes) throw new WorkBudgetExceeded('writes');
    this.hold(bytes);
  }

  /** Bytes that the run remembers until it ends. */
  hold(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > WORK_LIMITS.bytes) throw new WorkBudgetExceeded('bytes');
  }

  /** Whether there is room for what others can do as well. */
  hasRoom(): boolean {
    return this.#writes < ROOM.writes && this.#bytes < ROOM.bytes;
  }

  /** Throws where a limit was passed. */
  check(): void {
    this.read(0);
    this.hold(0);
    if (this.#writes > WORK_LIMITS.writes) throw new WorkBudgetExceeded('writes');
  }
}
