// Verify of tokens that the core has never seen, on one front thread. Each round has a core of its own, so that no token was seen before.
import { askOnce } from './core.mjs';
import { replay, replayOnce, sample } from './load/load.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 32;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('empty');
  const { warmUp, fresh } = await stage.newTokens();
  const limit = async () =>
    (await askOnce('limits/crypto-loop.mjs', { loop: 'RS256 verify', threads: 1, seconds: stage.seconds(3) })).perSecond;
  const ours = () =>
    withCore({ dataDir, httpThreads: 1 }, async ({ port }) => {
      const { bytes: answerBytes } = await sample(port, warmUp.first.plain);
      await replay({ port, file: warmUp.plain, connections: CONNECTIONS, seconds: stage.seconds(2), answerBytes });
      return (await replayOnce({ port, file: fresh.plain, connections: CONNECTIONS })).perSecond;
    });
  const measured = await alternate(stage.rounds(5), limit, ours);
  return [
    atLeast({
      what: 'verify, every token new, one front thread',
      limitName: '`node:crypto` RS256 verify loop, one thread',
      ...measured,
      unit: 'per s',
      atLeast: 0.6,
    }),
  ];
}
