// From the start of the process to the first answered `/hello`.
import { startCore } from './core.mjs';
import { atMost } from './result.mjs';

const RUNS = 7;

async function startTimes(runs, folderOf) {
  const times = [];
  for (let run = 0; run < runs; run += 1) {
    const core = await startCore({ dataDir: await folderOf(run) });
    times.push(core.helloMs / 1000);
    await core.stop();
  }
  return times;
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const runs = stage.rounds(RUNS);
  const large = await stage.store('large');
  const empty = await startTimes(runs, (run) => stage.emptyFolder(`start-${process.pid}-${run}`));
  const full = await startTimes(runs, () => large);
  return [
    atMost({ what: 'process start to first `/hello`, empty store', values: empty, unit: 's', most: 0.6 }),
    atMost({
      what: `process start to first \`/hello\`, ${stage.sizes.large.toLocaleString('en-US')} sessions`,
      values: full,
      unit: 's',
      most: 1,
    }),
  ];
}
