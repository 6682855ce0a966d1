import type { Worker } from 'node:worker_threads';
import type { Log } from '../observe/log.ts';
import type { News } from './messages.ts';
import type { InForce } from './plan.ts';
import { RunningThread } from './running-thread.ts';

/** A thread that lived shorter than this died at once: its successors wait, longer each time. */
const HEALTHY_LIFE_MS = 10_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** How a thread is kept. */
export interface Supervision {
  /** Its name in the log. */
  readonly name: string;
  readonly spawn: () => Worker;
  readonly onNews: (news: News) => void;
  readonly log: Log;
}

/**
 * A thread that main keeps alive: started at once, replaced when it dies after it has begun to work, and stopped in
 * order. It is never terminated from outside: one that owns a listening app would take the whole process with it.
 */
export class SupervisedThread {
  readonly #supervision: Supervision;
  #running: RunningThread;
  #earlyDeaths = 0;
  #restarts = 0;
  #retry: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(supervision: Supervision) {
    this.#supervision = supervision;
    this.#running = this.#start();
  }

  /** Of the thread that runs now. */
  get prepared(): RunningThread['prepared'] {
    return this.#running.prepared;
  }

  /** How often it died and was replaced so far. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Lets the thread work, and replaces it when it ends. @param begin starts it, or a successor; may reject */
  async work(begin: (thread: RunningThread) => Promise<void>): Promise<void> {
    const thread = this.#running;
    await begin(thread);
    void thread.ended.then((reason) => this.#replace(reason, begin));
  }

  /** Resolves once the thread that runs now has taken it over. */
  reload(loaded: InForce): Promise<void> {
    return this.#running.reload(loaded);
  }

  /** Asks it to finish, and resolves when it has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#retry);
    await this.#running.stop();
  }

  #start(): RunningThread {
    return new RunningThread(this.#supervision.spawn(), this.#supervision.onNews);
  }

  #replace(reason: string, begin: (thread: RunningThread) => Promise<void>): void {
    if (this.#isStopping) return;
    this.#restarts += 1;
    this.#earlyDeaths = performance.now() - this.#running.startedAt < HEALTHY_LIFE_MS ? this.#earlyDeaths + 1 : 0;
    const delayMs = this.#earlyDeaths === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.#earlyDeaths - 1), LONGEST_DELAY_MS);
    const { log, name } = this.#supervision;
    log.error({ ended: name, reason, delayMs }, 'a thread ended, starting another');
    this.#retry = setTimeout(() => {
      this.#running = this.#start();
      this.work(begin).catch((error: unknown) => this.#replace(error instanceof Error ? error.message : String(error), begin));
    }, delayMs);
  }
}
