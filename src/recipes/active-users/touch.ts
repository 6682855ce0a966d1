import { Remembered } from '../../caches/remembered.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, Store, Transaction } from '../../store/store.ts';
import { lastActive } from './records.ts';

const THROTTLE_MS = 5 * 60_000;
/** Users whose last write a thread remembers. */
const REMEMBERED = 100_000;

/**
 * Writes when users were last active, at most once in five minutes for each (contract 01 section 12). One per thread:
 * a user seen by several threads is written by each, which no answer shows.
 */
export class ActivityRecorder {
  readonly #writtenAt = new Remembered<string, number>(REMEMBERED);
  readonly #throttleMs: number;
  readonly #onDropped: (error: unknown) => void;

  /** @param onDropped told of writes that failed, which the next request of the user makes up for */
  constructor(testMode: boolean, onDropped: (error: unknown) => void) {
    this.#throttleMs = testMode ? 0 : THROTTLE_MS;
    this.#onDropped = onDropped;
  }

  /** True when the user was written so lately that another write can be left out. */
  isRecent(app: AppNumber, userId: string, now: number): boolean {
    const at = this.#writtenAt.get(`${app} ${userId}`);
    return at !== undefined && now - at < this.#throttleMs && now >= at;
  }

  /** Writes inside the caller's transaction; tell `written` when it has committed. */
  async record(tx: Transaction, app: AppNumber, userId: string, now: number): Promise<void> {
    await tx.put(lastActive, { app, userId, at: now });
  }

  written(app: AppNumber, userId: string, now: number): void {
    this.#writtenAt.set(`${app} ${userId}`, now);
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
      const isWritten = await store.transact(async (tx) => {
        if (!(await isThere(tx))) return false;
        await this.record(tx, app, userId, now);
        return true;
      });
      if (isWritten) this.written(app, userId, now);
    } catch (error) {
      this.#onDropped(error);
    }
  }
}
