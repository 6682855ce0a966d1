// What no server can do much faster: bare handlers that open and seal the refresh token, sign the access token and commit the session's row, each done as the
// core does it, and nothing more. Nothing is routed, validated, looked up or decided.
import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import uws from 'uWebSockets.js';
import { answerOnce, built } from '../core.mjs';

const ALIVE_MS = 3_600_000;
const CLAIMS = '{"iss":"https://api.example.com/auth","st-ev":{"v":true,"t":1700000000000}}';
const HEADER = Buffer.from('{"kid":"d-1795294886157","typ":"JWT","version":"5","alg":"RS256"}').toString('base64url');
/** Node holds a lock of a key while it signs. */
const KEYS = 2;

/** Threads that share a loopback port: `{ dataDir, threads }` -> `{ port }`. */
async function startThreads({ dataDir, threads }) {
  // A thread with an open app must not end by itself.
  process.removeAllListeners('SIGTERM').once('SIGTERM', () => process.kill(process.pid, 'SIGKILL'));
  const [{ WriteMarks }, { newRefreshTokenMasterKey }, { freePort }] = await Promise.all([
    built('store/lmdb/write-marks.js'),
    built('crypto/refresh-token.js'),
    built('http/probe-port.js'),
  ]);
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  // The library shares only ports that are named.
  const port = await freePort('127.0.0.1');
  const plan = { dataDir, port, pem, master: newRefreshTokenMasterKey(randomBytes), marks: WriteMarks.allocate() };
  const listening = Array.from({ length: threads }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: plan });
    return new Promise((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
    });
  });
  await Promise.all(listening);
  return { port };
}

/** What one thread does: answers a body of `createSession` or `refreshSession` with the JSON of the core's answer. */
async function opener({ dataDir, pem, master, marks }) {
  const [{ openStore }, { sessions }, { hash1, hash2, openRefreshToken, refreshTokenNonce, sealRefreshToken }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/session-records/records.js'),
    built('crypto/refresh-token.js'),
  ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir, marks });
  const keys = Array.from({ length: KEYS }, () => createPrivateKey(pem));
  let signatures = 0;
  const signed = (input) =>
    new Promise((done, failed) => {
      signatures += 1;
      sign('sha256', Buffer.from(input), keys[signatures % KEYS], (error, signature) => (error ? failed(error) : done(signature)));
    });
  const begun = ({ refreshToken, userId }) => {
    if (refreshToken === undefined) return { sessionHandle: randomUUID(), userId, parentRefreshTokenHash1: null };
    const opened = openRefreshToken(refreshToken, master);
    if (opened.status !== 'OK') throw new Error('a refresh token of another run');
    return { ...opened.payload, parentRefreshTokenHash1: hash1(refreshToken) };
  };
  return async (body) => {
    const payload = begun(body);
    const { sessionHandle: handle, userId, parentRefreshTokenHash1: parent } = payload;
    const refresh = sealRefreshToken(
      { ...payload, nonce: refreshTokenNonce(randomUUID()), antiCsrfToken: null, tenantId: 'public' },
      master,
      randomBytes,
    );
    const now = Date.now();
    const own = hash1(refresh);
    const text = `{"iat":${now},"exp":${now},"sub":"${userId}","tId":"public","rsub":"${userId}","sessionHandle":"${handle}","refreshTokenHash1":"${own}"`;
    const claims = `${text},"parentRefreshTokenHash1":${parent === null ? null : `"${parent}"`},"antiCsrfToken":null,${CLAIMS.slice(1)}`;
    const input = `${HEADER}.${Buffer.from(claims).toString('base64url')}`;
    const access = `${input}.${(await signed(input)).toString('base64url')}`;
    const row = {
      app: 1,
      tenant: 1,
      handle,
      userId,
      previousRefreshHash: null,
      rotatedAt: null,
      data: '{}',
      claims: CLAIMS,
      createdAt: now,
    };
    await store.transact((tx) => tx.put(sessions, { ...row, refreshHash: hash2(own), expiresAt: now + ALIVE_MS, useStaticKey: false }));
    const session = `{"handle":"${handle}","userId":"${userId}","recipeUserId":"${userId}","userDataInJWT":${CLAIMS},"tenantId":"public"}`;
    const token = (value) => `{"token":"${value}","expiry":${now},"createdTime":${now}}`;
    return `{"status":"OK","session":${session},"accessToken":${token(access)},"refreshToken":${token(refresh)}}`;
  };
}

async function serve({ port, ...plan }) {
  const answer = await opener(plan);
  uws
    .App()
    .post('/*', (response) => {
      let gone = false;
      response.onAborted(() => {
        gone = true;
      });
      response.onData((chunk) => {
        void answer(JSON.parse(Buffer.from(chunk).toString())).then((json) => {
          if (!gone) response.cork(() => response.writeHeader('content-type', 'application/json;charset=UTF-8').end(json));
        });
      });
    })
    .listen('127.0.0.1', port, (socket) => {
      if (!socket) throw new Error('cannot listen');
      parentPort.postMessage('listening');
    });
}

if (isMainThread) answerOnce(startThreads);
else await serve(workerData);
