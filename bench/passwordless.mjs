// Passwordless sign-ups of 32 clients at once: a code is made and consumed; each call is a durable commit.
import { availableParallelism } from 'node:os';
import { askOnce } from './core.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CLIENTS = 32;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const threads = availableParallelism();
  const limitFolder = stage.emptyFolder('passwordless-limit');
  return await withCore({ dataDir: stage.emptyFolder('passwordless') }, async ({ port }) => {
    const bare = { dataDir: limitFolder, threads, inFlight: CLIENTS, seconds: stage.seconds(3) };
    const limit = async () => (await askOnce('limits/passwordless-commits.mjs', bare)).perSecond;
    let share = 0;
    const ours = async () => {
      const job = { kind: 'codes', port, connections: CLIENTS, seconds: stage.seconds(5), warmUpSeconds: 1 };
      const result = await askOnce('load/generator.mjs', job);
      if (result.failed > 0) throw new Error(`${result.failed} pairs failed: ${result.firstFailure}`);
      share = Math.max(share, result.generatorShare);
      return result.perSecond;
    };
    const measured = await alternate(stage.rounds(4), limit, ours);
    return [
      atLeast({
        what: `passwordless create + consume pairs, ${CLIENTS} concurrent`,
        limitName: `two durable grouped commits of the same bytes through the store alone on ${threads} threads`,
        ...measured,
        unit: 'per s',
        atLeast: 0.35,
        note: `the load generator took up to ${(share * 100).toFixed(0)} % of a thread of the same machine`,
      }),
    ];
  });
}
