// Stores users by the million through the built store, run as a process of its own by `ask`. Nobody knows their passwords.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { answerOnce, built } from './core.mjs';

const BATCH = 50_000;
const YEAR_MS = 365 * 86_400_000;
/** Users who joined in one millisecond, as after a bulk import: one hundredth of all. */
const IMPORTED_SHARE = 0.01;
/** Of ten users seven have a password, two a third party, and one gets codes. */
const RECIPES = [...Array(7).fill('emailpassword'), 'thirdparty', 'thirdparty', 'passwordless'];

/** The login method of the n-th user; emails begin with random letters. */
function loginMethod({ app, tenant }, n, id, timeJoined) {
  const recipe = RECIPES[n % RECIPES.length];
  const email = `${createHash('sha256').update(String(n)).digest('hex').slice(0, 12)}@example-${n % 1000}.com`;
  return {
    app,
    id,
    primaryUserId: id,
    isPrimary: false,
    recipe,
    timeJoined,
    tenants: [tenant],
    email,
    phoneNumber: null,
    thirdPartyId: recipe === 'thirdparty' ? 'google' : null,
    thirdPartyUserId: recipe === 'thirdparty' ? String(n) : null,
    passwordHash: recipe === 'emailpassword' ? `$2a$04$${randomBytes(40).toString('base64').slice(0, 53)}` : null,
  };
}

/** Metadata as they are kept where `metadata_search_keys` lists `plan`. */
const planOf = ({ app, id }, plan) => ({ app, userId: id, metadata: `{"plan":"plan-${plan}"}`, searched: [['plan', `plan-${plan}`]] });

/** Ascending by time, users of one time by descending id: the order of the list. */
const inOrder = (a, b) => a.timeJoined - b.timeJoined || (a.id < b.id ? 1 : -1);

/**
 * `{ dataDir, users, page, pages, plans }` -> `{ seconds, tokens }`: the tokens of so many pages of 100 from that one on (the first is 1).
 * With plans, each user's metadata name one of so many, by which users can be found.
 * The folder must have been used by a core before.
 */
async function seed({ dataDir, users: wanted, page, pages, plans }) {
  if (!existsSync(dataDir)) throw new Error('the data folder is missing');
  const [{ openStore }, { addLoginMethod }, { tenants }, { metadata, metadataSearch }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/accounts/login-methods.js'),
    built('recipes/tenants/records.js'),
    built('recipes/user-metadata/records.js'),
  ]);
  const before = performance.now();
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const places = [];
  try {
    const tenant = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    if (!tenant) throw new Error('the data folder has no base tenant');
    if (plans > 0) await store.transact((tx) => tx.put(metadataSearch, { app: tenant.app, keys: ['plan'], ready: ['plan'] }));
    const now = Date.now();
    const imported = now - YEAR_MS;
    // In the order of their ids, which makes storing them three times as fast. Times and emails are in none.
    const ids = Array.from({ length: wanted }, () => randomUUID()).toSorted();
    for (let stored = 0; stored < wanted; stored += BATCH) {
      const methods = Array.from({ length: Math.min(BATCH, wanted - stored) }, (_, n) => {
        const timeJoined = Math.random() < IMPORTED_SHARE ? imported : now - Math.floor(Math.random() * 2 * YEAR_MS) - 1000;
        return loginMethod(tenant, stored + n, ids[stored + n], timeJoined);
      });
      await store.transact(async (transaction) => {
        for (const method of methods) await addLoginMethod(transaction, method);
      });
      await store.transact(async (transaction) => {
        const withPlans = plans > 0 ? methods.entries() : [];
        for (const [n, method] of withPlans) await transaction.insert(metadata, planOf(method, (stored + n) % plans));
      });
      for (const { id, timeJoined } of methods) places.push({ id, timeJoined });
    }
  } finally {
    await store.close();
  }
  const first = (page - 1) * 100;
  const tokens = places
    .toSorted(inOrder)
    .slice(first, first + pages * 100)
    .filter((_, n) => n % 100 === 0)
    .map(({ id, timeJoined }) => Buffer.from(`${id};${timeJoined}`).toString('base64'));
  return { seconds: (performance.now() - before) / 1000, tokens };
}

answerOnce(seed);
