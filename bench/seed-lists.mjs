// What long lists are of, stored through the built engine, run as a process of its own by `ask`: sessions of one user, and users of one role.
import { randomUUID } from 'node:crypto';
import { answerOnce, built } from './core.mjs';
import { entryWrites, rowWrites } from './record-writes.mjs';

const BATCH = 20_000;
const DAY_MS = 86_400_000;

/** `{ dataDir, user, sessions, role, users }` -> `{ seconds }`; the folder must have been used by a core before. */
async function seed({ dataDir, user, sessions: wanted, role, users }) {
  const [{ openStore }, { LmdbEngine }, { sessions }, { newHandle }, { tenants }, { assignments, roles }] = await Promise.all([
    built('store/open-store.js'),
    built('store/lmdb/engine.js'),
    built('recipes/session-records/records.js'),
    built('recipes/session/handle.js'),
    built('recipes/tenants/records.js'),
    built('recipes/user-roles/records.js'),
  ]);
  const before = performance.now();
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const { app, tenant } = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
  const roleId = randomUUID();
  await store.transact((tx) => tx.put(roles, { app, name: role, id: roleId, permissions: [] }));
  await store.close();
  const engine = new LmdbEngine(dataDir);
  const put = async (collection, records) => {
    for (let at = 0; at < records.length; at += BATCH) {
      const some = records.slice(at, at + BATCH);
      const entries = Object.keys(collection.indexes ?? {}).flatMap((index) => entryWrites(collection, index, some));
      await engine.commit({ keys: [], ranges: [], writes: [...rowWrites(collection, some), ...entries] });
    }
  };
  const now = Date.now();
  const session = (n) => ({
    app,
    tenant,
    handle: newHandle(randomUUID(), now - n, 'public'),
    userId: user,
    refreshHash: 'r',
    previousRefreshHash: null,
    rotatedAt: null,
    data: '{}',
    claims: '{}',
    createdAt: now,
    expiresAt: now + 50 * DAY_MS,
    useStaticKey: false,
  });
  try {
    await put(
      sessions,
      Array.from({ length: wanted }, (_, n) => session(n)),
    );
    const holders = Array.from({ length: users }, () => randomUUID()).toSorted();
    await put(
      assignments,
      holders.map((userId) => ({ app, tenant, userId, role, roleId })),
    );
  } finally {
    await engine.close();
  }
  return { seconds: (performance.now() - before) / 1000 };
}

answerOnce(seed);
