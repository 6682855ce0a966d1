// What `checkDatabase` costs a verify while a million sessions are stored.
import { replay, sample } from './load/load.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 64;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('large');
  const files = await stage.exercised('large');
  return await withCore({ dataDir, httpThreads: 1 }, async (core) => {
    const { bytes: answerBytes } = await sample(core.port, files.first.database);
    const run = async (file, seconds) =>
      (await replay({ port: core.port, file, connections: CONNECTIONS, seconds, answerBytes })).perSecond;
    await run(files.plain, stage.seconds(2));
    await run(files.database, stage.seconds(2));
    const seconds = stage.seconds(4);
    const measured = await alternate(
      stage.rounds(5),
      () => run(files.plain, seconds),
      () => run(files.database, seconds),
    );
    return [
      atLeast({
        what: `the same with \`checkDatabase: true\`, ${stage.sizes.large.toLocaleString('en-US')} sessions stored`,
        limitName: 'the same without `checkDatabase`',
        ...measured,
        unit: 'req/s',
        atLeast: 0.8,
      }),
    ];
  });
}
