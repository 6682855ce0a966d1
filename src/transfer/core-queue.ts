import type { CoreClient } from './core-client.ts';
import { askUntilAnswered, type Patience } from './patience.ts';

/** How seldom the queue is counted while users are sent, so that sending does not wait for it. */
const COUNT_MS = 1000;

/** How much a core has left to import. */
export class CoreQueue {
  readonly #client: CoreClient;
  readonly #patience: Patience;
  #done = 0;
  #countedAt = Number.NEGATIVE_INFINITY;

  constructor(client: CoreClient, patience: Patience) {
    this.#client = client;
    this.#patience = patience;
  }

  /** Entries not imported yet. NEW is counted before PROCESSING, which follows it: none is lost. @throws ImportFault */
  async waiting(): Promise<number> {
    let sum = 0;
    for (const status of ['NEW', 'PROCESSING']) {
      const { count } = await askUntilAnswered(this.#client, this.#patience, 'GET', `/bulk-import/users/count?status=${status}`);
      sum += Number(count);
    }
    return sum;
  }

  /** How many of so many sent users are done, at most a second ago. @throws ImportFault */
  async done(sent: number): Promise<number> {
    if (performance.now() - this.#countedAt < COUNT_MS) return this.#done;
    this.#countedAt = performance.now();
    return this.doneOf(sent, await this.waiting());
  }

  /** The same where so many entries wait. It never goes back, though others may add to the same queue. */
  doneOf(sent: number, waiting: number): number {
    this.#done = Math.max(this.#done, sent - waiting);
    return this.#done;
  }
}
