// Stores users with a passkey and options each through the built store, run as a process of its own by `ask`, and writes requests that sign in with them.
import { createHash, generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto';
import { encodeCBOR } from '@levischuck/tiny-cbor';
import { answerOnce, built } from './core.mjs';
import { passkeySignIn, writeRequests } from './load/requests.mjs';

const BATCH = 10_000;
/** Sign-ins of each user, far apart, with growing counters. */
const TIMES = 3;
const LIFE_MS = 86_400_000;
const RELYING_PARTY = 'example.com';
const ORIGIN = 'https://example.com';
const PRESENT_AND_VERIFIED = 0x05;

const sha256 = (data) => createHash('sha256').update(data).digest();
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = publicKey.export({ format: 'jwk' });
const coordinate = (text) => new Uint8Array(Buffer.from(text, 'base64url'));
/** One key for all: what is checked costs the same. */
const COSE_KEY = Buffer.from(
  encodeCBOR(
    new Map([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, coordinate(x)],
      [-3, coordinate(y)],
    ]),
  ),
);

function recordsOf({ app, tenant }, now) {
  const id = randomUUID();
  const credentialId = randomBytes(32).toString('base64url');
  const email = `${id}@example.com`;
  const none = { phoneNumber: null, thirdPartyId: null, thirdPartyUserId: null, passwordHash: null };
  const whole = { app, id, primaryUserId: id, isPrimary: false, recipe: 'webauthn', timeJoined: now, tenants: [tenant], email, ...none };
  const party = { app, relyingPartyId: RELYING_PARTY };
  const told = { aaguid: '00000000-0000-0000-0000-000000000000', counter: 0, transports: ['internal'], createdAt: now, updatedAt: now };
  return {
    method: { ...whole, credentialIds: [credentialId] },
    user: { app, id, isPrimary: false, timeJoined: now, recipesByTenant: [[tenant, 8]], recipes: 8 },
    credential: { ...party, id: credentialId, userId: id, publicKey: COSE_KEY, ...told, isBackupEligible: false, isBackedUp: false },
    options: {
      ...party,
      id: randomUUID(),
      tenant,
      challenge: randomBytes(32).toString('base64url'),
      email: null,
      relyingPartyName: 'Example',
      origin: ORIGIN,
      createdAt: now,
      expiresAt: now + LIFE_MS,
      userVerification: 'preferred',
      isPresenceRequired: false,
      algorithms: [],
    },
  };
}

function signInOf({ credential, options }, counter) {
  const clientData = Buffer.from(
    JSON.stringify({ type: 'webauthn.get', challenge: options.challenge, origin: ORIGIN, crossOrigin: false }),
  );
  const tail = Buffer.alloc(5);
  tail.writeUInt8(PRESENT_AND_VERIFIED);
  tail.writeUInt32BE(counter, 1);
  const data = Buffer.concat([sha256(RELYING_PARTY), tail]);
  const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey);
  const [clientDataJSON, authenticatorData, signed] = [clientData, data, signature].map((bytes) => bytes.toString('base64url'));
  const response = { clientDataJSON, authenticatorData, signature: signed, userHandle: null };
  const { id } = credential;
  return passkeySignIn(options.id, { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response });
}

/** `{ dataDir, file, requests }` -> `{ users }`; a core must have used the folder. */
async function seed({ dataDir, file, requests }) {
  const [{ openStore }, webauthn, accounts, { tenants }] = await Promise.all([
    built('store/open-store.js'),
    built('recipes/webauthn/records.js'),
    built('recipes/accounts/records.js'),
    built('recipes/tenants/records.js'),
  ]);
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  const now = Date.now();
  let users;
  try {
    const place = await store.read((reader) => reader.get(tenants, ['', 'public', 'public']));
    users = Array.from({ length: Math.ceil(requests / TIMES) }, () => recordsOf({ app: place.app, tenant: place.tenant }, now));
    for (let stored = 0; stored < users.length; stored += BATCH) {
      await store.transact(async (tx) => {
        for (const { method, user, credential, options } of users.slice(stored, stored + BATCH)) {
          await tx.insert(accounts.loginMethods, method);
          await tx.insert(accounts.users, user);
          await tx.insert(webauthn.webauthnCredentials, credential);
          await tx.insert(webauthn.webauthnOptions, options);
        }
      });
    }
  } finally {
    await store.close();
  }
  const rounds = Array.from({ length: TIMES }, (_, at) => at + 1);
  writeRequests(
    file,
    rounds.flatMap((counter) => users.map((user) => signInOf(user, counter))),
  );
  return { users: users.length };
}

answerOnce(seed);
