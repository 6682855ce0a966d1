// The limit of passwordless sign-ins: what a new code and its use write, as two durable commits through the built store, with nothing around it.
import { randomBytes, randomUUID } from 'node:crypto';
import { built } from '../core.mjs';
import { commitLoop } from './commit-loop.mjs';

const APP = { app: 1 };
const PLACE = { ...APP, tenant: 2 };
/** `RECIPE_BITS` of a passwordless login. */
const PASSWORDLESS_BIT = 4;

async function openCollections() {
  const [{ devices }, { loginMethods, users }, { verifiedEmails }, { lastActive }] = await Promise.all([
    built('recipes/passwordless/records.js'),
    built('recipes/accounts/records.js'),
    built('recipes/email-verification/records.js'),
    built('recipes/active-users/records.js'),
  ]);
  return { devices, loginMethods, users, verifiedEmails, lastActive };
}

const text = (bytes) => randomBytes(bytes).toString('base64url');

/** A device with its first code. */
function deviceOf(email, now) {
  return {
    ...PLACE,
    deviceIdHash: text(32),
    contact: ['email', email],
    linkCodeSalt: `${text(32)}=`,
    failedAttempts: 0,
    codes: [{ id: randomUUID(), linkCodeHash: `${text(32)}=`, createdAt: now }],
    cleanAfter: now + 900_000,
  };
}

/** Everything that signing a new user up writes, by collection. */
function signUpOf(email, now) {
  const id = randomUUID();
  const method = {
    ...APP,
    id,
    recipe: 'passwordless',
    primaryUserId: id,
    isPrimary: false,
    timeJoined: now,
    tenants: [PLACE.tenant],
    email,
  };
  return {
    loginMethods: { ...method, phoneNumber: null, thirdPartyId: null, thirdPartyUserId: null, passwordHash: null },
    users: {
      ...APP,
      id,
      isPrimary: false,
      timeJoined: now,
      recipesByTenant: [[PLACE.tenant, PASSWORDLESS_BIT]],
      recipes: PASSWORDLESS_BIT,
    },
    verifiedEmails: { ...APP, userId: id, email },
    lastActive: { ...APP, userId: id, at: now },
  };
}

/** Two commits, each waited for until it is durable. */
async function pair(store, collections) {
  const now = Date.now();
  const email = `${randomUUID()}@example.com`;
  const device = deviceOf(email, now);
  await store.transact((tx) => tx.insert(collections.devices, device));
  const written = Object.entries(signUpOf(email, now));
  await store.transact(async (tx) => {
    await tx.delete(collections.devices, collections.devices.key(device));
    for (const [name, record] of written) await tx.insert(collections[name], record);
  });
}

await commitLoop(import.meta.url, async (store) => {
  const collections = await openCollections();
  return () => pair(store, collections);
});
