// The store in PostgreSQL: verify, refresh and sign-in against bare servers over the same table, what runs again, and a second node.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AS_STARTED, ask, askOnce, built, startCore } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { startPostgres } from './private-postgres.mjs';
import { alternate, atLeast, atMost, notBelow } from './result.mjs';
import { withCore, writeSessions } from './stage.mjs';
import { makeUsers } from './users.mjs';

const CONCURRENT = 32;
const MANY = 64;
const SESSIONS = 2000;
const THREADS = 2;
/** Rounds of reads of a sign-in, by the budgets of test/rounds. */
const SIGN_IN_ROUNDS = 2;
const LEAST_COST = 4;
/** Until V8 has compiled what is used. */
const WARM_UP_SECONDS = 10;

/** Cores on one database, each bench in a schema of its own. */
class Database {
  #url;
  #stage;
  #schemas = 0;

  constructor(url, stage) {
    this.#url = url;
    this.#stage = stage;
  }

  /** What nodes of one cluster are started with. */
  cluster(httpThreads, env = {}) {
    this.#schemas += 1;
    const schema = `bench_${this.#schemas}`;
    const node = {
      dataDir: this.#stage.emptyFolder(schema),
      httpThreads,
      env: { STORE_ENGINE: 'postgres', POSTGRES_URL: this.#url, POSTGRES_SCHEMA: schema, ...env },
    };
    return { node, plan: () => this.#planOfThread(schema, httpThreads) };
  }

  /** How many connections a thread of a core has, and how it uses them. */
  async #planOfThread(schema, httpThreads) {
    const [{ planStore }, { OPTIONS }] = await Promise.all([built('store/plan.js'), built('config/options.js')]);
    const defaults = Object.fromEntries(Object.entries(OPTIONS).map(([name, { initial }]) => [name, initial]));
    return planStore({
      ...defaults,
      store_engine: 'postgres',
      postgres_url: this.#url,
      postgres_schema: schema,
      http_threads: httpThreads,
    });
  }
}

/** Sends one kind of load and answers the whole result; any failure is one of the measurement. */
async function load(job, seconds) {
  const result = await askOnce('load/generator.mjs', { seconds, warmUpSeconds: 1, ...job });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.firstFailure}`);
  return result;
}

/** A bare server while `work` runs. */
async function withBare(module, job, work) {
  const server = ask(module, job, AS_STARTED);
  try {
    return await work((await server.answer).port);
  } finally {
    await server.stop();
  }
}

async function makeSessions(stage, port) {
  const out = join(stage.emptyFolder('postgres-sessions'), 'made.json');
  await askOnce('load/generator.mjs', { kind: 'makeSessions', port, connections: 16, count: SESSIONS, out });
  return writeSessions(stage.emptyFolder('postgres-sessions'), `from-${port}`, JSON.parse(readFileSync(out, 'utf8')));
}

async function verifies(stage, database) {
  const { node, plan } = database.cluster(1);
  return await withCore(node, async (core) => {
    const files = await makeSessions(stage, core.port);
    const answer = await sample(core.port, files.first.database);
    const job = { handler: 'read', threads: 1, plan: await plan(), body: answer.body };
    const compared = await withBare('limits/bare-postgres.mjs', job, async (port) => {
      const bareAnswer = await sample(port, files.first.database);
      const run =
        (port, { bytes }) =>
        async () =>
          (await replay({ port, file: files.database, connections: CONCURRENT, seconds: stage.seconds(4), answerBytes: bytes })).perSecond;
      await run(port, bareAnswer)();
      await run(core.port, answer)();
      return await alternate(stage.rounds(5), run(port, bareAnswer), run(core.port, answer));
    });
    const line = atLeast({
      what: `PostgreSQL: verify with \`checkDatabase: true\`, ${CONCURRENT} concurrent, one front thread`,
      limitName: 'bare handler that runs `SELECT v WHERE k = $1` with the same pool',
      ...compared,
      unit: 'req/s',
      atLeast: 0.7,
    });
    return [line, await verifiesOfBothEngines(stage, core.port, files)];
  });
}

async function verifiesOfBothEngines(stage, port, files) {
  return await withCore({ dataDir: stage.emptyFolder('postgres-beside'), httpThreads: 1 }, async (embedded) => {
    const own = await makeSessions(stage, embedded.port);
    const run =
      (port, { plain, first }) =>
      async () => {
        const { bytes } = await sample(port, first.plain);
        return (await replay({ port, file: plain, connections: MANY, seconds: stage.seconds(4), answerBytes: bytes })).perSecond;
      };
    await run(embedded.port, own)();
    await run(port, files)();
    return atLeast({
      what: 'PostgreSQL: verify without database check, one front thread',
      limitName: 'the embedded store',
      ...(await alternate(stage.rounds(6), run(embedded.port, own), run(port, files))),
      unit: 'req/s',
      atLeast: 0.95,
    });
  });
}

async function refreshes(stage, database) {
  const { node, plan } = database.cluster(THREADS);
  return await withCore(node, async (core) => {
    const run = (port) => async () => (await load({ kind: 'chains', port, connections: CONCURRENT }, stage.seconds(5))).perSecond;
    // Tokens of one server mean nothing to another: each of its runs begins with new sessions.
    const job = { threads: THREADS, plan: await plan() };
    await load({ kind: 'chains', port: core.port, connections: CONCURRENT }, WARM_UP_SECONDS);
    const measured = await withBare('limits/bare-refresh.mjs', job, async (port) => {
      await load({ kind: 'chains', port, connections: CONCURRENT }, WARM_UP_SECONDS);
      return await alternate(stage.rounds(5), run(port), run(core.port));
    });
    return atLeast({
      what: `PostgreSQL: create and refresh, ${CONCURRENT} concurrent chains`,
      limitName: 'bare server: opens, reads the row, signs, one serialisable commit of the same bytes, seals',
      ...measured,
      unit: 'per s',
      atLeast: 0.7,
    });
  });
}

async function signIns(stage, database) {
  const { node, plan } = database.cluster(THREADS, { BCRYPT_LOG_ROUNDS: String(LEAST_COST) });
  return await withCore(node, async (core) => {
    const users = await makeUsers(core.port, CONCURRENT);
    const run = (port) => async () => (await load({ kind: 'signIns', port, users, connections: CONCURRENT }, stage.seconds(5))).perSecond;
    const before = await storeCounts(core.port);
    const { perSecond } = await load({ kind: 'signIns', port: core.port, users, connections: CONCURRENT }, WARM_UP_SECONDS);
    const commits = ((await storeCounts(core.port)).commits - before.commits) / (perSecond * WARM_UP_SECONDS);
    const job = {
      handler: 'signIn',
      threads: THREADS,
      plan: await plan(),
      body: '{"status":"OK"}',
      rounds: SIGN_IN_ROUNDS,
      costFactor: LEAST_COST,
    };
    const measured = await withBare('limits/bare-postgres.mjs', job, async (port) => {
      await load({ kind: 'signIns', port, users, connections: CONCURRENT }, WARM_UP_SECONDS);
      return await alternate(stage.rounds(5), run(port), run(core.port));
    });
    return atLeast({
      what: `PostgreSQL: sign-in with bcrypt at cost ${LEAST_COST}, ${CONCURRENT} concurrent`,
      limitName: `bare server: ${SIGN_IN_ROUNDS} rounds of reads of one state, and the same hash in a worker`,
      ...measured,
      unit: 'per s',
      atLeast: 0.7,
      note: `${commits.toFixed(3)} commits a sign-in, which the bare server leaves out`,
    });
  });
}

/** What a core has counted of its store. */
async function storeCounts(port) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const of = (name) => Number(new RegExp(`^watchword_store_${name}_total (\\d+)`, 'm').exec(text)[1]);
  return { commits: of('commits'), conflicts: of('conflicts') };
}

/** How many transactions ran again, per cent. Any answer that is not OK is a failure of the measurement. */
async function reruns(stage, core, { what, ...job }) {
  const before = await storeCounts(core.port);
  const { perSecond } = await load({ ...job, port: core.port, connections: MANY }, stage.seconds(5));
  const after = await storeCounts(core.port);
  return atMost({
    what: `PostgreSQL: transactions run again, ${MANY} concurrent ${what}`,
    values: [(100 * (after.conflicts - before.conflicts)) / (after.commits - before.commits)],
    unit: '%',
    most: 1,
    note: `${perSecond.toFixed(0)} a second, all answered OK`,
  });
}

async function contention(stage, database) {
  const { node } = database.cluster(THREADS, { BCRYPT_LOG_ROUNDS: String(LEAST_COST) });
  return await withCore(node, async (core) => [
    await reruns(stage, core, { kind: 'signUps', what: 'sign-ups in one tenant' }),
    await reruns(stage, core, { kind: 'creates', userId: randomUUID(), what: 'session creates of one user' }),
  ]);
}

async function twoNodes(stage, database) {
  const { node } = database.cluster(1);
  return await withCore(node, async (first) => {
    const second = await startCore(node);
    try {
      const run = (ports) => async () => (await load({ kind: 'chains', ports, connections: MANY }, stage.seconds(4))).perSecond;
      return notBelow({
        what: `PostgreSQL: create and refresh, ${MANY} concurrent chains, two nodes of one HTTP thread`,
        limitName: 'one node',
        ...(await alternate(stage.rounds(8), run([first.port]), run([first.port, second.port]))),
        unit: 'per s',
        least: 1,
        note: 'load generator, nodes and database share the cores of this machine',
      });
    } finally {
      await second.stop();
    }
  });
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const server = await startPostgres();
  try {
    const database = new Database(server.url, stage);
    return [
      ...(await verifies(stage, database)),
      await refreshes(stage, database),
      await signIns(stage, database),
      ...(await contention(stage, database)),
      await twoNodes(stage, database),
    ];
  } finally {
    await server.stop();
  }
}
