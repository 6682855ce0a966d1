// Sessions created and refreshed by 16 clients at once; each answer holds one new signature.
import { availableParallelism } from 'node:os';
import { AS_STARTED, ask, askOnce } from './core.mjs';
import { alternate, atLeast, bareNote } from './result.mjs';
import { withCore } from './stage.mjs';

const CHAINS = 16;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const threads = availableParallelism();
  const dataDir = await stage.store('empty');
  return await withCore({ dataDir }, async ({ port }) => {
    const limit = async () =>
      (await askOnce('limits/crypto-loop.mjs', { loop: 'RSA-2048 sign', threads, seconds: stage.seconds(3) })).perSecond;
    let share = 0;
    const refreshAt = async (port) => {
      const job = { kind: 'chains', port, connections: CHAINS, seconds: stage.seconds(5), warmUpSeconds: 1 };
      const result = await askOnce('load/generator.mjs', job);
      if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.firstFailure}`);
      share = Math.max(share, result.generatorShare);
      return result.perSecond;
    };
    let runs = 0;
    const bare = async () => {
      runs += 1;
      const dataDir = stage.emptyFolder(`bare-refresh-${runs}`);
      const server = ask('limits/bare-refresh.mjs', { dataDir, threads }, AS_STARTED);
      try {
        return await refreshAt((await server.answer).port);
      } finally {
        await server.stop();
      }
    };
    const measured = await alternate(stage.rounds(5), limit, () => refreshAt(port), bare);
    return [
      atLeast({
        what: `create and refresh, ${CHAINS} concurrent chains`,
        limitName: `RSA-2048 signing loop on ${threads} threads`,
        ...measured,
        unit: 'per s',
        atLeast: 0.55,
        note: [
          bareNote(measured, 'a bare server that only opens, seals, signs and commits'),
          `the load generator took up to ${(share * 100).toFixed(0)} % of a thread of the same machine`,
        ].join('; '),
      }),
    ];
  });
}
