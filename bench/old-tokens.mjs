// Access tokens of sessions that were stored long ago, anywhere in the store, run as a process of its own by `ask`: signed with the key of the app, since
// those that a core makes now are of sessions whose rows are in memory.
import { createPrivateKey, randomBytes, randomUUID, sign } from 'node:crypto';
import { answerOnce, built } from './core.mjs';
import { verifySession, writeRequests } from './load/requests.mjs';

const HOUR_MS = 3_600_000;

/** `{ dataDir, count, days, out }` -> `{ count }`; `days`: sessions made between so many days ago and now. Writes requests that verify each with the database. */
async function makeOldTokens({ dataDir, count, days, out }) {
  const [{ openStore }, { sessions }, { signingKeys }, { newHandle }, { tenants }, { accessTokenInput, joinAccessToken }] =
    await Promise.all([
      built('store/open-store.js'),
      built('recipes/session-records/records.js'),
      built('recipes/signing-keys/records.js'),
      built('recipes/session/handle.js'),
      built('recipes/tenants/records.js'),
      built('crypto/access-token.js'),
    ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  try {
    const { app, tenant } = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    const keys = await store.read((reader) => reader.list(signingKeys, undefined, { prefix: [app], limit: 100 }));
    const key = keys.filter(({ kid }) => kid.startsWith('d-')).at(-1);
    const privateKey = createPrivateKey({ key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    const now = Date.now();
    const tokens = [];
    for (let made = 0; made < count; made += 1) {
      const somewhere = newHandle(randomUUID(), Math.floor(now - Math.random() * days * 24 * HOUR_MS), 'public');
      const range = { prefix: [app, tenant], from: [app, tenant, somewhere], limit: 1 };
      const [row] = await store.read((reader) => reader.list(sessions, undefined, range));
      if (!row) continue;
      const { input } = accessTokenInput(claimsOf(row, now), key.kid);
      tokens.push(joinAccessToken('5', input, sign('sha256', Buffer.from(input), privateKey)));
    }
    writeRequests(
      out,
      tokens.map((token) => verifySession(token, true)),
    );
    return { count: tokens.length };
  } finally {
    await store.close();
  }
}

function claimsOf({ handle, userId, claims }, now) {
  const refreshTokenHash1 = randomBytes(32).toString('hex');
  const who = { sessionHandle: handle, userId, recipeUserId: userId, tenantId: 'public' };
  return {
    version: '5',
    ...who,
    refreshTokenHash1,
    parentRefreshTokenHash1: null,
    antiCsrfToken: null,
    claims,
    createdMs: now,
    expiryMs: now + HOUR_MS,
  };
}

answerOnce(makeOldTokens);
