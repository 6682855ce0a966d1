// The limit of passwordless sign-ins: what a new code and its use write, as two durable commits through the built store, with nothing around it.
import { randomBytes, randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { answerOnce, ROOT } from '../core.mjs';

const WARM_UP_MS = 500;
const APP = { app: 1 };
const PLACE = { ...APP, tenant: 2 };
/** `RECIPE_BITS` of a passwordless login. */
const PASSWORDLESS_BIT = 4;

const built = (path) => import(resolve(ROOT, 'dist/src', path));

async function openCollections() {
  const [{ devices }, { loginMethods, users }, { verifiedEmails }, { lastActive }] = await Promise.all([
    built('recipes/passwordless/records.js'),
    built('recipes/users/records.js'),
    built('recipes/email-verification/records.js'),
    built('recipes/active-users/records.js'),
  ]);
  return { devices, loginMethods, users, verifiedEmails, lastActive };
}

const text = (bytes) => randomBytes(bytes).toString('base64url');

/** A device with its first code. */
function deviceOf(email, now) {
  return {
    ...PLACE,
    deviceIdHash: text(32),
    contact: ['email', email],
    linkCodeSalt: `${text(32)}=`,
    failedAttempts: 0,
    codes: [{ id: randomUUID(), linkCodeHash: `${text(32)}=`, createdAt: now }],
    cleanAfter: now + 900_000,
  };
}

/** Everything that signing a new user up writes, by collection. */
function signUpOf(email, now) {
  const id = randomUUID();
  const method = {
    ...APP,
    id,
    recipe: 'passwordless',
    primaryUserId: id,
    isPrimary: false,
    timeJoined: now,
    tenants: [PLACE.tenant],
    email,
  };
  return {
    loginMethods: { ...method, phoneNumber: null, thirdPartyId: null, thirdPartyUserId: null, passwordHash: null },
    users: {
      ...APP,
      id,
      isPrimary: false,
      timeJoined: now,
      recipesByTenant: [[PLACE.tenant, PASSWORDLESS_BIT]],
      recipes: PASSWORDLESS_BIT,
    },
    verifiedEmails: { ...APP, userId: id, email },
    lastActive: { ...APP, userId: id, at: now },
  };
}

/** Two commits, each waited for until it is durable. */
async function pair(store, collections) {
  const now = Date.now();
  const email = `${randomUUID()}@example.com`;
  const device = deviceOf(email, now);
  await store.transact((tx) => tx.insert(collections.devices, device));
  const written = Object.entries(signUpOf(email, now));
  await store.transact(async (tx) => {
    await tx.delete(collections.devices, collections.devices.key(device));
    for (const [name, record] of written) await tx.insert(collections[name], record);
  });
}

/** Pairs a second of one thread that keeps `inFlight` of them going. */
async function runPairs({ dataDir, inFlight, seconds }) {
  const [{ openStore }, collections] = await Promise.all([built('store/open-store.js'), openCollections()]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const from = performance.now() + WARM_UP_MS;
  const until = from + seconds * 1000;
  let pairs = 0;
  const lane = async () => {
    while (performance.now() < until) {
      await pair(store, collections);
      if (performance.now() >= from && performance.now() < until) pairs += 1;
    }
  };
  try {
    await Promise.all(Array.from({ length: inFlight }, lane));
  } finally {
    await store.close();
  }
  return pairs / seconds;
}

/** `{ dataDir, threads, inFlight, seconds }` -> `{ perSecond }` of all threads together; `inFlight` is shared out among them. */
async function runThreads({ threads, inFlight, ...job }) {
  const rates = Array.from({ length: threads }, () => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { ...job, inFlight: Math.ceil(inFlight / threads) } });
    return new Promise((done, failed) => {
      worker.once('message', done);
      worker.once('error', failed);
    });
  });
  return { perSecond: (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0) };
}

if (isMainThread) answerOnce(runThreads);
else parentPort.postMessage(await runPairs(workerData));
