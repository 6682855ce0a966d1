// Bare handlers over the table of a core in PostgreSQL: the reads of a request in as many rounds, the hash of a password where it has one, and the same answer.
import { randomBytes } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { Piscina } from 'piscina';
import { bareServer } from './bare-server.mjs';
import { openTable } from './bare-table.mjs';

const KEYS = 2000;
const PASSWORD = 'correct horse';

const HANDLERS = {
  /** One key of the table, each time another. */
  read: (table, keys) => (n) => table.readOne(keys[n % keys.length]),
  /** Rounds of one state, each of a few keys, then one hash, beside the thread as in any server that answers others meanwhile. */
  signIn: async (table, keys, { rounds, costFactor }) => {
    const hash = await bcrypt({ password: PASSWORD, salt: randomBytes(16), costFactor, outputType: 'encoded' });
    const lane = new Piscina({ filename: new URL('./bcrypt-lane.mjs', import.meta.url).href, minThreads: 1, maxThreads: 1 });
    return async (n) => {
      const keysOf = (round) => [0, 1, 2].map((key) => keys[(n + round + key) % keys.length]);
      await table.readRounds(Array.from({ length: rounds }, (_, round) => keysOf(round)));
      if (!(await lane.run({ password: PASSWORD, hash }))) throw new Error('a right password was refused');
    };
  },
};

/** `{ threads, plan, handler, body, rounds, costFactor }` -> `{ port }` */
await bareServer(import.meta.url, async (job) => {
  const table = await openTable(job.plan);
  const handle = await HANDLERS[job.handler](table, await table.keys(KEYS), job);
  let requests = 0;
  return async () => {
    requests += 1;
    await handle(requests);
    return job.body;
  };
});
