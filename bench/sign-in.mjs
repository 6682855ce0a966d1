// Sign-ins of 16 clients at once, with the default password hash.
import { availableParallelism } from 'node:os';
import { askOnce } from './core.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

const CLIENTS = 16;
/** The default of `bcrypt_log_rounds`. */
const COST_FACTOR = 11;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const threads = availableParallelism();
  const dataDir = stage.emptyFolder('sign-in');
  return await withCore({ dataDir }, async ({ port }) => {
    const users = await makeUsers(port, CLIENTS);
    const bare = { loop: 'bcrypt', threads, seconds: stage.seconds(5), costFactor: COST_FACTOR };
    const limit = async () => (await askOnce('limits/crypto-loop.mjs', bare)).perSecond;
    const ours = async () => {
      const job = { kind: 'signIns', port, users, connections: CLIENTS, seconds: stage.seconds(8), warmUpSeconds: 1.5 };
      const result = await askOnce('load/generator.mjs', job);
      if (result.failed > 0) throw new Error(`${result.failed} sign-ins failed: ${result.firstFailure}`);
      return result.perSecond;
    };
    const measured = await alternate(stage.rounds(4), limit, ours);
    return [
      atLeast({
        what: `sign-in, ${CLIENTS} concurrent`,
        limitName: `the same hash (bcrypt, cost ${COST_FACTOR}) in a bare loop on ${threads} threads`,
        ...measured,
        unit: 'per s',
        atLeast: 0.85,
      }),
    ];
  });
}
