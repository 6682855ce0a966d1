import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { purgeTombstones } from '../../../src/recipes/multitenancy/purge-tombstones.ts';
import type { AppNumber, TenantNumber } from '../../../src/store/store.ts';
import { type Collection, defineCollection } from '../../../src/store/collection.ts';
import { newWorld, type World } from './tenancy-world.ts';
import { appNumber, tenantNumber } from '../../numbers.ts';

interface Row {
  readonly app: AppNumber;
  readonly tenant: TenantNumber;
  readonly id: number;
}
const fields = { app: 1, tenant: 2, id: 3 };
const perTenant = defineCollection({
  id: 900,
  name: 'per_tenant',
  scope: 'tenant',
  format: 1,
  fields,
  key: (r: Row) => [r.app, r.tenant, r.id],
});
const perApp = defineCollection({ id: 901, name: 'per_app', scope: 'app', format: 1, fields, key: (r: Row) => [r.app, r.id] });
const ROWS: readonly Collection<Row>[] = [perTenant, perApp];

let world: World;
const IN_A = { from: { appId: 'a' } };
const put = (path: string, command: object, caller = {}) => world.call('PUT', `${path}/v2`, command, caller);
const remove = (path: string, command: object, caller = {}) => world.call('POST', `${path}/remove`, command, caller);
const didExist = (is: boolean) => ({ status: 'OK', didExist: is });
const find = (appId: string, tenantId = 'public') => world.directory.find({ cud: '', appId, tenantId });

beforeEach(async () => {
  world = await newWorld();
  await put('/app', { appId: 'a' });
  await put('/tenant', { tenantId: 't1' }, IN_A);
});

describe('what may be removed', () => {
  test.each([
    ['/tenant', { tenantId: 'public' }, {}, 'forbidden: Cannot delete public tenant, use remove app API instead'],
    [
      '/tenant',
      { tenantId: 'PUBLIC' },
      { from: { appId: 'nobody' } },
      'forbidden: Cannot delete public tenant, use remove app API instead',
    ],
    ['/tenant', { tenantId: 'x' }, { from: { appId: 'nobody' } }, 'tenant-not-found: (, nobody, public)'],
    [
      '/tenant',
      { tenantId: 't1' },
      { from: { appId: 'a', tenantId: 't1' } },
      'forbidden: Only the public tenantId is allowed to delete a tenant',
    ],
    ['/tenant', { tenantId: 'a b' }, {}, 'bad-input: tenantId can only contain letters, numbers and hyphens'],
    ['/app', { appId: 'public' }, {}, 'forbidden: Cannot delete the public app, use remove connection uri domain API instead'],
    ['/app', { appId: 'a' }, IN_A, 'forbidden: Only the public tenantId and public appId is allowed to delete an app'],
    [
      '/app',
      { appId: 'a' },
      {},
      'forbidden: Please delete all tenants except the public tenant for this app before calling the delete API',
    ],
    ['/app', { appId: 'nobody' }, {}, didExist(false)],
    ['/connectionuridomain', { connectionUriDomain: '' }, {}, 'bad-input: connectionUriDomain should not be an empty String'],
    ['/connectionuridomain', { connectionUriDomain: 'foo.com' }, {}, didExist(false)],
  ])('%s %o from %o', async (path, command, caller, answer) => {
    expect(await remove(path, command, caller)).toEqual(answer);
  });

  test('a domain with other apps stays', async () => {
    await put('/connectionuridomain', { connectionUriDomain: 'foo.com' });
    const caller = { from: { cud: 'foo.com' } };
    await put('/app', { appId: 'zz' }, caller);
    const command = { connectionUriDomain: 'foo.com' };
    expect(await remove('/connectionuridomain', command, caller)).toMatch(/^forbidden: Only the public tenantId, public appId and default/);
    expect(await remove('/connectionuridomain', command)).toBe(
      'forbidden: Please delete all apps except the public appID for this connectionUriDomain before calling the delete API.',
    );
    await remove('/app', { appId: 'zz' }, caller);
    await put('/tenant', { tenantId: 't' }, caller);
    expect(await remove('/connectionuridomain', command)).toEqual(didExist(true));
    expect(world.directory.cudOf('foo.com')).toBe('');
    expect(await world.directory.find({ cud: 'foo.com', appId: 'public', tenantId: 't' })).toBeUndefined();
  });
});

test('a removed tenant is out of sight at once; created again it has other numbers', async () => {
  const before = await find('a', 't1');
  expect(await remove('/tenant', { tenantId: 'T1' }, IN_A)).toEqual(didExist(true));
  expect(await find('a', 't1')).toBeUndefined();
  expect(
    await world.store.read((reader) => world.directory.tenantIdOf(reader, before?.app ?? appNumber(0), before?.tenant ?? tenantNumber(0))),
  ).toBeUndefined();
  await put('/tenant', { tenantId: 't1' }, IN_A);
  const after = await find('a', 't1');
  expect(after?.app).toBe(before?.app);
  expect(after?.tenant).not.toBe(before?.tenant);
});

test('a removed app created again has other numbers too', async () => {
  const before = await find('a');
  await remove('/tenant', { tenantId: 't1' }, IN_A);
  expect(await remove('/app', { appId: 'a' })).toEqual(didExist(true));
  expect(await put('/app', { appId: 'a' })).toEqual({ status: 'OK', createdNew: true });
  expect((await find('a'))?.app).not.toBe(before?.app);
});

describe('clean-up', () => {
  const rowsOf = async (collection: Collection<Row>) =>
    (await world.store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 1000 }))).length;

  async function fill(app: AppNumber, tenant: TenantNumber): Promise<void> {
    await world.store.transact(async (tx) => {
      for (let id = 0; id < 25; id++) for (const rows of ROWS) await tx.put(rows, { app, tenant, id });
    });
  }

  test('deletes what belongs to removed tenants and apps, in batches, after a minute', async () => {
    const [base, t1] = [await find('public'), await find('a', 't1')];
    if (!base || !t1) throw new Error('tenants are missing');
    await fill(base.app, base.tenant);
    await fill(t1.app, t1.tenant);
    await remove('/tenant', { tenantId: 't1' }, IN_A);
    expect(await purgeTombstones(world.store, ROWS, world.now, 10)).toBe(false);
    world.now += 120_000;
    expect(await purgeTombstones(world.store, ROWS, world.now, 10)).toBe(true);
    expect(await rowsOf(perTenant)).toBe(40);
    while (await purgeTombstones(world.store, ROWS, world.now, 10));
    expect([await rowsOf(perTenant), await rowsOf(perApp)]).toEqual([25, 50]);
    await remove('/app', { appId: 'a' });
    world.now += 120_000;
    while (await purgeTombstones(world.store, ROWS, world.now, 10));
    expect([await rowsOf(perTenant), await rowsOf(perApp)]).toEqual([25, 25]);
  });

  test('every collection of the recipes is in its list', () => {
    const declared = readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => {
        const found = readFileSync(`src/${file}`, 'utf8').matchAll(/defineCollection\(\{\s*id: (\d+),\s*name: '(\w+)'/g);
        return [...found].map(([, id, name = '']) => ({ file, id: Number(id), name }));
      });
    const next = 1 + Math.max(...declared.map(({ id }) => id));
    const twice = declared.filter(({ id }, at) => declared.findIndex((one) => one.id === id) !== at);
    expect(twice, `numbers that are taken; the next free one is ${next}`).toEqual([]);
    const known = new Set<string>(COLLECTIONS.map(({ name }) => name));
    expect(
      declared.filter(({ file, name }) => file.startsWith('recipes/') && !known.has(name)),
      'name them in the recipe.ts of their recipe',
    ).toEqual([]);
  });
});
