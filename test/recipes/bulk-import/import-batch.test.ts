import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTargets, staleErrors } from '../../../src/recipes/bulk-import/import-targets.ts';
import { importUser } from '../../../src/recipes/bulk-import/import-user.ts';
import type { ImportedMethod, ImportedUser } from '../../../src/recipes/bulk-import/imported-user.ts';
import { preparePasswords } from '../../../src/recipes/bulk-import/prepare-passwords.ts';
import type { Tenant } from '../../../src/recipes/tenants/tenant.ts';
import type { JsonText } from '../../../src/json/free-form.ts';
import { roles } from '../../../src/recipes/user-roles/records.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import { EngineStore } from '../../../src/store/transactions.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { readRawStore } from '../multitenancy/raw-store.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { BCRYPT } from './validation-cases.ts';

let engine: MemoryEngine;
let core: InProcessCore;
let tenant: Tenant;
let count = 0;
const fresh = (name = 'user'): string => `${name}-${(count += 1)}`;
const mail = (): string => `${fresh()}@example.com`;
const signIn = async (email: string, password = 'testPass123') => (await core.call('POST', '/recipe/signin', { email, password })).body;

beforeAll(async () => {
  engine = new MemoryEngine({});
  core = await openInProcessCore('5.4', [], new EngineStore(engine));
  await core.call('POST', '/recipe/signup', { email: 'existing@example.com', password: 'a user that was there before' });
  const found = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  if (!found) throw new Error('the base tenant is there');
  tenant = found;
});

describe('many users in one transaction', () => {
  const imported = (method: Partial<ImportedMethod>, more: Partial<ImportedUser> = {}): ImportedUser => ({
    ...more,
    loginMethods: [
      {
        tenantIds: ['public'],
        isVerified: true,
        isPrimary: false,
        timeJoinedInMSSinceEpoch: 1,
        recipeId: 'emailpassword',
        email: mail(),
        passwordHash: BCRYPT,
        superTokensUserId: asInternal(randomUUID()),
        ...method,
      },
    ],
  });

  async function importAll(users: readonly ImportedUser[]): Promise<(string | undefined)[]> {
    return core.services.store.transact(async (tx) => {
      const targets = await readTargets(tx, tenant, users, 1);
      const results: (string | undefined)[] = [];
      for (const user of users) {
        const stale = staleErrors(targets, user);
        results.push(stale.length > 0 ? stale.join() : await importUser(tx, targets, user));
      }
      return results;
    });
  }

  test('each of them is taken or refused by itself', async () => {
    const [email, externalUserId] = [mail(), fresh('ext')];
    const id = randomUUID();
    const users = [
      imported({ email }),
      imported({ email }),
      imported({ superTokensUserId: asInternal(id), isPrimary: true }, { externalUserId }),
      imported({}, { externalUserId }),
      imported({}, { externalUserId: id }),
      imported({ tenantIds: ['gone'] }),
      imported({}, { userRoles: [{ role: 'gone', tenantIds: ['gone'] }] }),
      imported({ email: 'existing@example.com' }),
      imported({}),
    ];
    expect(await importAll(users)).toEqual([
      undefined,
      `E003: A user with email ${email} already exists in emailpassword loginMethod.`,
      undefined,
      `E031: A user with externalId ${externalUserId} already exists`,
      expect.stringMatching(/^E030: /),
      expect.stringMatching(/^Invalid tenantId: gone for emailpassword recipe\.,LoginMethod '.*' has no tenantId$/),
      'Role gone does not exist.,Invalid tenantId: gone for a user role.',
      'E003: A user with email existing@example.com already exists in emailpassword loginMethod.',
      undefined,
    ]);
    const last = users.at(-1)?.loginMethods[0];
    expect(await signIn(last?.email ?? '')).toMatchObject({ status: 'OK', recipeUserId: last?.superTokensUserId });
    expect(await signIn('existing@example.com', 'a user that was there before')).toMatchObject({ status: 'OK' });
    expect((await readRawStore(engine)).strays).toEqual([]);
  });

  test('an id that was told beforehand, and that somebody took for an external id meanwhile, is not given to a second user', async () => {
    const [main, other] = [randomUUID(), randomUUID()];
    const waiting = imported({ superTokensUserId: asInternal(main), isPrimary: true });
    const [second] = imported({ superTokensUserId: asInternal(other) }).loginMethods;
    if (!second) throw new Error('there is a login method');
    const linked = imported({ isPrimary: true });
    const users = [
      imported({}, { externalUserId: main }),
      waiting,
      imported({}, { externalUserId: other }),
      { loginMethods: [...linked.loginMethods, second] },
      imported({}),
    ];
    expect(await importAll(users)).toEqual([
      undefined,
      `E031: A user with externalId ${main} already exists`,
      undefined,
      `E031: A user with externalId ${other} already exists`,
      undefined,
    ]);
    expect((await readRawStore(engine)).strays).toEqual([]);
  });

  test('what is gone since it was checked has codes of its own', async () => {
    const before = await readRawStore(engine);
    const codes = await core.services.store.transact(async (tx) => {
      const targets = await readTargets(tx, tenant, [imported({})], 1);
      const role = { role: 'gone', tenantIds: ['public'] };
      const withRole = { ...targets, roles: new Map([['gone', 'id']]) };
      return [
        ...(await Promise.all(
          (['emailpassword', 'thirdparty', 'passwordless'] as const).map((recipeId) =>
            importUser(tx, targets, imported({ recipeId, tenantIds: ['gone'] })),
          ),
        )),
        await importUser(tx, targets, imported({}, { userRoles: [role] })),
        await importUser(tx, withRole, imported({}, { userRoles: [{ ...role, tenantIds: ['gone'] }] })),
      ].map((text) => text?.slice(0, 4));
    });
    expect(codes).toEqual(['E002', 'E004', 'E008', 'E034', 'E033']);
    expect(await readRawStore(engine)).toEqual(before);
  });

  test('passwords are hashed before, in the lane of imports', async () => {
    const lanes: (string | undefined)[] = [];
    const crypto = {
      hashPassword: async (password: string, _: unknown, options?: { readonly lane?: string }) => (
        lanes.push(options?.lane), `hash of ${password}`
      ),
    };
    const config = tenant.appConfig;
    const ready = imported({});
    expect(await preparePasswords(ready, crypto, config)).toBe(ready);
    const { passwordHash: _, ...plain } = imported({ plainTextPassword: 'pw' }).loginMethods[0] as ImportedMethod;
    const prepared = await preparePasswords({ loginMethods: [plain] }, crypto, config);
    expect(prepared.loginMethods[0]?.passwordHash).toBe('hash of pw');
    expect(prepared.loginMethods[0]).not.toHaveProperty('plainTextPassword');
    expect(lanes).toEqual(['import']);
  });
});

describe("users who get in each other's way", () => {
  /** A generator of numbers below a limit that repeats itself from run to run. */
  const randomFrom = (seed: number) => {
    let state = seed;
    return (limit: number): number => {
      state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
  };

  /** Login methods and ids of which there are so few that most users meet others, or themselves. */
  function randomUser(random: (limit: number) => number): ImportedUser {
    const methods = Array.from({ length: 1 + random(3) }, (_, at): ImportedMethod => {
      const recipeId = (['emailpassword', 'thirdparty', 'passwordless'] as const)[random(3)] ?? 'passwordless';
      const email = `${random(40)}@b.co`;
      const distinct = {
        emailpassword: { email, passwordHash: BCRYPT },
        thirdparty: { email, thirdPartyId: 'g', thirdPartyUserId: `${random(40)}` },
      };
      return {
        tenantIds: [['public'], ['t1'], ['public', 't1']][random(3)] ?? [],
        isVerified: random(2) === 0,
        isPrimary: false,
        timeJoinedInMSSinceEpoch: random(5),
        recipeId,
        superTokensUserId: asInternal(`${String(random(2 ** 31)).padStart(10, '0')}-${at}`),
        ...(recipeId === 'passwordless'
          ? [{ email }, { phoneNumber: `+1${random(40)}` }, { email, phoneNumber: `+1${random(40)}` }][random(3)]
          : distinct[recipeId]),
      };
    });
    const primary = random(2) === 0 ? random(methods.length) : -1;
    return {
      ...(random(2) === 0 && { externalUserId: `ext-${random(60)}` }),
      ...(random(2) === 0 && { userMetadata: `{"${random(3)}":${random(9)}}` as JsonText }),
      ...(random(2) === 0 && { userRoles: [{ role: 'admin', tenantIds: ['public'] }] }),
      ...(random(3) === 0 && { totpDevices: [{ secretKey: 'a', period: 30, skew: 1, deviceName: undefined }] }),
      loginMethods: methods.map((method, at) => ({ ...method, isPrimary: at === primary })),
    };
  }

  async function openWorld() {
    const engine = new MemoryEngine({});
    const store = new EngineStore(engine);
    // Ids of events are random.
    const core = await openInProcessCore('5.4', ['--audit-trail', 'false'], store);
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const place = { cud: '', appId: 'public', tenantId: 'public' };
    const found = await core.services.directory.find(place);
    if (!found) throw new Error('the base tenant is there');
    // Not through the endpoint, which gives roles random ids.
    await store.transact((tx) => tx.put(roles, { app: found.app, name: 'admin', id: 'admin', permissions: [] }));
    const run = (users: readonly ImportedUser[]) =>
      store.transact(async (tx) => {
        const targets = await readTargets(tx, found, users, 1);
        const results: (string | undefined)[] = [];
        for (const user of users) results.push(await importUser(tx, targets, user));
        return results;
      });
    return { engine, store, run };
  }

  test.each([1, 2, 3])('fare the same one by one and in batches; who is refused writes nothing (seed %i)', async (seed) => {
    const random = randomFrom(seed);
    const users = Array.from({ length: 150 }, () => randomUser(random));
    const [alone, together] = [await openWorld(), await openWorld()];
    const results: (string | undefined)[] = [];
    for (const user of users) {
      const { commits } = alone.store.stats();
      const [result] = await alone.run([user]);
      results.push(result);
      expect(alone.store.stats().commits - commits).toBe(result === undefined ? 1 : 0);
    }
    const inBatches: (string | undefined)[] = [];
    for (let at = 0; at < users.length; at += 50) inBatches.push(...(await together.run(users.slice(at, at + 50))));
    expect(inBatches).toEqual(results);
    const codes = new Set(results.map((result) => result?.slice(0, 4)));
    expect([...codes]).toEqual(expect.arrayContaining(['E003', 'E005', 'E027', 'E031', undefined]));
    const raw = await readRawStore(together.engine);
    expect(raw).toEqual(await readRawStore(alone.engine));
    expect(raw.strays).toEqual([]);
  });
});
