// Answers of identity providers that 16 browsers bring back at once, and how long a verify takes meanwhile.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { askOnce } from './core.mjs';
import { sample } from './load/load.mjs';
import { response } from './load/saml-idp.mjs';
import { alternate, atLeast, atMost } from './result.mjs';
import { makeSamlClient } from './saml-client.mjs';
import { withCore } from './stage.mjs';

const CLIENTS = 16;
/** About what a core of a processor checks in a second; a response is good once, so they are made beforehand. */
const RESPONSES_PER_CORE = 220;
/** V8 compiles what checks a response for some seconds, on threads of normal priority: until then it is V8 that is measured. */
const WARM_UP_RESPONSES = 2000;
const WARM_UP_SECONDS = 12;
const DIFFERENT = 64;
const RATE = 1000;
const MOST_MS = 10;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  return [await callbacks(stage), await verifyMeanwhile(stage)];
}

async function callbacks(stage) {
  const threads = availableParallelism();
  const file = join(stage.emptyFolder('saml-requests'), 'requests');
  return await withCore({ dataDir: stage.emptyFolder('saml') }, async ({ port }) => {
    const client = await makeSamlClient(port);
    const send = async (responses) => {
      const { bytes } = await client.prepare(file, responses);
      const { perSecond } = await askOnce('load/generator.mjs', { kind: 'replayOnce', port, file, connections: CLIENTS });
      return { bytes, perSecond };
    };
    const { bytes } = await send(WARM_UP_RESPONSES);
    const responses = Array.from({ length: DIFFERENT }, () => response(client.key, randomUUID()));
    const bare = { loop: 'SAML signature check', threads, seconds: stage.seconds(4), responses, certificate: client.key.certificate };
    const limit = async () => (await askOnce('limits/crypto-loop.mjs', bare)).perSecond;
    const ours = async () => (await send(RESPONSES_PER_CORE * threads * stage.seconds(5))).perSecond;
    return atLeast({
      what: `SAML callback (signed response of ${(bytes / 1000).toFixed(1)} kB), ${CLIENTS} concurrent`,
      limitName: `parse + one xml-crypto check of the same bytes in a bare loop on ${threads} threads`,
      ...(await alternate(stage.rounds(4), limit, ours)),
      unit: 'per s',
      atLeast: 0.6,
    });
  });
}

async function verifyMeanwhile(stage) {
  const dataDir = await stage.store('large');
  const { database: file, first } = await stage.exercised('large');
  const responses = join(stage.emptyFolder('saml-requests'), 'storm');
  return await withCore({ dataDir }, async ({ port }) => {
    await sample(port, first.database);
    const client = await makeSamlClient(port);
    const seconds = stage.seconds(15);
    const lead = WARM_UP_SECONDS;
    // More than can be checked in that time: the lane is never without work.
    await client.prepare(responses, RESPONSES_PER_CORE * availableParallelism() * (seconds + lead + 2));
    const storm = askOnce('load/generator.mjs', {
      kind: 'replay',
      port,
      file: responses,
      connections: CLIENTS,
      seconds: seconds + lead + 1,
    });
    const arrivals = { kind: 'arrivals', port, file, connections: 32, rate: RATE, seconds, warmUpSeconds: lead };
    const [verified, calledBack] = await Promise.all([askOnce('load/generator.mjs', arrivals), storm]);
    const failed = verified.failed + calledBack.failed;
    const reason = verified.firstFailure || calledBack.firstFailure;
    return atMost({
      what: `verify p99 at ${RATE.toLocaleString('en-US')} req/s while ${CLIENTS} concurrent SAML callbacks saturate the xml lane; none fails`,
      values: [verified.p99Ms],
      unit: 'ms',
      most: MOST_MS,
      holds: failed === 0 && calledBack.requests > 0,
      note: [
        `${verified.requests} verifies with the database check, ${failed} failed${failed > 0 ? ` (${reason})` : ''}`,
        `${calledBack.perSecond.toFixed(0)} callbacks/s meanwhile`,
        `p50 ${verified.p50Ms.toFixed(1)} ms, longest ${verified.maxMs.toFixed(1)} ms`,
        `counted from the due time; the generator itself sent ${verified.lagP99Ms.toFixed(1)} ms late at p99`,
      ].join('; '),
    });
  });
}
