// How long a verify takes while 100,000 users are imported.
import { AT_ONCE, imported, queued, send, upload, usersWithHashes } from './imports.mjs';
import { askOnce } from './core.mjs';
import { sample } from './load/load.mjs';
import { atMost } from './result.mjs';
import { withCore } from './stage.mjs';

const UPLOADS = 10;
const USERS_PER_UPLOAD = 10_000;
/** Imported before, so that V8 has compiled what imports users: it does so on threads of normal priority. */
const WARM_UP_USERS = 10_000;
const RATE = 1000;
const MOST_MS = 10;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const { database: file, first } = await stage.exercised('small');
  return await withCore({ dataDir: await stage.store('small'), env: AT_ONCE }, async ({ port }) => {
    await sample(port, first.database);
    await send(port, upload(usersWithHashes(`before-${process.pid}`, WARM_UP_USERS)));
    await imported(port);
    const seconds = stage.seconds(20);
    const lead = 2;
    const uploads = Math.max(2, Math.round(UPLOADS * stage.scale));
    const requests = Array.from({ length: uploads }, (_, n) => upload(usersWithHashes(`under-${process.pid}-${n}`, USERS_PER_UPLOAD)));
    const arrivals = askOnce('load/generator.mjs', {
      kind: 'arrivals',
      port,
      file,
      connections: 32,
      rate: RATE,
      seconds,
      warmUpSeconds: lead,
    });
    await new Promise((done) => setTimeout(done, lead * 1000));
    // The uploads are part of what is measured, one after the other.
    for (const request of requests) await send(port, request);
    const verified = await arrivals;
    const left = await queued(port, 'NEW');
    await imported(port);
    return [
      atMost({
        what: `verify p99 at ${RATE.toLocaleString('en-US')} req/s during a bulk import of ${(uploads * USERS_PER_UPLOAD).toLocaleString('en-US')}; none fails`,
        values: [verified.p99Ms],
        unit: 'ms',
        most: MOST_MS,
        holds: verified.failed === 0,
        note: [
          `${verified.requests} verifies with the database check in ${seconds} s, ${verified.failed} failed${verified.failed > 0 ? ` (${verified.firstFailure})` : ''}`,
          `the ${uploads} uploads fell into that time, and at its end ${left.toLocaleString('en-US')} users still waited`,
          `p50 ${verified.p50Ms.toFixed(1)} ms, longest ${verified.maxMs.toFixed(1)} ms`,
          `counted from the due time; the generator itself sent ${verified.lagP99Ms.toFixed(1)} ms late at p99`,
        ].join('; '),
      }),
    ];
  });
}
