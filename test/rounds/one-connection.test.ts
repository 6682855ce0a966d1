import { beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Pages, Store } from '../../src/store/store.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { make, SCENARIOS } from './scenarios.ts';

/*
 * On a database over the network a body that reads holds a connection until it ends (a transaction at least when it runs alone). One that waits
 * meanwhile for another read of the store waits for a second connection: when all are held by such bodies, nobody goes on. So every endpoint is
 * played with one connection, and with tenants that nobody remembers.
 */

const LONGEST_WAIT_MS = 1_000;

/** Hands out one place; who waits too long for it is refused. */
class Place {
  #isTaken = false;
  readonly #waiting: (() => void)[] = [];

  async take(): Promise<void> {
    if (this.#isTaken) {
      await new Promise<void>((resolve, reject) => {
        const go = (): void => {
          clearTimeout(timer);
          resolve();
        };
        const timer = setTimeout(() => {
          this.#waiting.splice(this.#waiting.indexOf(go), 1);
          reject(new Error('who holds the connection waits for one'));
        }, LONGEST_WAIT_MS);
        this.#waiting.push(go);
      });
    }
    this.#isTaken = true;
  }

  give(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isTaken = false;
  }
}

/** @param onHeld called whenever a body begins that holds the connection */
function withOneConnection(store: Store, onHeld: () => void): Store {
  const place = new Place();
  const held = async <T>(work: () => T): Promise<Awaited<T>> => {
    await place.take();
    onHeld();
    try {
      return await work();
    } finally {
      place.give();
    }
  };
  const giving = <T>(pages: Pages<T>): Pages<T> => {
    const ended = <R extends IteratorResult<T, undefined>>(result: R): R => {
      if (result.done) place.give();
      return result;
    };
    const all: Pages<T> = {
      [Symbol.asyncIterator]: () => all,
      next: () => pages.next().then(ended),
      return: () => pages.return().then(ended),
    };
    return all;
  };
  return {
    read: <T>(body: Parameters<typeof store.read<T>>[0]) => held(() => store.read(body)) as T,
    readShared: (body) => store.readShared(body),
    readPages: async (body) => {
      await place.take();
      onHeld();
      let isHeld = false;
      const result = await store.readPages((reader, hold) =>
        body(reader, (pages) => {
          isHeld = true;
          return giving(hold(pages));
        }),
      );
      if (!isHeld) place.give();
      return result;
    },
    transact: (body) => held(() => store.transact(body)),
    stats: () => store.stats(),
    time: () => store.time(),
    blockedBy: () => store.blockedBy(),
    readers: () => store.readers(),
    close: () => store.close(),
  };
}

describe('no endpoint waits for a connection while it holds one', () => {
  let core: InProcessCore;

  beforeAll(async () => {
    let forget = (): void => {};
    const store = withOneConnection(await openStore({ engine: 'memory', slow: true }), () => forget());
    core = await openInProcessCore('5.4', [], store);
    forget = () => core.services.directory.changed();
  });

  test.each(SCENARIOS)('$endpoint', async ({ play }) => {
    expect((await play(core, await make(core))).status).toBe(200);
  });
});
