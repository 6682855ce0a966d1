import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KeyStock } from '../../../src/lanes/key-stock.ts';
import { generateRsaKeyPair, type RsaKeyPair } from '../../../src/crypto/rsa-keys.ts';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { keyValues } from '../../../src/recipes/key-value/records.ts';
import { purgeTombstones } from '../../../src/recipes/multitenancy/purge-tombstones.ts';
import { signingKeys } from '../../../src/recipes/signing-keys/records.ts';
import { openSigningKeys } from '../../../src/recipes/signing-keys/signing-keys.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Reader, Store } from '../../../src/store/store.ts';
import { cdiClient } from '../../cdi-client.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { startCore } from '../../running-core.ts';
import type { TokenObject } from '../session/session-calls.ts';

/** When the keys of an app are made, and by whom. */
let pairs: readonly RsaKeyPair[];
beforeAll(async () => {
  pairs = await Promise.all(Array.from({ length: 6 }, generateRsaKeyPair));
});

/** Pairs that are counted, and made when the test lets them. */
class Makers {
  now = 0;
  quietly = 0;
  /** What happens while a pair is made. */
  pause: () => Promise<void> = async () => {};
  readonly stock: KeyStock;

  constructor(size = 0) {
    const make = async (): Promise<RsaKeyPair> => {
      const pair = pairs[(this.now + this.quietly) % pairs.length];
      await this.pause();
      if (!pair) throw new Error('no pair');
      return pair;
    };
    const counting = (how: 'now' | 'quietly') => (): Promise<RsaKeyPair> => {
      this[how] += 1;
      return make();
    };
    this.stock = new KeyStock({ makeNow: counting('now'), makeQuietly: counting('quietly'), width: 2, size });
  }

  never(): void {
    this.pause = () => new Promise(() => {});
  }
}

const SESSION = { userId: 'u', enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {} };
const settle = async (): Promise<void> => {
  for (let turns = 0; turns < 50; turns++) await new Promise((done) => setImmediate(done));
};
const putApp = async (core: InProcessCore, appId: string, coreConfig: object = {}): Promise<void> => {
  const { body } = await core.call('PUT', '/recipe/multitenancy/app/v2', { appId, coreConfig });
  expect(body).toMatchObject({ status: 'OK', createdNew: true });
};
const startSession = (core: InProcessCore, at: string): Promise<InProcessAnswer> => core.call('POST', `${at}/recipe/session`, SESSION);
const keysIn = (store: Store) => store.read((reader) => reader.list(signingKeys, undefined, { prefix: [], limit: 1000 }));
const openWith = async (makers: Makers, given?: Store, flags: readonly string[] = []): Promise<InProcessCore> =>
  openInProcessCore('5.4', flags, given ?? (await openStore({ engine: 'memory', slow: true })), makers.stock);

describe('the keys of a new app', () => {
  test('come from the stock: its first session makes nothing', async () => {
    const makers = new Makers(4);
    const core = await openWith(makers);
    makers.stock.open();
    await settle();
    expect(makers).toMatchObject({ now: 0, quietly: 4 });
    makers.never();
    await putApp(core, 'a1');
    expect((await startSession(core, '/appid-a1')).body).toMatchObject({ status: 'OK' });
    expect(makers.now).toBe(0);
  });

  test('are made behind the back of who makes it', async () => {
    const makers = new Makers();
    const core = await openWith(makers);
    makers.stock.open();
    makers.never();
    await putApp(core, 'a1');
    await settle();
    expect(makers).toMatchObject({ now: 0, quietly: 1 });
    expect(await keysIn(core.services.store)).toEqual([]);
  });

  test('are there when it has been left alone for a moment, the master key too', async () => {
    const makers = new Makers();
    const core = await openWith(makers);
    makers.stock.open();
    await putApp(core, 'a1');
    await settle();
    const kids = (await keysIn(core.services.store)).map(({ kid }) => kid.slice(0, 2));
    expect(kids.toSorted()).toEqual(['d-', 's-']);
    const kept = await core.services.store.read((reader) => reader.list(keyValues, undefined, { prefix: [], limit: 10 }));
    expect(kept.map(({ name }) => name)).toEqual(['refresh_token_key']);
    expect((await startSession(core, '/appid-a1')).body).toMatchObject({ status: 'OK' });
    expect(makers).toMatchObject({ now: 0, quietly: 2 });
  });

  test('are made once for many first sessions on several threads at once', async () => {
    const makers = new Makers();
    makers.pause = () => settle();
    const store = await openStore({ engine: 'memory', slow: true });
    const threads = await Promise.all([1, 2, 3].map(() => openWith(makers, store)));
    const [first] = threads;
    if (!first) throw new Error('no thread');
    await putApp(first, 'a1');
    for (const { services } of threads) services.directory.changed();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, at) => startSession(threads[at % 3] ?? first, '/appid-a1')));
    expect(answers.map(({ body }) => body['status'])).toEqual(Array.from({ length: 12 }, () => 'OK'));
    expect(makers).toMatchObject({ now: 2, quietly: 0 });
    expect(await keysIn(store)).toHaveLength(2);
  });

  test('leave nothing behind when it is removed before they are made', async () => {
    const makers = new Makers();
    let go = (): void => {};
    const gate = new Promise<void>((open) => (go = open));
    makers.pause = () => gate;
    const core = await openWith(makers);
    makers.stock.open();
    await putApp(core, 'a1');
    const { body } = await core.call('POST', '/recipe/multitenancy/app/remove', { appId: 'a1' });
    expect(body).toMatchObject({ status: 'OK', didExist: true });
    core.clock.now += 120_000;
    while (await purgeTombstones(core.services.store, COLLECTIONS, core.clock.now, 1000));
    go();
    await settle();
    expect(makers.quietly).toBe(2);
    expect(await keysIn(core.services.store)).toEqual([]);
    expect(await core.services.store.read((reader) => reader.list(keyValues, undefined, { prefix: [], limit: 10 }))).toEqual([]);
  });
});

describe('the life of a token counts from when its key is there', () => {
  const VALIDITY_MS = 3_600_000;
  const WAIT_MS = 7000;
  const WEEK_MS = 7 * 24 * VALIDITY_MS;
  const FLAGS = { enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: true };
  let core: InProcessCore;
  let access: string;
  let refreshToken: string;

  /** A session whose token lives on when the key that signed it must not sign any more, and the next one takes seven seconds to make. */
  beforeEach(async () => {
    const makers = new Makers();
    core = await openWith(makers, undefined, ['--access-token-validity', '3600', '--access-token-validity-jitter', '0']);
    // Whole seconds, so that nothing is rounded.
    core.clock.now = Math.ceil(core.clock.now / 1000) * 1000;
    await startSession(core, '');
    core.clock.now += WEEK_MS - VALIDITY_MS / 2;
    const { body } = await startSession(core, '');
    access = (body['accessToken'] as TokenObject).token;
    refreshToken = (body['refreshToken'] as TokenObject).token;
    const sessionHandle = (body['session'] as { readonly handle: string }).handle;
    // It is remembered, so that its key is not asked for again, and verifying it with the database hands out another.
    expect((await core.call('POST', '/recipe/session/verify', { ...FLAGS, accessToken: access })).body).toMatchObject({ status: 'OK' });
    await core.call('PUT', '/recipe/jwt/data', { sessionHandle, userDataInJWT: { a: 1 } });
    core.clock.now += VALIDITY_MS / 2 + 1000;
    makers.pause = async () => {
      core.clock.now += WAIT_MS;
    };
  });

  const MINTS: Readonly<Record<string, () => Promise<InProcessAnswer>>> = {
    create: () => startSession(core, ''),
    refresh: () => core.call('POST', '/recipe/session/refresh', { refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true }),
    verify: () => core.call('POST', '/recipe/session/verify', { ...FLAGS, accessToken: access }),
    regenerate: () => core.call('POST', '/recipe/session/regenerate', { accessToken: access }),
  };
  test.each(Object.entries(MINTS))('%s', async (name, mint) => {
    const before = core.clock.now;
    const { body } = await mint();
    expect(core.clock.now).toBe(before + WAIT_MS);
    const { createdTime, expiry } = body['accessToken'] as TokenObject;
    expect(createdTime).toBe(core.clock.now);
    if (name !== 'regenerate') expect(expiry).toBe(core.clock.now + VALIDITY_MS);
  });

  test('a JWT', async () => {
    const asked = { algorithm: 'RS256', jwksDomain: 'x', payload: {}, validity: 2, useStaticSigningKey: false };
    const { body } = await core.call('POST', '/recipe/jwt', asked);
    const { iat } = JSON.parse(Buffer.from(String(body['jwt']).split('.')[1] ?? '', 'base64url').toString()) as { readonly iat: number };
    expect(iat * 1000).toBe(core.clock.now);
  });
});

describe('a start', () => {
  test('makes the keys of the base app, and none for apps that nobody asks for', { timeout: 90_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'watchword-test-'));
    try {
      const before = await openStore({ engine: 'lmdb', path: dataDir });
      const maker = await openInProcessCore('5.4', [], before);
      for (let at = 0; at < 5; at++) await putApp(maker, `a${at}`);
      // What was begun in the background has found its stock shut.
      await settle();
      await before.close();
      const core = await startCore({ dataDir });
      const client = cdiClient(core.url);
      const published = async (): Promise<number> =>
        (await client.get<{ keys: readonly unknown[] }>('/.well-known/jwks.json')).body.keys.length;
      expect(await published()).toBe(2);
      expect((await cdiClient(core.url, { app: 'a3' }).post('/recipe/session', SESSION)).body).toMatchObject({ status: 'OK' });
      await core.stop();
      const after = await openStore({ engine: 'lmdb', path: dataDir });
      const apps = (await keysIn(after)).map(({ app }) => app);
      await after.close();
      expect(apps.length).toBe(4);
      expect(new Set(apps).size).toBe(2);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

test('those who ask for the keys of an app together read them once', async () => {
  const core = await openInProcessCore('5.4');
  await startSession(core, '');
  const { store, crypto } = core.services;
  let reads = 0;
  const counting: Store = Object.assign(Object.create(store), {
    read: <T>(body: (reader: Reader) => T): T => {
      reads += 1;
      return store.read(body);
    },
  });
  const keys = openSigningKeys({
    store: counting,
    crypto,
    trail: core.services.trail,
    now: Date.now,
    randomBytes,
    testMode: false,
    onFault: (error) => expect.fail(String(error)),
  });
  const tenant = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  if (!tenant) throw new Error('the base tenant is missing');
  const sets = await Promise.all(Array.from({ length: 50 }, () => keys.current(tenant)));
  expect(new Set(sets).size).toBe(1);
  const masterKeys = await Promise.all(Array.from({ length: 50 }, () => keys.masterKey(tenant)));
  expect(new Set(masterKeys).size).toBe(1);
  expect(reads).toBe(2);
});
