// The limit of TOTP checks: what a right code writes, as one durable commit through the built store, with nothing around it.
import { randomUUID } from 'node:crypto';
import { built } from '../core.mjs';
import { commitLoop } from './commit-loop.mjs';

const LIFE_MS = 300_000_000;
const KEPT_MS = 86_400_000;

await commitLoop(import.meta.url, async (store) => {
  const { totpAttempts } = await built('recipes/totp/records.js');
  return () => {
    const expiresAt = Date.now() + LIFE_MS;
    const uses = [{ code: '123456', expiresAt }];
    const record = { app: 1, userId: randomUUID(), failures: [], uses, cleanAfter: expiresAt + KEPT_MS };
    return store.transact((tx) => tx.insert(totpAttempts, record));
  };
});
