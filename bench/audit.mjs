// What the audit trail costs: sign-ups, sign-ins, refreshes and verifies of a core with it, against one without, in turn.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as later } from 'node:timers/promises';
import { askOnce, startCore } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { alternate, atLeast, atMost, notBelow } from './result.mjs';
import { writeSessions } from './stage.mjs';
import { makeUsers } from './users.mjs';

const CLIENTS = 16;
/** Sign-ups at once in one tenant, which must not get in each other's way. */
const MANY = 64;
const VERIFIERS = 64;
const SESSIONS = 2000;
/** The lowest cost there is: with the usual one, hashing would hide everything else. */
const ENV = { BCRYPT_LOG_ROUNDS: '4' };

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const sides = [];
  try {
    for (const isOn of [false, true]) sides.push(await openSide(stage, isOn));
    const [off, on] = sides;
    const paired = (rounds, work) =>
      alternate(
        stage.rounds(rounds),
        () => work(off),
        () => work(on),
      );
    const load = (job) => (side) => loaded(side, { connections: CLIENTS, seconds: stage.seconds(5), warmUpSeconds: 1, ...job(side) });
    const against = { limitName: 'the same without the trail', unit: 'per s' };
    const results = [];
    const jobs = {
      'sign-up (least cost)': () => ({ kind: 'signUps' }),
      'sign-in (least cost)': ({ users }) => ({ kind: 'signIns', users }),
      'create and refresh': () => ({ kind: 'chains' }),
    };
    for (const [what, job] of Object.entries(jobs))
      results.push(atLeast({ what: `${what} with the audit trail`, ...against, ...(await paired(6, load(job))), atLeast: 0.9 }));
    results.push(await rerunsOf(stage, off, on));
    const seconds = stage.seconds(4);
    const verify = async ({ core, file, answerBytes }) =>
      (await replay({ port: core.port, file, connections: VERIFIERS, seconds, answerBytes })).perSecond;
    results.push(notBelow({ what: 'verify with the audit trail', ...against, ...(await paired(8, verify)), least: 0.97 }));
    return results;
  } finally {
    for (const { core } of sides) await core.stop();
  }
}

/** A core of its own with users and sessions. */
async function openSide(stage, isOn) {
  const name = isOn ? 'audit-on' : 'audit-off';
  const dataDir = stage.emptyFolder(name);
  const core = await startCore({ dataDir, env: { ...ENV, AUDIT_TRAIL: String(isOn) } });
  const users = await makeUsers(core.port, CLIENTS);
  const out = join(dataDir, '..', `${name}.json`);
  await askOnce('load/generator.mjs', { kind: 'makeSessions', port: core.port, connections: CLIENTS, count: SESSIONS, out });
  const { plain: file, first } = writeSessions(join(dataDir, '..'), name, JSON.parse(readFileSync(out, 'utf8')));
  const { bytes: answerBytes } = await sample(core.port, first.plain);
  return { core, users, file, answerBytes };
}

async function loaded({ core }, job) {
  const result = await askOnce('load/generator.mjs', { port: core.port, ...job });
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.firstFailure}`);
  return result.perSecond;
}

/** How many of a thousand sign-ups ran again, 64 at once; with the trail no more than without it, but for the noise of jobs. */
async function rerunsOf(stage, off, on) {
  const perThousand = async (side) => {
    const [before, begun] = await countsOf(side.core);
    await loaded(side, { kind: 'signUps', connections: MANY, seconds: stage.seconds(5), warmUpSeconds: 0 });
    // Threads tell each second what they have counted.
    await later(1_500);
    const [after, ended] = await countsOf(side.core);
    return (1000 * (after - before)) / (ended - begun);
  };
  const { limits, ours } = await alternate(
    stage.rounds(4),
    () => perThousand(off),
    () => perThousand(on),
  );
  const without = limits.map((value) => value.toFixed(1)).join(', ');
  return atMost({
    what: `reruns of a thousand commits, ${MANY} concurrent sign-ups with the audit trail`,
    values: ours,
    unit: 'of 1,000',
    most: Number((Math.max(...limits) + 1).toFixed(1)),
    note: `without it ${without}`,
  });
}

/** Conflicts and commits of a core so far. */
async function countsOf({ port }) {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return ['conflicts', 'commits'].map((name) => Number(new RegExp(`^watchword_store_${name}_total (\\S+)$`, 'm').exec(text)?.[1]));
}
