// Verify of tokens that the core has never seen, on one front thread. Each round has a core of its own, so that no token was seen before.
import { AS_STARTED, ask, askOnce } from './core.mjs';
import { exchangeOnce } from './load/connection.mjs';
import { replay, replayOnce, sample } from './load/load.mjs';
import { get, VERIFY_PATH } from './load/requests.mjs';
import { alternate, atLeast, bareNote } from './result.mjs';
import { withCore } from './stage.mjs';

const CONNECTIONS = 32;

/** @param {import('./stage.mjs').Stage} stage */
export async function measure(stage) {
  const dataDir = await stage.store('empty');
  const { warmUp, fresh } = await stage.newTokens();
  const limit = async () =>
    (await askOnce('limits/crypto-loop.mjs', { loop: 'RS256 verify', threads: 1, seconds: stage.seconds(3) })).perSecond;
  const verifyOnce = async (port) => (await replayOnce({ port, file: fresh.plain, connections: CONNECTIONS })).perSecond;
  /** What a bare handler needs to check the tokens and to answer. */
  let example;
  const ours = () =>
    withCore({ dataDir, httpThreads: 1 }, async ({ port }) => {
      const { bytes: answerBytes, body } = await sample(port, warmUp.first.plain);
      example ??= { path: VERIFY_PATH, body, jwk: await signingKey(port, warmUp.first.plain) };
      await replay({ port, file: warmUp.plain, connections: CONNECTIONS, seconds: stage.seconds(2), answerBytes });
      return await verifyOnce(port);
    });
  const bare = async () => {
    const server = ask('limits/bare-verify.mjs', example, AS_STARTED);
    try {
      return await verifyOnce((await server.answer).port);
    } finally {
      await server.stop();
    }
  };
  const measured = await alternate(stage.rounds(5), limit, ours, bare);
  return [
    atLeast({
      what: 'verify, every token new, one front thread',
      limitName: '`node:crypto` RS256 verify loop, one thread',
      ...measured,
      unit: 'per s',
      atLeast: 0.6,
      note: bareNote(measured, 'a bare handler that only checks the signature'),
    }),
  ];
}

/** The public key of the token in a request. */
async function signingKey(port, request) {
  const [header] = /eyJ[\w-]+/.exec(request.toString('latin1')) ?? [];
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString());
  const { keys } = JSON.parse((await exchangeOnce(port, get('/.well-known/jwks.json'))).body);
  return keys.find((key) => key.kid === kid);
}
