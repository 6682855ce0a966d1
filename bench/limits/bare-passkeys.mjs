// What no server can do much faster: bare handlers that look up options, passkey, login method, mapping and verified email, check one signature and commit the
// counter, each done as the core does it, and nothing more. Nothing is routed, validated or decided.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { decodeCBOR } from '@levischuck/tiny-cbor';
import uws from 'uWebSockets.js';
import { answerOnce, built } from '../core.mjs';

const COUNTER_AT = 33;
const X = -2;
const Y = -3;

/** Threads that share a loopback port: `{ dataDir, threads }` -> `{ port }`. */
async function startThreads({ dataDir, threads }) {
  // A thread with an open app must not end by itself.
  process.removeAllListeners('SIGTERM').once('SIGTERM', () => process.kill(process.pid, 'SIGKILL'));
  const [{ WriteMarks }, { freePort }] = await Promise.all([built('store/lmdb/write-marks.js'), built('http/probe-port.js')]);
  // The library shares only ports that are named.
  const port = await freePort('127.0.0.1');
  const plan = { dataDir, port, marks: WriteMarks.allocate() };
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

const bytes = (text) => Buffer.from(text, 'base64url');

function keyOf(cose) {
  const map = decodeCBOR(new Uint8Array(cose));
  const [x, y] = [map.get(X), map.get(Y)].map((coordinate) => Buffer.from(coordinate).toString('base64url'));
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

/** What one thread does: answers a body of `passkeySignIn` with the JSON of the core's answer. */
async function signer({ dataDir, marks }) {
  const [{ openStore }, { webauthnOptions, webauthnCredentials }, { loginMethods }, mappings, { verifiedEmails }, { tenants }] =
    await Promise.all([
      built('store/open-store.js'),
      built('recipes/webauthn/records.js'),
      built('recipes/accounts/records.js'),
      built('recipes/accounts/mapping-records.js'),
      built('recipes/email-verification/records.js'),
      built('recipes/tenants/records.js'),
    ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir, marks });
  const { app, tenant } = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
  return async ({ webauthnGeneratedOptionsId, credential: { id, response } }) => {
    const [clientData, data, signature] = [response.clientDataJSON, response.authenticatorData, response.signature].map(bytes);
    const { options, credential, method } = await store.read(async (reader) => {
      const found = await reader.get(webauthnOptions, [app, tenant, webauthnGeneratedOptionsId]);
      const passkey = await reader.get(webauthnCredentials, [app, found.relyingPartyId, id]);
      const owner = await reader.get(loginMethods, [app, passkey.userId]);
      await reader.getMany([
        { collection: mappings.mappingsByInternalId, key: [app, owner.id] },
        { collection: verifiedEmails, key: [app, owner.id, owner.email] },
      ]);
      return { options: found, credential: passkey, method: owner };
    });
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()]);
    if (!verify('sha256', signed, keyOf(credential.publicKey), signature)) throw new Error(`a wrong signature for ${options.id}`);
    const counter = data.readUInt32BE(COUNTER_AT);
    await store.transact((tx) => tx.put(webauthnCredentials, { ...credential, counter, updatedAt: Date.now() }));
    const own = `"webauthn":{"credentialIds":["${id}"]}`;
    const { id: userId, email, timeJoined } = method;
    const login = `{"tenantIds":["public"],"recipeUserId":"${userId}","verified":false,"timeJoined":${timeJoined},"recipeId":"webauthn","email":"${email}",${own}}`;
    const user = `{"id":"${userId}","isPrimaryUser":false,"tenantIds":["public"],"timeJoined":${timeJoined},"emails":["${email}"],"phoneNumbers":[],"thirdParty":[],${own},"loginMethods":[${login}]}`;
    return `{"status":"OK","user":${user},"recipeUserId":"${userId}"}`;
  };
}

async function serve({ port, ...plan }) {
  const answer = await signer(plan);
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
