// What verify and refresh cost with many sessions stored, against few.
import { askOnce } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { alternate, atMostTimes } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 64;
const CHAINS = 16;
const FACTOR = 1.3;

/** Microseconds of a verify with the database check, at full speed on one front thread. */
async function verifyCost({ port, files }, seconds) {
  const { bytes: answerBytes } = await sample(port, files.first.database);
  const { perSecond } = await replay({ port, file: files.database, connections: CONNECTIONS, seconds, answerBytes });
  return 1e6 / perSecond;
}

/** Microseconds of a refresh, by 16 chains on stored sessions: others in each round, because a used token must not come again. */
async function refreshCost(store, seconds) {
  const job = {
    kind: 'chains',
    port: store.port,
    connections: CHAINS,
    seconds,
    warmUpSeconds: 0.5,
    tokens: store.files.refreshTokens,
    from: store.used,
  };
  store.used += CHAINS;
  const result = await askOnce('load/generator.mjs', job);
  if (result.failed > 0) throw new Error(`${result.failed} refreshes failed: ${result.firstFailure}`);
  return 1e6 / result.perSecond;
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const folders = { small: await stage.store('small'), large: await stage.store('large') };
  const files = { small: await stage.exercised('small'), large: await stage.exercised('large') };
  const compare = (small, large, cost, seconds) =>
    alternate(
      stage.rounds(5),
      () => cost(small, stage.seconds(seconds)),
      () => cost(large, stage.seconds(seconds)),
    );
  return await withCore({ dataDir: folders.small, httpThreads: 1 }, (few) =>
    withCore({ dataDir: folders.large, httpThreads: 1 }, async (many) => {
      const small = { port: few.port, files: files.small, used: 0 };
      const large = { port: many.port, files: files.large, used: 0 };
      await verifyCost(small, stage.seconds(2));
      await verifyCost(large, stage.seconds(2));
      const [least, most] = [stage.sizes.small, stage.sizes.large].map((size) => size.toLocaleString('en-US'));
      const row = { limitName: `at ${least} sessions`, unit: 'µs', factor: FACTOR };
      return [
        atMostTimes({
          what: `cost of verify with \`checkDatabase\` at ${most} sessions`,
          ...row,
          ...(await compare(small, large, verifyCost, 3)),
        }),
        atMostTimes({ what: `cost of refresh at ${most} sessions`, ...row, ...(await compare(small, large, refreshCost, 4)) }),
      ];
    }),
  );
}
