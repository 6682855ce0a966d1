import type { AppNumber, Store } from '../../store/store.ts';
import { lostOutcome } from '../../store/unavailable.ts';
import { dayOf } from './days.ts';
import { type Counts, STATISTIC_NAMES, type StatisticName } from './counts.ts';
import { type DayRecord, dailyStatistics } from './records.ts';
import { tallyOf, type TallySubject } from './tallies.ts';

/** What was counted in memory is written so often. */
const EVERY_MS = 5_000;
/** Records that one transaction writes. */
const BATCH = 200;

const NOTHING: Counts = { activeUsers: 0, signIns: 0, signInFailures: 0, signUps: 0, refreshes: 0, thefts: 0 };

/**
 * What one thread counts of each app by day: in memory, added to the store in the background, so that no request waits.
 * It holds one small record for each app that did something since. A process that is killed loses its last seconds.
 */
export class DailyStatistics {
  readonly #onTally: (tally: number) => void;
  #counted = new Map<string, DayRecord>();
  /** The end of what is being written. */
  #writing: Promise<void> = Promise.resolve();

  /** @param onTally told the number of what is counted for the metrics of the process (`TALLIES`) */
  constructor(onTally: (tally: number) => void = () => {}) {
    this.#onTally = onTally;
  }

  /** Counts for the metrics of the process, which are nobody's in particular. */
  tally(subject: TallySubject, status: string): void {
    const tally = tallyOf(subject, status);
    if (tally !== undefined) this.#onTally(tally);
  }

  /** @param now ms since the epoch */
  add(app: AppNumber, name: StatisticName, now: number): void {
    const day = dayOf(now);
    this.#count({ app, day, ...NOTHING, [name]: 1 });
  }

  /** Adds all that was counted to the store. Rejects where some was not kept, which then counts the next time. */
  flush(store: Store): Promise<void> {
    const flushed = this.#writing.then(() => this.#flush(store));
    this.#writing = flushed.catch(() => {});
    return flushed;
  }

  /** Writes every few seconds, without keeping the process alive, until the answered function is called, and then. */
  startFlushing(store: Store, onFault: (error: unknown) => void): () => Promise<void> {
    const flush = (): Promise<void> => this.flush(store).catch(onFault);
    const timer = setInterval(() => void flush(), EVERY_MS);
    timer.unref();
    return () => {
      clearInterval(timer);
      return flush();
    };
  }

  #count(more: DayRecord): void {
    const name = `${more.app} ${more.day}`;
    this.#counted.set(name, sum(more, this.#counted.get(name)));
  }

  async #flush(store: Store): Promise<void> {
    const counted = [...this.#counted.values()];
    this.#counted = new Map();
    for (let at = 0; at < counted.length; at += BATCH) {
      try {
        await write(store, counted.slice(at, at + BATCH));
      } catch (error) {
        // Of what may have been kept, nothing is counted twice.
        const isUnknown = lostOutcome(error) === 'unknown';
        for (const record of counted.slice(isUnknown ? at + BATCH : at)) this.#count(record);
        throw error;
      }
    }
  }
}

function write(store: Store, counted: readonly DayRecord[]): Promise<void> {
  return store.transact(async (tx) => {
    const before = await tx.getMany(counted.map((record) => ({ collection: dailyStatistics, key: dailyStatistics.key(record) })));
    for (const [at, record] of counted.entries()) await tx.put(dailyStatistics, sum(record, before[at]));
  });
}

function sum(record: DayRecord, other: Counts = NOTHING): DayRecord {
  const total = { ...record };
  for (const name of STATISTIC_NAMES) total[name] += other[name];
  return total;
}
