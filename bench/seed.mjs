// Stores sessions by the million through the built store, run as a process of its own by `ask`. Their tokens are never used.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { answerOnce, ROOT } from './core.mjs';

const BATCH = 10_000;
const DAY_MS = 86_400_000;
/** Validity of a refresh token by default. */
const VALIDITY_MS = 100 * DAY_MS;

const built = (path) => import(resolve(ROOT, 'dist/src', path));

/** A session as the core would have stored it, the last of `wanted` now and the first 90 days ago, of a user who has two on average. */
function sessionRecord({ app, tenant }, users, n, { now, wanted, newHandle }) {
  const createdAt = Math.floor(now - ((wanted - n) / wanted) * 90 * DAY_MS);
  return {
    app,
    tenant,
    handle: newHandle(randomUUID(), createdAt, 'public'),
    userId: users[Math.floor(Math.random() * users.length)],
    refreshHash: createHash('sha256').update(randomBytes(32)).digest('hex'),
    previousRefreshHash: null,
    rotatedAt: null,
    data: '{}',
    claims: '{"iss":"https://api.example.com/auth","st-ev":{"v":true,"t":1700000000000}}',
    createdAt,
    expiresAt: createdAt + VALIDITY_MS,
    useStaticKey: false,
  };
}

/** `{ dataDir, sessions }` -> `{ seconds }`; the folder must have been used by a core before. */
async function seed({ dataDir, sessions: wanted }) {
  if (!existsSync(dataDir)) throw new Error('the data folder is missing');
  const [{ openStore }, { sessions }, { newHandle }, { tenants }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/session/records.js'),
    built('recipes/session/handle.js'),
    built('recipes/multitenancy/records.js'),
  ]);
  const before = performance.now();
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  try {
    const tenant = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    if (!tenant) throw new Error('the data folder has no base tenant');
    const users = Array.from({ length: Math.ceil(wanted / 2) }, () => randomUUID());
    const life = { now: Date.now(), wanted, newHandle };
    for (let stored = 0; stored < wanted; stored += BATCH) {
      const records = Array.from({ length: Math.min(BATCH, wanted - stored) }, (_, n) => sessionRecord(tenant, users, stored + n, life));
      await store.transact(async (transaction) => {
        for (const record of records) await transaction.insert(sessions, record);
      });
    }
  } finally {
    await store.close();
  }
  return { seconds: (performance.now() - before) / 1000 };
}

answerOnce(seed);
