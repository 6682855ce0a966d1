// Stores sessions by the million through the built engine, run as a process of its own by `ask`. Their tokens are never used.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { answerOnce, built } from './core.mjs';

const BATCH = 20_000;
const DAY_MS = 86_400_000;
/** Validity of a refresh token by default. */
const VALIDITY_MS = 100 * DAY_MS;
const SESSIONS_PER_USER = 2;

/** The sessions of one run by their number, made anew whenever they are asked for, since all of them would not fit into memory. */
class Sessions {
  #salt = randomBytes(16);
  #now = Date.now();

  /** `days`: how many days ago the first was made, and the last. */
  constructor({ app, tenant }, wanted, [first, last], newHandle) {
    this.place = { app, tenant };
    this.wanted = wanted;
    this.users = Array.from({ length: Math.ceil(wanted / SESSIONS_PER_USER) }, () => randomUUID());
    this.madeAt = (n) => Math.floor(this.#now - (last + ((first - last) * (wanted - n)) / wanted) * DAY_MS);
    this.newHandle = newHandle;
  }

  /** A session as the core would have stored it. */
  at(n) {
    const createdAt = this.madeAt(n);
    const hash = createHash('sha256').update(this.#salt).update(String(n)).digest('hex');
    const uuid = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
    return {
      ...this.place,
      handle: this.newHandle(uuid, createdAt, 'public'),
      userId: this.users[n % this.users.length],
      refreshHash: hash,
      previousRefreshHash: null,
      rotatedAt: null,
      data: '{}',
      claims: '{"iss":"https://api.example.com/auth","st-ev":{"v":true,"t":1700000000000}}',
      createdAt,
      expiresAt: createdAt + VALIDITY_MS,
      useStaticKey: false,
    };
  }

  /** In the order of the time, which is that of the rows and of the index of expiries. */
  *byTime() {
    for (let n = 0; n < this.wanted; n += 1) yield this.at(n);
  }

  *byUser() {
    const order = this.users.map((user, at) => [user, at]).toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [, at] of order) for (let n = at; n < this.wanted; n += this.users.length) yield this.at(n);
  }
}

function* batches(records) {
  let batch = [];
  for (const record of records) {
    batch.push(record);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/**
 * `{ dataDir, sessions, days }` -> `{ seconds }`; the folder must have been used by a core before. `days`: how many days ago the first was made, and the last;
 * those of more than a hundred have expired.
 */
async function seed({ dataDir, sessions: wanted, days = [90, 0] }) {
  if (!existsSync(dataDir)) throw new Error('the data folder is missing');
  const [{ openStore }, { LmdbEngine }, { entryWrites, rowWrites }, { sessions }, { newHandle }, { tenants }] = await Promise.all([
    built('store/open-store.js'),
    built('store/lmdb/engine.js'),
    import('./record-writes.mjs'),
    built('recipes/session-records/records.js'),
    built('recipes/session/handle.js'),
    built('recipes/tenants/records.js'),
  ]);
  const before = performance.now();
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const tenant = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
  await store.close();
  if (!tenant) throw new Error('the data folder has no base tenant');
  // Nobody else writes, and every record is new. In the order of their keys: in any other, a large store is written over and over.
  const engine = new LmdbEngine(dataDir);
  const commit = (writes) => engine.commit({ keys: [], ranges: [], writes });
  try {
    const all = new Sessions(tenant, wanted, days, newHandle);
    for (const batch of batches(all.byTime())) await commit([...rowWrites(sessions, batch), ...entryWrites(sessions, 'byExpiry', batch)]);
    for (const batch of batches(all.byUser())) await commit(entryWrites(sessions, 'byUser', batch));
  } finally {
    await engine.close();
  }
  return { seconds: (performance.now() - before) / 1000 };
}

answerOnce(seed);
