import type { Worker } from 'node:worker_threads';

/** What died at once would die again: its successor waits. */
const RESTART_MS = 5_000;

/** The jobs thread as main keeps it: started, replaced when it dies, and stopped in order. */
export class JobsThread {
  readonly #spawn: () => Worker;
  readonly #onDeath: (reason: string) => void;
  #worker: Worker | undefined;
  #retry: NodeJS.Timeout | undefined;
  #onEnd: (() => void) | undefined;
  #restarts = 0;

  /** @param onDeath told of every end that was not asked for */
  constructor(spawn: () => Worker, onDeath: (reason: string) => void) {
    this.#spawn = spawn;
    this.#onDeath = onDeath;
    this.#begin();
  }

  /** How often it died and was replaced so far. */
  get restarts(): number {
    return this.#restarts;
  }

  /** Resolves when what the thread was doing is done and it has ended. */
  async stop(): Promise<void> {
    clearTimeout(this.#retry);
    await new Promise<void>((resolve) => {
      this.#onEnd = resolve;
      if (this.#worker) this.#worker.postMessage('stop');
      else resolve();
    });
  }

  #begin(): void {
    const worker = this.#spawn();
    let reason = 'the jobs thread ended unexpectedly';
    worker.once('error', (error: Error) => {
      reason = error.message;
    });
    worker.once('exit', () => {
      this.#worker = undefined;
      if (this.#onEnd) return this.#onEnd();
      this.#restarts += 1;
      this.#onDeath(reason);
      this.#retry = setTimeout(() => this.#begin(), RESTART_MS);
    });
    this.#worker = worker;
  }
}
