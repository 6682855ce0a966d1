// Stores sessions by the million through the built engine, run as a process of its own by `ask`. Their tokens are never used.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { answerOnce, ROOT } from './core.mjs';

const BATCH = 20_000;
const DAY_MS = 86_400_000;
/** Validity of a refresh token by default. */
const VALIDITY_MS = 100 * DAY_MS;

const built = (path) => import(resolve(ROOT, 'dist/src', path));

/** A session as the core would have stored it, of a user who has two on average. */
function sessionRecord({ app, tenant }, users, createdAt, newHandle) {
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

/**
 * `{ dataDir, sessions, days }` -> `{ seconds }`; the folder must have been used by a core before. `days`: how many days ago the first was made, and the last;
 * those of more than a hundred have expired.
 */
async function seed({ dataDir, sessions: wanted, days: [first, last] = [90, 0] }) {
  if (!existsSync(dataDir)) throw new Error('the data folder is missing');
  const [{ openStore }, { LmdbEngine }, { recordWrites }, { sessions }, { newHandle }, { tenants }] = await Promise.all([
    built('store/open-store.js'),
    built('store/lmdb.js'),
    import('./record-writes.mjs'),
    built('recipes/session/records.js'),
    built('recipes/session/handle.js'),
    built('recipes/multitenancy/records.js'),
  ]);
  const before = performance.now();
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const tenant = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
  await store.close();
  if (!tenant) throw new Error('the data folder has no base tenant');
  // Nobody else writes, and every record is new: what the store would read and compare of each takes most of its time.
  const engine = new LmdbEngine(dataDir);
  try {
    const users = Array.from({ length: Math.ceil(wanted / 2) }, () => randomUUID());
    const now = Date.now();
    const madeAt = (n) => Math.floor(now - (last + ((first - last) * (wanted - n)) / wanted) * DAY_MS);
    for (let stored = 0; stored < wanted; stored += BATCH) {
      const records = Array.from({ length: Math.min(BATCH, wanted - stored) }, (_, n) =>
        sessionRecord(tenant, users, madeAt(stored + n), newHandle),
      );
      await engine.commit({ keys: [], ranges: [], writes: recordWrites(sessions, records) });
    }
  } finally {
    await engine.close();
  }
  return { seconds: (performance.now() - before) / 1000 };
}

answerOnce(seed);
