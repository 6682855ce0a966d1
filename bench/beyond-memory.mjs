// Ten million sessions in a tenth of the memory that they take: verify, refresh beside expiry, and create.
import { join } from 'node:path';
import { askOnce, built } from './core.mjs';
import { sample } from './load/load.mjs';
import { dropFromMemory, limitMemory, majorFaults } from './memory-limit.mjs';
import { alternate, atLeast, atMost, atMostTimes } from './result.mjs';
import { withCore } from './stage.mjs';

const MEMORY = 700_000_000;
const RATE = 500;
const SECONDS = 20;
const LEAD_SECONDS = 3;
const MOST_MS = 10;
const CHAINS = 16;
/** Sessions that expire while others are refreshed, and how many days ago they were made. */
const EXPIRING = 1_000_000;
const EXPIRED_DAYS = [110, 101];

const count = (n) => n.toLocaleString('en-US');

/** A core on a store of which nothing is in memory. */
function withColdCore(dataDir, group, work) {
  dropFromMemory(join(dataDir, 'data.mdb'));
  return withCore({ dataDir, ...(group.procs && { group: group.procs }) }, work);
}

async function verifyOldAndKnown(stage, dataDir, group) {
  const seconds = stage.seconds(SECONDS);
  const old = join(stage.emptyFolder('old-tokens'), 'requests');
  stage.say('making tokens of old sessions');
  await askOnce('old-tokens.mjs', { dataDir, count: RATE * (seconds + LEAD_SECONDS), days: 90, out: old });
  const { database: known, first } = await stage.exercised('beyond');
  return await withColdCore(dataDir, group, async ({ port, pid }) => {
    await sample(port, first.database);
    const arrivals = (file) =>
      askOnce('load/generator.mjs', { kind: 'arrivals', port, file, connections: 32, rate: RATE, seconds, warmUpSeconds: LEAD_SECONDS });
    const before = majorFaults(pid);
    const measured = await Promise.all([arrivals(old), arrivals(known)]);
    const faults = ((majorFaults(pid) - before) / (seconds + LEAD_SECONDS)).toFixed(0);
    const names = ['random new tokens', 'known tokens beside them'];
    return measured.map(({ p99Ms, p50Ms, maxMs, lagP99Ms, requests, failed, firstFailure }, which) =>
      atMost({
        what: `verify p99 of ${names[which]}, ${RATE}/s each, ${count(stage.sizes.beyond)} sessions, ${group.note}`,
        values: [p99Ms],
        unit: 'ms',
        most: MOST_MS,
        holds: failed === 0,
        note: [
          `${requests} verifies with the database check, ${failed} failed${failed > 0 ? ` (${firstFailure})` : ''}`,
          `p50 ${p50Ms.toFixed(1)} ms, longest ${maxMs.toFixed(1)} ms`,
          `${faults} page faults/s that waited for the disk`,
          `the generator itself sent ${lagP99Ms.toFixed(1)} ms late at p99`,
        ].join('; '),
      }),
    );
  });
}

/** Makes the job that removes expired sessions due as soon as a core starts, or not for hours. */
async function setExpiryDue(dataDir, isDue) {
  const [{ openStore }, { leases }] = await Promise.all([built('store/open-store.js'), built('jobs/runner.js')]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const ranAt = isDue ? 0 : Date.now();
  await store.transact((tx) => tx.put(leases, { job: 'expired-sessions', holder: '', heldUntil: 0, ranAt }));
  await store.close();
}

async function refreshes(dataDir, group, seconds) {
  return await withColdCore(dataDir, group, async ({ port }) => {
    const job = { kind: 'chains', port, connections: CHAINS, seconds, warmUpSeconds: LEAD_SECONDS };
    const result = await askOnce('load/generator.mjs', job);
    if (result.failed > 0) throw new Error(`${result.failed} refreshes failed: ${result.firstFailure}`);
    return result;
  });
}

async function refreshWhileExpiring(stage, dataDir, group) {
  const expiring = Math.round(EXPIRING * Math.min(1, stage.sizes.beyond / 1e7));
  stage.say(`storing ${count(expiring)} sessions that have expired`);
  await askOnce('seed.mjs', { dataDir, sessions: expiring, days: EXPIRED_DAYS });
  const seconds = stage.seconds(10);
  const p99 = { quiet: [], busy: [] };
  const measure = (isDue, latencies) => async () => {
    await setExpiryDue(dataDir, isDue);
    const { perSecond, p99Ms } = await refreshes(dataDir, group, seconds);
    latencies.push(p99Ms);
    return perSecond;
  };
  const measured = await alternate(stage.rounds(3), measure(false, p99.quiet), measure(true, p99.busy));
  const left = await expiredLeft(dataDir);
  const what = `while ${count(expiring)} sessions expire, ${group.note}`;
  const note = `16 chains of a create and nine refreshes; ${count(left)} expired sessions were left at the end`;
  return [
    atLeast({ what: `refresh ${what}`, limitName: 'the same without', ...measured, unit: '/s', atLeast: 0.7, note }),
    atMostTimes({ what: `refresh p99 ${what}`, limitName: 'the same without', limits: p99.quiet, ours: p99.busy, unit: 'ms', factor: 3 }),
  ];
}

async function expiredLeft(dataDir) {
  const [{ openStore }, { sessions, EXPIRY_BUCKET_MS }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/session-records/records.js'),
  ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const until = [Math.floor(Date.now() / EXPIRY_BUCKET_MS)];
  const left = await store.read(async (reader) => reader.count(sessions, 'byExpiry', { prefix: [], until }));
  await store.close();
  return left;
}

/** Microseconds of a create. */
async function createCost(dataDir, group, seconds) {
  return await withColdCore(dataDir, group, async ({ port }) => {
    const job = { kind: 'creates', port, connections: CHAINS, seconds, warmUpSeconds: LEAD_SECONDS };
    const result = await askOnce('load/generator.mjs', job);
    if (result.failed > 0) throw new Error(`${result.failed} creates failed: ${result.firstFailure}`);
    return 1e6 / result.perSecond;
  });
}

async function creates(stage, dataDir, group) {
  const small = await stage.store('small');
  const seconds = stage.seconds(5);
  const cost = (folder) => () => createCost(folder, group, seconds);
  const measured = await alternate(stage.rounds(3), cost(small), cost(dataDir));
  return atMostTimes({
    what: `cost of session create at ${count(stage.sizes.beyond)} sessions, ${group.note}`,
    limitName: `at ${count(stage.sizes.small)} sessions`,
    ...measured,
    unit: 'µs',
    factor: 1.3,
  });
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('beyond');
  const limited = limitMemory(MEMORY);
  const note = limited.reason ? `memory not limited: ${limited.reason}` : `${MEMORY / 1e6} MB of memory`;
  const group = { ...limited, note };
  try {
    return [
      await creates(stage, dataDir, group),
      ...(await verifyOldAndKnown(stage, dataDir, group)),
      ...(await refreshWhileExpiring(stage, dataDir, group)),
    ];
  } finally {
    limited.remove?.();
  }
}
