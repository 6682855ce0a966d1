// What no server can do much faster: bare handlers that open and seal the refresh token, sign the access token and commit the session's row, each done as the
// core does it, and nothing more. Nothing is routed, validated or decided; the row is read before only where the store is a database.
import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { built } from '../core.mjs';
import { keyAt, keyOf } from '../record-writes.mjs';
import { bareServer } from './bare-server.mjs';
import { openTable } from './bare-table.mjs';

const ALIVE_MS = 3_600_000;
const CLAIMS = '{"iss":"https://api.example.com/auth","st-ev":{"v":true,"t":1700000000000}}';
const HEADER = Buffer.from('{"kid":"d-1795294886157","typ":"JWT","version":"5","alg":"RS256"}').toString('base64url');
/** Node holds a lock of a key while it signs. */
const KEYS = 2;

async function prepare() {
  const [{ WriteMarks }, { newRefreshTokenMasterKey }] = await Promise.all([
    built('store/lmdb/write-marks.js'),
    built('crypto/refresh-token.js'),
  ]);
  const pem = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' });
  return { pem, master: newRefreshTokenMasterKey(randomBytes), marks: WriteMarks.allocate() };
}

/** Where sessions are kept: `read` a row by its key, `keep` one that is new or not. */
async function openSessions({ dataDir, marks, plan }, sessions) {
  if (plan) {
    const table = await openTable(plan);
    const { identityReads } = await built('recipes/accounts/identity.js');
    const keysOfUser = (userId) => identityReads(1, userId).map(({ collection, key }) => keyAt(collection, key));
    const read = (row, userId) => table.read([keyOf(sessions, row), ...keysOfUser(userId)]);
    return { read, keep: (row, isNew) => table.keep(sessions, row, isNew) };
  }
  const { openStore } = await built('store/open-store.js');
  const store = await openStore({ engine: 'lmdb', path: dataDir, marks });
  return { read: async () => {}, keep: (row) => store.transact((tx) => tx.put(sessions, row)) };
}

/** What one thread does: answers a body of `createSession` or `refreshSession` with the JSON of the core's answer. */
async function opener({ pem, master, ...where }) {
  const [{ sessions }, { hash1, hash2, openRefreshToken, refreshTokenNonce, sealRefreshToken }] = await Promise.all([
    built('recipes/session-records/records.js'),
    built('crypto/refresh-token.js'),
  ]);
  const kept = await openSessions(where, sessions);
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
    const payload = begun(JSON.parse(body.toString()));
    const { sessionHandle: handle, userId, parentRefreshTokenHash1: parent } = payload;
    if (parent !== null) await kept.read({ app: 1, tenant: 1, handle }, userId);
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
    await kept.keep({ ...row, refreshHash: hash2(own), expiresAt: now + ALIVE_MS, useStaticKey: false }, parent === null);
    const session = `{"handle":"${handle}","userId":"${userId}","recipeUserId":"${userId}","userDataInJWT":${CLAIMS},"tenantId":"public"}`;
    const token = (value) => `{"token":"${value}","expiry":${now},"createdTime":${now}}`;
    return `{"status":"OK","session":${session},"accessToken":${token(access)},"refreshToken":${token(refresh)}}`;
  };
}

await bareServer(import.meta.url, opener, prepare);
