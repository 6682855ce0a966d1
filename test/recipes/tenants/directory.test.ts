import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../../src/config/config.ts';
import type { Tenant } from '../../../src/recipes/tenants/tenant.ts';
import { DirectoryCache } from '../../../src/recipes/tenants/directory-cache.ts';
import { BASE_ADDRESS, ensureBaseTenant } from '../../../src/recipes/tenants/ensure-base-tenant.ts';
import { TenantCache } from '../../../src/recipes/tenants/tenant-cache.ts';
import { openStore } from '../../../src/store/open-store.ts';
import type { Store } from '../../../src/store/store.ts';
import { newWorld } from '../multitenancy/tenancy-world.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

const base = loadConfig({ argv: [], env: {}, cwd: '/' }).config;
const T1 = { ...BASE_ADDRESS, tenantId: 't1' };

test('several processes may create the base tenant at once', async () => {
  const store = await openStore({ engine: 'memory' });
  await Promise.all([ensureBaseTenant(store), ensureBaseTenant(store), ensureBaseTenant(store)]);
  await ensureBaseTenant(store);
  const directory = new DirectoryCache({ store, base, generation: new SharedArrayBuffer(4) });
  expect(directory.find(BASE_ADDRESS)).toMatchObject({ app: 1, tenant: 2, config: base });
});

describe('find', () => {
  test('answers the same object while nothing changes, without reading the store', async () => {
    let rounds = 0;
    const store = await openStore({ engine: 'memory' }, { onRound: () => void rounds++ });
    await ensureBaseTenant(store);
    const directory = new DirectoryCache({ store, base, generation: new SharedArrayBuffer(4) });
    const first = directory.find(BASE_ADDRESS);
    const used = rounds;
    expect(directory.find({ ...BASE_ADDRESS })).toBe(first);
    expect(store.read((reader) => directory.tenantIdOf(reader, appNumber(1), tenantNumber(2)))).toBe('public');
    expect(rounds).toBe(used);
    directory.changed();
    expect(directory.find(BASE_ADDRESS)).not.toBe(first);
  });

  test('every thread of the process sees a change at its next request, other processes with their next poll', async () => {
    const world = await newWorld();
    const here = new SharedArrayBuffer(4);
    const [one, two] = [here, here].map((generation) => new DirectoryCache({ store: world.store, base, generation }));
    const elsewhere = world.directory;
    if (!one || !two) throw new Error('directories are missing');
    await elsewhere.poll();
    expect(one.find(T1)).toBeUndefined();
    const before = [two.find(BASE_ADDRESS), elsewhere.find(BASE_ADDRESS)];
    await world.call('PUT', '/tenant/v2', { tenantId: 't1', firstFactors: [] });
    one.changed();
    expect(one.find(T1)).toBeDefined();
    expect(two.find(BASE_ADDRESS)).not.toBe(before[0]);

    const other = new DirectoryCache({ store: world.store, base, generation: new SharedArrayBuffer(4) });
    await other.poll();
    const known = other.find(BASE_ADDRESS);
    await other.poll();
    expect(other.find(BASE_ADDRESS)).toBe(known);
    await world.call('PUT', '/tenant/v2', { tenantId: 't2' });
    expect(other.find(BASE_ADDRESS)).toBe(known);
    await other.poll();
    expect(other.find(BASE_ADDRESS)).not.toBe(known);
  });

  test('with another base configuration nothing comes from the old one, also of what was asked before', async () => {
    const world = await newWorld({}, true);
    const { directory } = world;
    const next = loadConfig({ argv: ['--access-token-validity', '77'], env: {}, cwd: '/' }).config;
    const [before, pending] = [await directory.find(BASE_ADDRESS), directory.find(T1)];
    directory.use(next);
    await pending;
    expect(before?.config.access_token_validity).toBe(3600);
    expect((await directory.find(BASE_ADDRESS))?.config).toBe(next);
    expect((await directory.find(BASE_ADDRESS))?.appConfig).toBe(next);
  });

  test('an answer that a change overtook is not kept', async () => {
    const world = await newWorld({}, true);
    const { directory } = world;
    const pending = directory.find(BASE_ADDRESS);
    directory.changed();
    const first = await pending;
    const second = await directory.find(BASE_ADDRESS);
    expect(second).not.toBe(first);
    expect(directory.find(BASE_ADDRESS)).toBe(second);
  });

  test('those who miss a cold cache together ask once', async () => {
    let rounds = 0;
    const store = await openStore({ engine: 'memory', slow: true }, { onRound: () => void rounds++ });
    await ensureBaseTenant(store);
    const directory = new DirectoryCache({ store, base, generation: new SharedArrayBuffer(4) });
    const readsOf = async (times: number, ask: () => unknown): Promise<number> => {
      directory.changed();
      rounds = 0;
      await Promise.all(Array.from({ length: times }, ask));
      return rounds;
    };
    const questions = [
      () => directory.find(BASE_ADDRESS),
      () => directory.byNumber(appNumber(1), tenantNumber(2)),
      () => directory.cudOf('foo.com'),
    ];
    for (const ask of questions) expect(await readsOf(100, ask)).toBe(await readsOf(1, ask));
  });

  test('works on an engine that answers with promises', async () => {
    const world = await newWorld({}, true);
    expect(await world.call('PUT', '/tenant/v2', { tenantId: 't1' })).toEqual({ status: 'OK', createdNew: true });
    const tenant = await world.directory.find(T1);
    expect(
      await world.store.read((reader) =>
        world.directory.tenantIdOf(reader, tenant?.app ?? appNumber(0), tenant?.tenant ?? tenantNumber(0)),
      ),
    ).toBe('t1');
    expect(await world.directory.cudOf('foo.com')).toBe('');
    expect(await world.call('POST', '/tenant/remove', { tenantId: 't1' })).toEqual({ status: 'OK', didExist: true });
    expect(await world.directory.find(T1)).toBeUndefined();
  });
});

test('a poll begins when the one before has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = await openStore({ engine: 'memory' });
  let underWay = 0;
  let most = 0;
  const read: Store['read'] = (body) => {
    most = Math.max(most, (underWay += 1));
    const answer: unknown = new Promise((done) => setTimeout(done, 3_500)).then(() => {
      underWay -= 1;
      return store.read(body);
    });
    return answer as ReturnType<typeof body>;
  };
  const faults: unknown[] = [];
  const directory = new DirectoryCache({ store: { ...store, read }, base, generation: new SharedArrayBuffer(4) });
  const stop = directory.startPolling((error) => faults.push(error));
  await vi.advanceTimersByTimeAsync(20_000);
  stop();
  expect(most).toBe(1);
  expect(faults).toEqual([]);
});

test('the number of a tenant of another app says nothing', async () => {
  const world = await newWorld();
  await world.call('PUT', '/app/v2', { appId: 'a' });
  const tenant = await world.directory.find({ ...BASE_ADDRESS, appId: 'a' });
  expect(
    await world.store.read((reader) => world.directory.tenantIdOf(reader, appNumber(1), tenant?.tenant ?? tenantNumber(0))),
  ).toBeUndefined();
});

test('a stored domain that is not the only one served is refused', async () => {
  const world = await newWorld();
  await world.call('PUT', '/connectionuridomain/v2', { connectionUriDomain: 'foo.com' });
  const config = loadConfig({ argv: [], env: { SUPERTOKENS_SAAS_LOAD_ONLY_CUD: 'bar.com' }, cwd: '/' }).config;
  const directory = new DirectoryCache({ store: world.store, base: config, generation: new SharedArrayBuffer(4) });
  expect(() => directory.cudOf('foo.com')).toThrow();
  expect(directory.cudOf('other.com')).toBe('');
});

describe('cache', () => {
  const tenant = (number: number): Tenant => ({
    ...BASE_ADDRESS,
    tenantId: `t${number}`,
    app: appNumber(1),
    tenant: tenantNumber(number),
    config: base,
    appConfig: base,
    apiKeys: [],
    keyChanges: 0,
    enabledRecipes: {
      'flags-4': { emailPassword: true, thirdParty: true, passwordless: true },
      'flags-5': { emailPassword: true, thirdParty: true, passwordless: true },
    },
  });

  test('is bounded and keeps what is used', () => {
    const cache = new TenantCache(10);
    const used = tenant(0);
    cache.add(used);
    for (let number = 1; number <= 1000; number++) {
      cache.add(tenant(number));
      expect(cache.find(used)).toBe(used);
    }
    const kept = Array.from({ length: 1001 }, (_, number) => cache.findByNumber(tenantNumber(number))).filter(
      (found) => found !== undefined,
    );
    expect(kept.length).toBeLessThanOrEqual(10);
    cache.clear();
    expect(cache.find(used)).toBeUndefined();
  });
});
