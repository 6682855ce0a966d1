// The limit of TOTP checks: what a right code writes, as one durable commit through the built store, with nothing around it.
import { randomUUID } from 'node:crypto';
import { built, commitLoop } from './commit-loop.mjs';

const LIFE_MS = 300_000_000;
const COOLDOWN_MS = 900_000;

await commitLoop(import.meta.url, async (store) => {
  const { totpAttempts } = await built('recipes/totp/records.js');
  return () => {
    const expiresAt = Date.now() + LIFE_MS;
    const uses = [{ code: '123456', expiresAt }];
    const record = { app: 1, tenant: 2, userId: randomUUID(), failures: [], uses, expiresAt, cleanAfter: expiresAt + COOLDOWN_MS };
    return store.transact((tx) => tx.insert(totpAttempts, record));
  };
});
