import { expect, onTestFinished, test } from 'vitest';
import type { JsonText } from '../../src/json/free-form.ts';
import { tenants } from '../../src/recipes/tenants/records.ts';
import { type SessionRecord, sessions } from '../../src/recipes/session-records/records.ts';
import type { Store } from '../../src/store/store.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { openStore } from '../store/built-store.mjs';
import { temporaryFolder } from '../store/engines.ts';
import { appNumber, tenantNumber } from '../numbers.ts';

/*
 * A user is removed whatever they own: more sessions than one transaction may delete, or sessions that are larger than it may hold. Others are
 * served meanwhile, and a kill in between leaves a user who is there or one who is not.
 */

const SESSIONS = 170_000;
const LARGE_SESSIONS = 300;
const LARGE_DATA = `{"a":"${'x'.repeat(1024 * 1024 - 8)}"}` as JsonText;
const A_BATCH = 2_000;
/** Somebody else's write waits no longer: not for the removal, which takes many seconds; a batch takes some 20 ms. */
const LONGEST_WAIT_MS = 3_000;

interface Answer {
  readonly status: number;
  readonly body: { readonly [name: string]: unknown };
}

async function call({ url }: RunningCore, method: string, path: string, body?: object): Promise<Answer> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(url + path, { method, headers: { 'cdi-version': '5.4', 'content-type': 'application/json' }, ...sent });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

/** A core that does not outlive the test. */
async function startedCore(dataDir: string): Promise<RunningCore> {
  const core = await startCore({ dataDir });
  onTestFinished(() => core.kill());
  return core;
}

/** A user with metadata and a session, whose tokens are real. */
interface Owner {
  readonly id: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

const tokenOf = (token: unknown): string => (token as { readonly token: string }).token;

async function signUp(core: RunningCore, email: string): Promise<Owner> {
  const { body } = await call(core, 'POST', '/recipe/signup', { email, password: 'secret 1' });
  const { id } = body['user'] as { readonly id: string };
  await call(core, 'PUT', '/recipe/user/metadata', { userId: id, metadataUpdate: { a: 1 } });
  const session = { userId: id, enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {} };
  const made = (await call(core, 'POST', '/recipe/session', session)).body;
  return { id, accessToken: tokenOf(made['accessToken']), refreshToken: tokenOf(made['refreshToken']) };
}

/** Gives a user so many more sessions. */
async function giveSessions(store: Store, userId: string, count: number, data: JsonText, atOnce: number): Promise<void> {
  const { app, tenant } = (await store.read((r) => r.get(tenants, ['', 'public', 'public']))) ?? {
    app: appNumber(0),
    tenant: tenantNumber(0),
  };
  const [own] = await store.read((r) => r.list(sessions, 'byUser', { prefix: [app, userId], limit: 1 }));
  const like = (n: number): SessionRecord => ({
    ...(own as SessionRecord),
    app,
    tenant,
    handle: `${userId}-${n}` as SessionRecord['handle'],
    data,
  });
  for (let from = 0; from < count; from += atOnce) {
    await store.transact(async (tx) => {
      for (let n = from; n < Math.min(count, from + atOnce); n += 1) await tx.insert(sessions, like(n));
    });
  }
}

async function sessionsLeft(store: Store, userId: string): Promise<number> {
  const { app } = (await store.read((r) => r.get(tenants, ['', 'public', 'public']))) ?? { app: appNumber(0) };
  return store.read((r) => r.count(sessions, 'byUser', { prefix: [app, userId] }));
}

/** Whether the user is whole, or gone with everything. */
async function expectWholeOrGone(core: RunningCore, store: Store, owner: Owner): Promise<'whole' | 'gone'> {
  const [user, metadata, verified] = await Promise.all([
    call(core, 'GET', `/user/id?userId=${owner.id}`),
    call(core, 'GET', `/recipe/user/metadata?userId=${owner.id}`),
    call(core, 'POST', '/recipe/session/verify', {
      accessToken: owner.accessToken,
      enableAntiCsrf: false,
      doAntiCsrfCheck: false,
      checkDatabase: true,
    }),
  ]);
  if (user.body['status'] === 'OK') {
    expect(metadata.body['metadata']).toEqual({ a: 1 });
    return 'whole';
  }
  const refreshed = await call(core, 'POST', '/recipe/session/refresh', {
    refreshToken: owner.refreshToken,
    enableAntiCsrf: false,
    useDynamicSigningKey: true,
  });
  expect([metadata.body['metadata'], verified.body['status'], refreshed.body['status']]).toEqual([{}, 'UNAUTHORISED', 'UNAUTHORISED']);
  expect(await sessionsLeft(store, owner.id)).toBe(0);
  return 'gone';
}

test(`a user with ${SESSIONS} sessions, and one with ${LARGE_SESSIONS} MiB of them, are removed`, { timeout: 240_000 }, async () => {
  const dataDir = temporaryFolder();
  const first = await startedCore(dataDir);
  const owner = await signUp(first, 'many@example.com');
  const large = await signUp(first, 'large@example.com');
  const store = await openStore({ engine: 'lmdb', path: dataDir });
  await giveSessions(store, owner.id, SESSIONS, '{}' as JsonText, A_BATCH);
  await giveSessions(store, large.id, LARGE_SESSIONS, LARGE_DATA, 20);
  const cutting = { isOver: false };
  const cut = call(first, 'POST', '/user/remove', { userId: owner.id })
    .catch(() => 'cut')
    .finally(() => {
      cutting.isOver = true;
    });
  while (!cutting.isOver && (await sessionsLeft(store, owner.id)) > SESSIONS - 20_000)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await first.kill();
  expect(await cut).toBe('cut');

  const core = await startedCore(dataDir);
  expect(await expectWholeOrGone(core, store, owner)).toBe('whole');
  expect(await sessionsLeft(store, owner.id)).toBeGreaterThan(0);
  const removal = { isDone: false };
  const start = performance.now();
  const removing = call(core, 'POST', '/user/remove', { userId: owner.id }).finally(() => {
    removal.isDone = true;
  });
  let longestMs = 0;
  for (let n = 0; !removal.isDone; n += 1) {
    const began = performance.now();
    expect((await call(core, 'PUT', '/recipe/user/metadata', { userId: 'other', metadataUpdate: { n } })).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - began);
  }
  expect(await removing).toEqual({ status: 200, body: { status: 'OK' } });
  console.log(`removed in ${Math.round(performance.now() - start)} ms; others waited ${Math.round(longestMs)} ms at most`);
  expect(await expectWholeOrGone(core, store, owner)).toBe('gone');
  expect(longestMs).toBeLessThan(LONGEST_WAIT_MS);
  expect((await call(core, 'POST', '/user/remove', { userId: large.id })).body).toEqual({ status: 'OK' });
  expect(await expectWholeOrGone(core, store, large)).toBe('gone');
  await store.close();
  await core.stop();
});
