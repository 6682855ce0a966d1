// What traces cost: verify and sign-in with 1 % of the requests traced, and with none of them, against a core without a collector.
import { createServer } from 'node:http';
import { askOnce } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

const VERIFY_CONNECTIONS = 64;
const CLIENTS = 16;
/** The least cost: with the default one the hash is all that counts. */
const CHEAP_HASHES = { BCRYPT_LOG_ROUNDS: '4' };
/** So that what is drawn is recorded, however many requests there are. */
const NO_LIMIT = '100000';

/** Takes spans and forgets them. Answers its URI, how often it was sent some, and how to end it. */
async function openCollector() {
  let posts = 0;
  const server = createServer((request, response) => {
    posts += 1;
    request.resume().on('end', () => response.end());
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    uri: `http://127.0.0.1:${server.address().port}`,
    posts: () => posts,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

/** Three cores on one folder, asked in turn: without traces, with 1 % traced, and ready to trace without being asked to. */
async function withThree({ dataDir, httpThreads }, uri, work) {
  const tracing = (ratio) => ({
    ...CHEAP_HASHES,
    OTEL_COLLECTOR_CONNECTION_URI: uri,
    OTEL_SAMPLING_RATIO: ratio,
    OTEL_MOST_TRACES_PER_SECOND: NO_LIMIT,
  });
  const core = (env) => ({ dataDir, httpThreads, env });
  return await withCore(core(CHEAP_HASHES), (off) =>
    withCore(core(tracing('0.01')), (traced) => withCore(core(tracing('0')), (unsampled) => work({ off, traced, unsampled }))),
  );
}

/** Two lines of the table, of rates a second measured in turn. */
function results(what, unit, { limits, ours, bares }, posts) {
  const limitName = 'the same without a collector';
  const note = `the collector was sent ${posts} batches`;
  return [
    atLeast({ what: `${what}, 1 % traced`, limitName, limits, ours, unit, atLeast: 0.95, note }),
    atLeast({ what: `${what}, traces on, none sampled`, limitName, limits, ours: bares, unit, atLeast: 0.97 }),
  ];
}

async function measureVerify(stage, collector) {
  const dataDir = await stage.store('small');
  const { plain: file, first } = await stage.exercised('small');
  return await withThree({ dataDir, httpThreads: 1 }, collector.uri, async (cores) => {
    const side = async ({ port }) => {
      const { bytes: answerBytes } = await sample(port, first.plain);
      return async (seconds) => (await replay({ port, file, connections: VERIFY_CONNECTIONS, seconds, answerBytes })).perSecond;
    };
    const [off, traced, unsampled] = await Promise.all([cores.off, cores.traced, cores.unsampled].map(side));
    for (const run of [off, traced, unsampled]) await run(stage.seconds(3));
    const seconds = stage.seconds(4);
    const runs = [off, traced, unsampled].map((run) => () => run(seconds));
    const measured = await alternate(stage.rounds(7), ...runs);
    return results('verify, token seen before, one front thread', 'req/s', measured, collector.posts());
  });
}

async function measureSignIn(stage, collector) {
  const dataDir = stage.emptyFolder('traced-sign-ins');
  return await withThree({ dataDir }, collector.uri, async (cores) => {
    const users = await makeUsers(cores.off.port, CLIENTS);
    const side = (port) => async () => {
      const job = { kind: 'signIns', port, users, connections: CLIENTS, seconds: stage.seconds(5), warmUpSeconds: 1 };
      const result = await askOnce('load/generator.mjs', job);
      if (result.failed > 0) throw new Error(`${result.failed} sign-ins failed: ${result.firstFailure}`);
      return result.perSecond;
    };
    const [off, traced, unsampled] = [cores.off, cores.traced, cores.unsampled].map(({ port }) => side(port));
    const measured = await alternate(stage.rounds(7), off, traced, unsampled);
    return results(`sign-in at the least cost, ${CLIENTS} concurrent`, 'per s', measured, collector.posts());
  });
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const collector = await openCollector();
  try {
    return [...(await measureVerify(stage, collector)), ...(await measureSignIn(stage, collector))];
  } finally {
    await collector.close();
  }
}
