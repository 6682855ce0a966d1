import type { Worker } from 'node:worker_threads';
import type { Log } from '../observe/log.ts';
import { RunningThread } from './running-thread.ts';
import type { FromThread, ToThread } from './thread-messages.ts';

/** A thread that lived for less than this died at once: its successor waits, longer each time. */
const HEALTHY_LIFE_MS = 10_000;
const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;

/** What the front needs to keep its threads. */
export interface FrontOptions {
  /** How many threads share the port. */
  readonly threads: number;
  /** The port to listen on; 0 lets the first thread find one for all. */
  readonly port: number;
  /** Starts the thread at this position. */
  readonly spawn: (index: number) => Worker;
  /** Every message that is not about a thread's own life. */
  readonly onMessage: (message: FromThread, reply: (message: ToThread) => void) => void;
  readonly log: Log;
}

interface Slot {
  readonly index: number;
  thread: RunningThread;
  /** Deaths in a row shortly after the start. */
  earlyDeaths: number;
  retry: NodeJS.Timeout | undefined;
}

/**
 * Keeps the HTTP threads alive: starts them, replaces those that die, stops them in order. It never terminates a thread from
 * outside: one that owns a listening app would take the whole process with it.
 */
export class HttpFront {
  readonly #options: FrontOptions;
  readonly #slots: readonly Slot[];
  #port: number;
  #restarts = 0;
  #isStopping = false;

  /** Starts the threads; they get ready to listen while the caller does the rest. */
  constructor(options: FrontOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#slots = Array.from({ length: options.threads }, (_, index) => ({
      index,
      thread: this.#begin(index),
      earlyDeaths: 0,
      retry: undefined,
    }));
  }

  /** How many threads died and were replaced so far. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Resolves with the port once every thread listens; rejects with the reason of the first thread that cannot. The first one goes ahead:
   * it finds the port, and tells whether its engine lets others listen there.
   */
  async listen(): Promise<number> {
    const [first, ...others] = this.#slots;
    if (!first) throw new Error('at least one HTTP thread is needed');
    const { sharesPort } = await first.thread.prepared;
    this.#port = await this.#listen(first);
    if (sharesPort) await Promise.all(others.map((slot) => this.#listen(slot)));
    else if (others.length > 0) {
      this.#options.log.warn('this HTTP engine cannot share a port here, so one HTTP thread serves alone');
      await Promise.all(others.map(({ thread }) => thread.stop()));
    }
    return this.#port;
  }

  /** Asks every thread to finish and resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { retry } of this.#slots) clearTimeout(retry);
    await Promise.all(this.#slots.map(({ thread }) => thread.stop()));
  }

  #begin(index: number): RunningThread {
    return new RunningThread(this.#options.spawn(index), this.#options.onMessage);
  }

  /** Lets the thread of a slot listen; from then on it is replaced when it ends. */
  async #listen(slot: Slot): Promise<number> {
    await slot.thread.prepared;
    const port = await slot.thread.listen(this.#port);
    void slot.thread.ended.then((reason) => this.#replace(slot, reason));
    return port;
  }

  #replace(slot: Slot, reason: string): void {
    if (this.#isStopping) return;
    this.#restarts += 1;
    slot.earlyDeaths = performance.now() - slot.thread.startedAt < HEALTHY_LIFE_MS ? slot.earlyDeaths + 1 : 0;
    const delayMs = slot.earlyDeaths === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (slot.earlyDeaths - 1), LONGEST_DELAY_MS);
    this.#options.log.error({ httpThread: slot.index, reason, delayMs }, 'an HTTP thread ended, starting another');
    slot.retry = setTimeout(() => {
      slot.thread = this.#begin(slot.index);
      this.#listen(slot).catch((error: unknown) => this.#replace(slot, error instanceof Error ? error.message : String(error)));
    }, delayMs);
  }
}
