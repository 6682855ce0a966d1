import type { Worker } from 'node:worker_threads';
import type { FromThread, News, ToThread } from './messages.ts';
import type { InForce } from './plan.ts';

type Kind = FromThread['kind'];
type Of<K extends Kind> = Extract<FromThread, { kind: K }>;

/** A thread as main sees it, from its start to its end. */
export class RunningThread {
  /** When it was started, on the clock of `performance.now`, which only goes forward. */
  readonly startedAt: number = performance.now();
  /** Resolves once the thread can listen; rejects with the reason when it ends before. */
  readonly prepared: Promise<Of<'prepared'>>;
  /** Resolves with the reason once the thread is gone. */
  readonly ended: Promise<string>;
  readonly #worker: Worker;
  #reason = 'the thread ended unexpectedly';
  #isGone = false;

  /** @param onNews told what the thread hands over as it goes on */
  constructor(worker: Worker, onNews: (news: News) => void) {
    this.#worker = worker;
    this.ended = new Promise((resolve) =>
      worker.once('exit', () => {
        this.#isGone = true;
        resolve(this.#reason);
      }),
    );
    this.prepared = this.#next('prepared');
    // Whoever waits for it is told; when nobody does, the end says the same.
    this.prepared.catch(() => {});
    worker.once('error', (error: Error) => {
      this.#reason = error.message;
    });
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'failed') this.#reason = message.reason;
      else if (message.kind === 'counted' || message.kind === 'spans') onNews(message);
    });
  }

  /** Resolves with the port it listens on; rejects with the reason when it cannot. @param port 0 for any free one */
  async listen(port: number): Promise<number> {
    await this.prepared;
    const listening = this.#next('listening');
    this.#post({ kind: 'listen', port });
    return (await listening).port;
  }

  /** Resolves once the configuration is in force in it, or it is gone: its successor starts with that configuration. */
  async reload(loaded: InForce): Promise<void> {
    const reloaded = this.#next('reloaded');
    this.#post({ kind: 'reload', loaded });
    await reloaded.catch(() => {});
  }

  /** Asks it to finish what it does, and resolves when it is gone. */
  async stop(): Promise<void> {
    this.#post({ kind: 'stop' });
    await this.ended;
  }

  #next<K extends Kind>(kind: K): Promise<Of<K>> {
    return new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        this.#worker.off('message', look).off('exit', lost);
        act();
      };
      const look = (message: FromThread): void => {
        if (message.kind === kind) settle(() => resolve(message as Of<K>));
      };
      const lost = (): void => settle(() => reject(new Error(this.#reason)));
      this.#worker.on('message', look).once('exit', lost);
      if (this.#isGone) lost();
    });
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }
}
