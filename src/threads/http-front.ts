import type { Log } from '../observe/log.ts';
import type { InForce } from './plan.ts';
import type { RunningThread } from './running-thread.ts';
import { type Supervision, SupervisedThread } from './supervised-thread.ts';

/** What the front needs to keep its threads. */
export interface FrontOptions {
  /** One for each thread; they share the port. */
  readonly threads: readonly Omit<Supervision, 'log'>[];
  /** The port to listen on; 0 lets the first thread find one for all. */
  readonly port: number;
  readonly log: Log;
}

/** The HTTP threads, which listen on one port. They start at once, and load while the caller does the rest. */
export class HttpFront {
  readonly #threads: readonly SupervisedThread[];
  readonly #log: Log;
  #port: number;

  constructor({ threads, port, log }: FrontOptions) {
    this.#threads = threads.map((thread) => new SupervisedThread({ ...thread, log }));
    this.#port = port;
    this.#log = log;
  }

  /** How many threads died and were replaced so far. */
  get restarts(): number {
    return this.#threads.reduce((sum, { restarts }) => sum + restarts, 0);
  }

  /**
   * Resolves with the port once every thread listens; rejects with the reason of the first that cannot. The first
   * thread goes ahead: it finds the port, and tells whether its engine lets others listen there.
   */
  async listen(): Promise<number> {
    const [first, ...others] = this.#threads;
    if (!first) throw new Error('at least one HTTP thread is needed');
    const listen = async (thread: RunningThread): Promise<void> => {
      this.#port = await thread.listen(this.#port);
    };
    const { sharesPort } = await first.prepared;
    await first.work(listen);
    if (sharesPort) await Promise.all(others.map((thread) => thread.work(listen)));
    else if (others.length > 0) {
      this.#log.warn('this HTTP engine cannot share a port here, so one HTTP thread serves alone');
      await Promise.all(others.map((thread) => thread.stop()));
    }
    return this.#port;
  }

  /** Resolves once every thread has taken it over. */
  async reload(loaded: InForce): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.reload(loaded)));
  }

  /** Asks every thread to finish and resolves when the last one has ended. */
  async stop(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.stop()));
  }
}
