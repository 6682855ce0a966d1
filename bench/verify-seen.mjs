// Verify of tokens that were seen before, without the database, on one front thread.
import { ask } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 64;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('large');
  const { plain: file, first } = await stage.exercised('large');
  return await withCore({ dataDir, httpThreads: 1 }, async (core) => {
    const answer = await sample(core.port, first.plain);
    const bare = ask('limits/bare-http.mjs', answer);
    try {
      const { port } = await bare.answer;
      const bareAnswer = await sample(port, first.plain);
      const run = (at, answerBytes) => async (seconds) =>
        (await replay({ port: at, file, connections: CONNECTIONS, seconds, answerBytes })).perSecond;
      const limit = run(port, bareAnswer.bytes);
      const ours = run(core.port, answer.bytes);
      await limit(1);
      await ours(stage.seconds(3));
      const seconds = stage.seconds(4);
      const measured = await alternate(
        stage.rounds(5),
        () => limit(seconds),
        () => ours(seconds),
      );
      return [
        atLeast({
          what: 'verify, token seen before, no database check, one front thread',
          limitName: 'bare uWebSockets.js handler: same body read, answer of the same size',
          ...measured,
          unit: 'req/s',
          atLeast: 0.6,
          note: `answers of ${answer.bytes} and ${bareAnswer.bytes} bytes`,
        }),
      ];
    } finally {
      await bare.stop();
    }
  });
}
