// Verify of tokens that were seen before, without the database, on one front thread.
import { ask, busyDuring } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { VERIFY_PATH } from './load/requests.mjs';
import { alternate, atLeast, median } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 64;

/** Measures one side: answers requests a second, and remembers how busy the server was, which tells who was the bottleneck. */
function side({ port, pid, file, answerBytes }) {
  const busy = [];
  const rates = [];
  const run = async (seconds) => {
    const measured = await busyDuring(pid, () => replay({ port, file, connections: CONNECTIONS, seconds, answerBytes }));
    busy.push(measured.busy);
    rates.push(measured.value.perSecond / measured.busy);
    return measured.value.perSecond;
  };
  return { run, busyText: () => `${(median(busy) * 100).toFixed(0)} %`, perProcessorSecond: () => median(rates) };
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('large');
  const { plain: file, first } = await stage.exercised('large');
  return await withCore({ dataDir, httpThreads: 1 }, async (core) => {
    const answer = await sample(core.port, first.plain);
    const bare = ask('limits/bare-http.mjs', { path: VERIFY_PATH, head: answer.head, body: answer.body });
    try {
      const { port } = await bare.answer;
      const bareAnswer = await sample(port, first.plain);
      const limit = side({ port, pid: bare.pid, file, answerBytes: bareAnswer.bytes });
      const ours = side({ port: core.port, pid: core.pid, file, answerBytes: answer.bytes });
      await limit.run(1);
      await ours.run(stage.seconds(3));
      const seconds = stage.seconds(4);
      const measured = await alternate(
        stage.rounds(5),
        () => limit.run(seconds),
        () => ours.run(seconds),
      );
      // Where others use the machine too, this says more than requests a second.
      const perProcessorSecond = (ours.perProcessorSecond() / limit.perProcessorSecond()).toFixed(2);
      return [
        atLeast({
          what: 'verify, token seen before, no database check, one front thread',
          limitName: 'bare uWebSockets.js handler: same body read, answer of the same size',
          ...measured,
          unit: 'req/s',
          atLeast: 0.6,
          note: [
            `answers of ${bareAnswer.bytes} and ${answer.bytes} bytes`,
            `servers used ${limit.busyText()} and ${ours.busyText()} of a processor; ratio per second of processor ${perProcessorSecond}`,
          ].join('; '),
        }),
      ];
    } finally {
      await bare.stop();
    }
  });
}
