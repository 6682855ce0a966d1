// What a backup of a running core costs, and how long a verify takes beside one.
import { execFile } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { askOnce, ROOT, startCore } from './core.mjs';
import { sample } from './load/load.mjs';
import { alternate, atLeast, atMost } from './result.mjs';
import { withCore } from './stage.mjs';

const run = promisify(execFile);

const CLI = resolve(ROOT, 'dist/src/cli.js');
const BAR = 0.5;
const RATE = 1000;
const MOST_MS = 10;
const USERS_PAGE = 100;

/** The command as an operator gives it, in a process of its own. */
const command = (port, file) => [process.execPath, CLI, 'backup', file, '--url', `http://127.0.0.1:${port}`];

const backUp = (port, file) => run('env', command(port, file));

/** The same as if its machine were another one: what it takes of this one, and of its disk, is not to be measured. */
const backUpFromAfar = (port) => run('sh', ['-c', 'exec nice -n 19 "$@" > /dev/null', 'sh', ...command(port, '-')]);

/** MB a second that some work makes of so many bytes. */
async function rateOf(bytes, file, work) {
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  rmSync(file);
  return bytes / 1e6 / seconds;
}

/** A folder with so many users, and as many sessions. */
async function seeded(stage, count) {
  const dataDir = stage.emptyFolder('backed-up');
  // The core itself makes its tenants and keys.
  await (await startCore({ dataDir, httpThreads: 1 })).stop();
  stage.say(`storing ${count.toLocaleString('en-US')} users and sessions`);
  await askOnce('seed.mjs', { dataDir, sessions: count });
  await askOnce('seed-users.mjs', { dataDir, users: count, page: USERS_PAGE, pages: 1 });
  return dataDir;
}

async function speed(stage) {
  const count = stage.sizes.large;
  const dataDir = await seeded(stage, count);
  const store = join(dataDir, 'data.mdb');
  const target = join(stage.emptyFolder('backups'), 'target');
  const bytes = statSync(store).size;
  const copy = 'cp "$0" "$1" && sync "$1" && sha256sum "$1"';
  const measured = await withCore({ dataDir }, ({ port }) =>
    alternate(
      stage.rounds(5),
      () => rateOf(bytes, target, () => run('sh', ['-c', copy, store, target])),
      () => rateOf(bytes, target, () => backUp(port, target)),
    ),
  );
  return atLeast({
    what: `backup of ${count.toLocaleString('en-US')} users and sessions from a running core`,
    limitName: 'cp, sync and sha256sum of the same file',
    unit: 'MB/s',
    atLeast: BAR,
    note: `${(bytes / 1e9).toFixed(2)} GB; the client is a process of its own, and its start counts`,
    ...measured,
  });
}

/** Backups one after the other until told to stop; answers how many. */
async function backUpUntil(port, isOver) {
  let made = 0;
  for (; !isOver(); made += 1) await backUpFromAfar(port);
  return made;
}

async function latency(stage) {
  const { database: file, first } = await stage.exercised('large');
  return await withCore({ dataDir: await stage.store('large') }, async ({ port }) => {
    await sample(port, first.database);
    const seconds = stage.seconds(20);
    const load = { kind: 'arrivals', port, file, connections: 32, rate: RATE, seconds, warmUpSeconds: 2 };
    let isOver = false;
    const backups = backUpUntil(port, () => isOver);
    const verified = await askOnce('load/generator.mjs', load);
    isOver = true;
    const made = await backups;
    return atMost({
      what: `verify p99 at ${RATE.toLocaleString('en-US')} req/s beside backups of ${stage.sizes.large.toLocaleString('en-US')} sessions; none fails`,
      values: [verified.p99Ms],
      unit: 'ms',
      most: MOST_MS,
      holds: verified.failed === 0 && made > 0,
      note: [
        `${verified.requests} verifies with the database check in ${seconds} s, ${verified.failed} failed, beside ${made} backups one after the other`,
        `p50 ${verified.p50Ms.toFixed(1)} ms, longest ${verified.maxMs.toFixed(1)} ms`,
        `counted from the due time; the generator itself sent ${verified.lagP99Ms.toFixed(1)} ms late at p99`,
      ].join('; '),
    });
  });
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  return [await speed(stage), await latency(stage)];
}
