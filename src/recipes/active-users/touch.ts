import { Remembered } from '../../caches/remembered.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import type { DailyStatistics } from '../statistics/daily-statistics.ts';
import { dayOf } from '../statistics/days.ts';
import { lastActive } from './records.ts';

const THROTTLE_MS = 5 * 60_000;
/** So long a claimed write counts as under way, whatever becomes of it. */
const UNDER_WAY_MS = 1_000;
/** Users whose last write a thread remembers. */
const REMEMBERED = 100_000;

/** Activity as a transaction wrote it. */
export interface Activity {
  readonly app: AppNumber;
  readonly userId: string;
  /** ms since the epoch */
  readonly at: number;
  /** Whether the user was not yet active on that day. */
  readonly isFirstOfDay: boolean;
}

/**
 * Writes when users were last active, at most once in five minutes of a day for each (contract 01 section 12), and
 * counts those of a day. One per thread: a user seen by several threads is written by each, and counted once.
 */
export class ActivityRecorder {
  readonly #writtenAt = new Remembered<string, number>(REMEMBERED);
  /** When a write of the user was claimed last. */
  readonly #claimedAt = new Remembered<string, number>(REMEMBERED);
  readonly #throttleMs: number;
  readonly #statistics: DailyStatistics;
  readonly #onDropped: (error: unknown) => void;

  /** @param onDropped told of writes that failed, which the next request of the user makes up for */
  constructor(testMode: boolean, statistics: DailyStatistics, onDropped: (error: unknown) => void) {
    this.#throttleMs = testMode ? 0 : THROTTLE_MS;
    this.#statistics = statistics;
    this.#onDropped = onDropped;
  }

  /** True when the user was written so lately that another write can be left out. */
  isRecent(app: AppNumber, userId: string, now: number): boolean {
    const at = this.#writtenAt.get(`${app} ${userId}`);
    return at !== undefined && now - at < this.#throttleMs && now >= at && dayOf(now) === dayOf(at);
  }

  /**
   * Whether the caller has to write the user: false where that was done lately, or another request is about to. Many
   * that begin sessions of one user at once would only get in each other's way.
   */
  claim(app: AppNumber, userId: string, now: number): boolean {
    if (this.isRecent(app, userId, now)) return false;
    const id = `${app} ${userId}`;
    const at = this.#claimedAt.get(id);
    if (at !== undefined && Math.abs(now - at) < Math.min(UNDER_WAY_MS, this.#throttleMs)) return false;
    this.#claimedAt.set(id, now);
    return true;
  }

  /** Writes inside the caller's transaction; give `written` the answer when it has committed. */
  async record(tx: Transaction, app: AppNumber, userId: string, now: number): Promise<Activity> {
    const before = await tx.get(lastActive, [app, userId]);
    await tx.put(lastActive, { app, userId, at: now });
    return { app, userId, at: now, isFirstOfDay: before === undefined || dayOf(before.at) < dayOf(now) };
  }

  /** The same unless the user was written lately. */
  async recordIfDue(tx: Transaction, app: AppNumber, userId: string, now: number): Promise<Activity | undefined> {
    return this.isRecent(app, userId, now) ? undefined : this.record(tx, app, userId, now);
  }

  /** @param activity none where nothing was due */
  written(activity: Activity | undefined): void {
    if (!activity) return;
    const { app, userId, at, isFirstOfDay } = activity;
    this.#writtenAt.set(`${app} ${userId}`, at);
    if (isFirstOfDay) this.#statistics.add(app, 'activeUsers', at);
  }

  /**
   * Writes in a transaction of its own; failures are only reported, since activity is not worth failing a request.
   * @param isThere whether the user still exists, if that was asked long before: nothing may be left of a removed one
   */
  async touch(
    store: Store,
    app: AppNumber,
    userId: string,
    now: number,
    isThere: (reader: Reader) => MaybePromise<boolean> = () => true,
  ): Promise<void> {
    if (this.isRecent(app, userId, now)) return;
    try {
      this.written(await store.transact(async (tx) => ((await isThere(tx)) ? this.record(tx, app, userId, now) : undefined)));
    } catch (error) {
      this.#onDropped(error);
    }
  }
}
