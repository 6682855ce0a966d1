// How long a verify takes while sign-ins keep every thread of the hash lane busy.
import { askOnce } from './core.mjs';
import { sample } from './load/load.mjs';
import { atMost } from './result.mjs';
import { withCore } from './stage.mjs';
import { makeUsers } from './users.mjs';

const SIGN_INS = 64;
const RATE = 1000;
const MOST_MS = 10;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('large');
  const { database: file, first } = await stage.exercised('large');
  return await withCore({ dataDir }, async ({ port }) => {
    await sample(port, first.database);
    const users = await makeUsers(port, SIGN_INS);
    const seconds = stage.seconds(20);
    const lead = 3;
    const storm = askOnce('load/generator.mjs', { kind: 'signIns', port, users, connections: SIGN_INS, seconds: seconds + lead + 1 });
    const arrivals = { kind: 'arrivals', port, file, connections: 32, rate: RATE, seconds, warmUpSeconds: lead };
    const [verified, signedIn] = await Promise.all([askOnce('load/generator.mjs', arrivals), storm]);
    const failed = verified.failed + signedIn.failed;
    const reason = verified.firstFailure || signedIn.firstFailure;
    return [
      atMost({
        what: `verify p99 at ${RATE.toLocaleString('en-US')} req/s while ${SIGN_INS} concurrent sign-ins saturate the hash lane; none fails`,
        values: [verified.p99Ms],
        unit: 'ms',
        most: MOST_MS,
        holds: failed === 0 && signedIn.requests > 0,
        note: [
          `${verified.requests} verifies with the database check, ${failed} failed${failed > 0 ? ` (${reason})` : ''}`,
          `${signedIn.perSecond.toFixed(1)} sign-ins/s meanwhile`,
          `p50 ${verified.p50Ms.toFixed(1)} ms, longest ${verified.maxMs.toFixed(1)} ms`,
          `counted from the due time; the generator itself sent ${verified.lagP99Ms.toFixed(1)} ms late at p99`,
        ].join('; '),
      }),
    ];
  });
}
