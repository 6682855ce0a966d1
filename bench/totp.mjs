// Right TOTP codes of 32 clients at once: each is checked, judged against earlier attempts and kept by a durable commit.
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { askOnce } from './core.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CLIENTS = 32;
const WARM_UP_SECONDS = 1;
/** No core answers more; a code is good once, so every request is sent once. */
const MOST_PER_SECOND = 20_000;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const threads = availableParallelism();
  const limitFolder = stage.emptyFolder('totp-limit');
  const dataDir = stage.emptyFolder('totp');
  const file = join(stage.emptyFolder('totp-requests'), 'requests');
  return await withCore({ dataDir }, async ({ port }) => {
    const limit = async () => {
      const bare = { dataDir: limitFolder, threads, inFlight: CLIENTS, seconds: stage.seconds(3) };
      return (await askOnce('limits/totp-commits.mjs', bare)).perSecond;
    };
    const seconds = stage.seconds(4);
    let share = 0;
    const ours = async () => {
      await askOnce('seed-totp.mjs', { dataDir, file, requests: MOST_PER_SECOND * (seconds + WARM_UP_SECONDS) });
      const job = { kind: 'replay', port, file, connections: CLIENTS, seconds, warmUpSeconds: WARM_UP_SECONDS };
      const result = await askOnce('load/generator.mjs', job);
      if (result.failed > 0) throw new Error(`${result.failed} checks failed: ${result.firstFailure}`);
      share = Math.max(share, result.generatorShare);
      return result.perSecond;
    };
    const measured = await alternate(stage.rounds(4), limit, ours);
    return [
      atLeast({
        what: `TOTP verify, ${CLIENTS} concurrent`,
        limitName: `one durable grouped commit of the same bytes through the store alone on ${threads} threads`,
        ...measured,
        unit: 'per s',
        atLeast: 0.35,
        note: `the load generator took up to ${(share * 100).toFixed(0)} % of a thread of the same machine`,
      }),
    ];
  });
}
