// How long a verify takes while lists without a page are answered, and what memory these take.
import { anonymousMegabytes, askOnce } from './core.mjs';
import { sample } from './load/load.mjs';
import { atMost } from './result.mjs';
import { withCore } from './stage.mjs';

const SESSIONS = 100_000;
const USERS = 1_000_000;
const RATE = 500;
const SECONDS = 15;
const MOST_MS = 10;
const MOST_MEGABYTES = 64;
const SAMPLE_MS = 50;

/** The highest anonymous memory of a process while `work` runs, beyond that of before, in MB. */
async function grownDuring(pid, work) {
  const before = anonymousMegabytes(pid);
  let highest = before;
  const timer = setInterval(() => (highest = Math.max(highest, anonymousMegabytes(pid))), SAMPLE_MS);
  try {
    return { value: await work(), grown: highest - before };
  } finally {
    clearInterval(timer);
  }
}

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('lists');
  const { database: file, first } = await stage.exercised('lists');
  const [sessions, users] = [SESSIONS, USERS].map((size) => Math.round(size * Math.min(1, stage.scale)));
  stage.say(`storing ${sessions} sessions of a user and ${users} users of a role`);
  await askOnce('seed-lists.mjs', { dataDir, user: 'many', sessions, role: 'many', users });
  return await withCore({ dataDir, httpThreads: 1 }, async ({ port, pid }) => {
    await sample(port, first.database);
    const seconds = stage.seconds(SECONDS);
    const beside = async (what, path) => {
      const arrivals = { kind: 'arrivals', port, file, connections: 32, rate: RATE, seconds, warmUpSeconds: 2 };
      const list = { kind: 'listAgain', port, path, seconds: seconds + 2 };
      const run = () => Promise.all([askOnce('load/generator.mjs', arrivals), askOnce('load/generator.mjs', list)]);
      const { value, grown } = await grownDuring(pid, run);
      const [verified, listed] = value;
      return atMost({
        what: `verify p99 at ${RATE}/s beside ${what}, one front thread; memory + ${MOST_MEGABYTES} MB at most`,
        values: [verified.p99Ms],
        unit: 'ms',
        most: MOST_MS,
        holds: verified.failed === 0 && listed.lists > 0 && grown <= MOST_MEGABYTES,
        note: [
          `${listed.lists} lists one after the other, ${(listed.secondsEach * 1000).toFixed(0)} ms each, ${(listed.bytes / listed.lists / 1e6).toFixed(1)} MB`,
          `memory + ${grown.toFixed(0)} MB`,
          `p50 ${verified.p50Ms.toFixed(1)} ms, longest ${verified.maxMs.toFixed(1)} ms`,
          `the generator itself sent ${verified.lagP99Ms.toFixed(1)} ms late at p99`,
        ].join('; '),
      });
    };
    await beside('a warm-up', '/recipe/session/user?userId=many');
    return [
      await beside(`a list of ${sessions.toLocaleString('en-US')} sessions`, '/recipe/session/user?userId=many'),
      await beside(`a list of ${users.toLocaleString('en-US')} users of a role`, '/recipe/role/users?role=many'),
    ];
  });
}
