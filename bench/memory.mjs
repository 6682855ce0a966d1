// Anonymous memory of the whole process with default options: idle, and after a minute of everything at once.
import { setTimeout as wait } from 'node:timers/promises';
import { anonymousMegabytes, askOnce } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { atMost } from './result.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

const IDLE_MS = 5000;
const LOAD_SECONDS = 60;
const SIGN_INS = 16;
const CHAINS = 16;
const VERIFIES = 32;

/** Sign-ins, created and refreshed sessions, and verifies, all at once, for so many seconds. */
async function fullLoad(port, files, seconds) {
  const users = await makeUsers(port, SIGN_INS);
  const { bytes: answerBytes } = await sample(port, files.first.database);
  const [signIns, chains] = await Promise.all([
    askOnce('load/generator.mjs', { kind: 'signIns', port, users, connections: SIGN_INS, seconds }),
    askOnce('load/generator.mjs', { kind: 'chains', port, connections: CHAINS, seconds }),
    replay({ port, file: files.database, connections: VERIFIES, seconds, answerBytes }),
  ]);
  const failed = signIns.failed + chains.failed;
  if (failed > 0) throw new Error(`${failed} requests failed: ${signIns.firstFailure || chains.firstFailure}`);
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('empty');
  const files = await stage.exercised('empty');
  return await withCore({ dataDir }, async ({ port, pid }) => {
    await wait(IDLE_MS);
    const idle = anonymousMegabytes(pid);
    let highest = idle;
    const timer = setInterval(() => {
      highest = Math.max(highest, anonymousMegabytes(pid));
    }, 500);
    const seconds = stage.seconds(LOAD_SECONDS);
    await fullLoad(port, files, seconds).finally(() => clearInterval(timer));
    const after = anonymousMegabytes(pid);
    return [
      atMost({ what: 'anonymous memory, idle', values: [idle], unit: 'MB', most: 130, note: `${IDLE_MS / 1000} s after the start` }),
      atMost({
        what: `anonymous memory after ${seconds} s of full load (bcrypt)`,
        values: [after],
        unit: 'MB',
        most: 300,
        note: `highest meanwhile ${highest.toFixed(0)} MB`,
      }),
    ];
  });
}
