// The limit of options to register a passkey: what they keep, as one durable commit through the built store, with nothing around it.
import { randomBytes, randomUUID } from 'node:crypto';
import { built } from '../core.mjs';
import { commitLoop } from './commit-loop.mjs';

const LIFE_MS = 60_000;

await commitLoop(import.meta.url, async (store) => {
  const { webauthnOptions } = await built('recipes/webauthn/records.js');
  return () => {
    const createdAt = Date.now();
    const options = {
      app: 1,
      id: randomUUID(),
      tenant: 1,
      challenge: randomBytes(32).toString('base64url'),
      email: `${randomUUID()}@example.com`,
      relyingPartyId: 'example.com',
      relyingPartyName: 'Example',
      origin: 'https://example.com',
      createdAt,
      expiresAt: createdAt + LIFE_MS,
      userVerification: 'preferred',
      isPresenceRequired: false,
      algorithms: [-8, -7, -257],
    };
    return store.transact((tx) => tx.insert(webauthnOptions, options));
  };
});
