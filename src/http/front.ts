import type { Worker } from 'node:worker_threads';
import type { Log } from '../observe/log.ts';
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
  readonly spawn: (index: number, port: number) => Worker;
  /** Every message that is not about the thread's own life. */
  readonly onMessage: (message: FromThread, reply: (message: ToThread) => void) => void;
  readonly log: Log;
}

type Listens = Extract<FromThread, { kind: 'listening' }>;

interface Slot {
  readonly index: number;
  worker: Worker | undefined;
  startedAt: number;
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
  #stopping = false;

  constructor(options: FrontOptions) {
    this.#options = options;
    this.#port = options.port;
    this.#slots = Array.from({ length: options.threads }, (_, index) => ({
      index,
      worker: undefined,
      startedAt: 0,
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
  async start(): Promise<number> {
    const [first, ...others] = this.#slots;
    if (!first) throw new Error('at least one HTTP thread is needed');
    const { port, sharesPort } = await this.#run(first);
    this.#port = port;
    if (sharesPort) await Promise.all(others.map((slot) => this.#run(slot)));
    else if (others.length > 0) this.#options.log.warn('this HTTP engine cannot share a port here, so one HTTP thread serves alone');
    return port;
  }

  /** Asks every thread to finish and resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(
      this.#slots.map(({ worker, retry }) => {
        clearTimeout(retry);
        if (!worker) return undefined;
        const ended = new Promise((resolve) => worker.once('exit', resolve));
        post(worker, { kind: 'stop' });
        return ended;
      }),
    );
  }

  /** Starts the thread of a slot; settles when it listens or ends. Later ends are handled by replacing it. */
  #run(slot: Slot): Promise<Listens> {
    const worker = this.#options.spawn(slot.index, this.#port);
    slot.worker = worker;
    slot.startedAt = Date.now();
    return new Promise((resolve, reject) => {
      let listening = false;
      let reason = 'an HTTP thread ended before it listened';
      worker.on('message', (message: FromThread) => {
        if (message.kind === 'listening') {
          listening = true;
          resolve(message);
        } else if (message.kind === 'failed') {
          ({ reason } = message);
        } else {
          this.#options.onMessage(message, (answer) => post(worker, answer));
        }
      });
      worker.once('error', (error: Error) => {
        reason = error.message;
        this.#options.log.error({ err: error, thread: slot.index }, 'HTTP thread failed');
      });
      worker.once('exit', (code) => {
        slot.worker = undefined;
        if (listening) this.#replace(slot, code, reason);
        else reject(new Error(reason));
      });
    });
  }

  #replace(slot: Slot, code: number, reason: string): void {
    if (this.#stopping) return;
    this.#restarts += 1;
    slot.earlyDeaths = Date.now() - slot.startedAt < HEALTHY_LIFE_MS ? slot.earlyDeaths + 1 : 0;
    const delayMs = slot.earlyDeaths === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (slot.earlyDeaths - 1), LONGEST_DELAY_MS);
    this.#options.log.error({ httpThread: slot.index, code, reason, delayMs }, 'HTTP thread ended, starting another');
    slot.retry = setTimeout(() => {
      this.#run(slot).catch((error: unknown) => this.#replace(slot, 1, error instanceof Error ? error.message : String(error)));
    }, delayMs);
  }
}

function post(worker: Worker, message: ToThread): void {
  worker.postMessage(message);
}
