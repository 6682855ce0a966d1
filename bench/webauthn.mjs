// Passkeys of 32 clients at once: sign-ins with ES256, each of which checks a signature and keeps a counter, and options to register, each of which is kept.
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ask, askOnce } from './core.mjs';
import { replay, sample } from './load/load.mjs';
import { registerOptions, writeRequests } from './load/requests.mjs';
import { alternate, atLeast } from './result.mjs';
import { withCore } from './stage.mjs';

const CLIENTS = 32;
const WARM_UP_SECONDS = 1;
/** No server answers more; a counter is good once, so every sign-in is sent once. */
const MOST_PER_SECOND = 12_000;
const EMAILS = 10_000;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  return [await signIns(stage), await options(stage)];
}

async function replayed(port, file, seconds) {
  const job = { kind: 'replay', port, file, connections: CLIENTS, seconds, warmUpSeconds: WARM_UP_SECONDS };
  const result = await askOnce('load/generator.mjs', job);
  if (result.failed > 0) throw new Error(`${result.failed} requests failed: ${result.firstFailure}`);
  return result.perSecond;
}

async function signIns(stage) {
  const threads = availableParallelism();
  const seconds = stage.seconds(4);
  const file = join(stage.emptyFolder('passkey-requests'), 'requests');
  const requests = MOST_PER_SECOND * (seconds + WARM_UP_SECONDS);
  const dataDir = stage.emptyFolder('passkeys');
  const limitDir = stage.emptyFolder('passkeys-limit');
  return await withCore({ dataDir: limitDir }, async () => undefined).then(() =>
    withCore({ dataDir }, async ({ port }) => {
      const limit = async () => {
        await askOnce('seed-passkeys.mjs', { dataDir: limitDir, file, requests });
        const bare = ask('limits/bare-passkeys.mjs', { dataDir: limitDir, threads });
        try {
          return await replayed((await bare.answer).port, file, seconds);
        } finally {
          await bare.stop();
        }
      };
      const ours = async () => {
        await askOnce('seed-passkeys.mjs', { dataDir, file, requests });
        return replayed(port, file, seconds);
      };
      return atLeast({
        what: `passkey sign-in (ES256), ${CLIENTS} concurrent`,
        limitName: `bare handlers that make the same look-ups, check one signature and commit once, on ${threads} threads`,
        ...(await alternate(stage.rounds(4), limit, ours)),
        unit: 'per s',
        atLeast: 0.5,
      });
    }),
  );
}

async function options(stage) {
  const threads = availableParallelism();
  const seconds = stage.seconds(3);
  const file = join(stage.emptyFolder('passkey-options-requests'), 'requests');
  const requests = Array.from({ length: EMAILS }, () => registerOptions(`${randomUUID()}@example.com`));
  writeRequests(file, requests);
  const limitFolder = stage.emptyFolder('passkey-options-limit');
  return await withCore({ dataDir: stage.emptyFolder('passkey-options') }, async ({ port }) => {
    const limit = async () => {
      const bare = { dataDir: limitFolder, threads, inFlight: CLIENTS, seconds };
      return (await askOnce('limits/passkey-options-commits.mjs', bare)).perSecond;
    };
    const { bytes: answerBytes } = await sample(port, requests[0]);
    const ours = async () => (await replay({ port, file, connections: CLIENTS, seconds, answerBytes })).perSecond;
    return atLeast({
      what: `options to register a passkey, ${CLIENTS} concurrent`,
      limitName: `one durable grouped commit of the same bytes through the store alone on ${threads} threads`,
      ...(await alternate(stage.rounds(4), limit, ours)),
      unit: 'per s',
      atLeast: 0.5,
    });
  });
}
