import { beforeEach, describe, expect, test } from 'vitest';
import { metadata, metadataSearch } from '../../../src/recipes/user-metadata/records.ts';
import type { AppNumber } from '../../../src/store/store.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { runJob } from '../run-job.ts';
import { ManagementCalls } from './calls.ts';

const BUILDING = "400 The index of metadataKey 'plan' is still being built, try again later";

let calls: ManagementCalls;

/** An app of its own: the options of the base app are those of the whole core. */
const APP = '/appid-searched';

beforeEach(async () => {
  calls = new ManagementCalls(await openInProcessCore('5.4'));
  await list();
});

async function appOf(): Promise<AppNumber> {
  const tenant = await calls.core.services.directory.find({ cud: '', appId: 'searched', tenantId: 'public' });
  if (!tenant) throw new Error('the app exists');
  return tenant.app;
}

/** Lists the keys of the app. */
async function list(...keys: readonly string[]): Promise<void> {
  const { status } = await calls.core.call('PUT', '/recipe/multitenancy/app/v2', {
    appId: 'searched',
    coreConfig: { metadata_search_keys: keys.join(',') },
  });
  if (status !== 200) throw new Error('the option was refused');
}

async function keep(userId: string, update: object): Promise<void> {
  await calls.ask('PUT', '/recipe/user/metadata', { userId, metadataUpdate: update }, { at: APP });
}

const build = async (limit = 1000): Promise<number> => {
  for (let batches = 1; ; batches += 1) if (!(await runJob('metadata-index', calls.core.services, 0, limit))) return batches;
};

const query = (key: string, value: string): string => `/users?metadataKey=${key}&metadataValue=${encodeURIComponent(value)}`;

async function found(key: string, value: string, limit = 100): Promise<readonly string[]> {
  const { items } = await calls.everyPage(query(key, value), 'users', limit, APP);
  return (items as readonly { readonly id: string }[]).map(({ id }) => id).toSorted();
}

async function signUps(count: number): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) ids.push(await calls.signUp(`m${at}@x`, 'secret-1', APP));
  return ids;
}

describe('searching metadata', () => {
  test('follows what an operator writes anew', async () => {
    const [a = ''] = await signUps(1);
    await list('plan');
    await build();
    await keep(a, { plan: 'gold' });
    await calls.manage('POST', '/user/metadata', { userId: a, metadata: { plan: 'iron' }, expected: { plan: 'gold' } }, APP);
    expect([await found('plan', 'gold'), await found('plan', 'iron')]).toEqual([[], [a]]);
  });

  test('finds texts, numbers and booleans by a listed key once the index is built', async () => {
    const [a = '', b = '', c = ''] = await signUps(3);
    await keep(a, { plan: 'gold', seats: 5, isBig: true });
    await keep(b, { plan: 'gold', seats: 5.5, isBig: false, other: 'gold' });
    await keep(c, { plan: { name: 'gold' }, seats: ['5'] });
    await list('plan', 'seats', 'isBig');
    expect(await calls.refusal('GET', query('plan', 'gold'), undefined, APP)).toBe(BUILDING);
    await build();
    for (const limit of [1, 2, 100]) expect(await found('plan', 'gold', limit)).toEqual([a, b].toSorted());
    expect(await found('seats', '5')).toEqual([a]);
    expect(await found('seats', '5.5')).toEqual([b]);
    expect(await found('isBig', 'false')).toEqual([b]);
    expect(await found('plan', 'gol')).toEqual([]);
    expect(await calls.refusal('GET', query('other', 'gold'), undefined, APP)).toMatch('is not listed');
  });

  test('follows every change at once', async () => {
    const [a = '', b = ''] = await signUps(2);
    await list('plan');
    await build();
    await keep(a, { plan: 'gold' });
    await keep(b, { plan: 'gold' });
    expect(await found('plan', 'gold')).toEqual([a, b].toSorted());
    await keep(a, { plan: 'silver' });
    expect(await found('plan', 'gold')).toEqual([b]);
    expect(await found('plan', 'silver')).toEqual([a]);
    await keep(a, { plan: null });
    expect(await found('plan', 'silver')).toEqual([]);
    await calls.ask('POST', '/recipe/user/metadata/remove', { userId: b }, { at: APP });
    expect(await found('plan', 'gold')).toEqual([]);
  });

  test('is kept by removals and imports of users', async () => {
    await list('plan');
    await build();
    const method = { recipeId: 'passwordless', tenantIds: ['public'], email: 'i@x', isVerified: true };
    await calls.core.call('POST', `${APP}/bulk-import/import`, {
      externalUserId: 'outside',
      userMetadata: { plan: 'gold' },
      loginMethods: [method],
    });
    expect(await found('plan', 'gold')).toEqual(['outside']);
    await calls.core.call('POST', `${APP}/user/remove`, { userId: 'outside' });
    expect(await found('plan', 'gold')).toEqual([]);
  });

  test('leaves out long values and ids that are nobody’s', async () => {
    const [a = ''] = await signUps(1);
    await list('plan');
    await build();
    await keep(a, { plan: 'x'.repeat(257) });
    await keep('nobody', { plan: 'gold' });
    expect(await found('plan', 'gold')).toEqual([]);
    expect(await calls.refusal('GET', query('plan', 'x'.repeat(257)), undefined, APP)).toBe(
      '400 metadataValue must not be longer than 256 characters',
    );
  });
});

describe('the job', () => {
  test('builds in small batches what writes before and between have left', async () => {
    const ids = await signUps(4);
    for (let at = 0; at < 80; at += 1) await keep(`stranger-${String(at).padStart(2, '0')}`, { plan: 'gold' });
    for (const id of ids) await keep(id, { plan: 'gold' });
    await list('plan');
    expect(await runJob('metadata-index', calls.core.services, 0, 25)).toBe(true);
    expect(await calls.refusal('GET', query('plan', 'gold'), undefined, APP)).toBe(BUILDING);
    const [first = '', ...others] = ids;
    await keep(first, { plan: 'silver' });
    expect(await build(25)).toBeGreaterThan(1);
    expect(await found('plan', 'gold')).toEqual(others.toSorted());
    expect(await found('plan', 'silver')).toEqual([first]);
  });

  test('adds a key while others can be searched, and takes keys away', async () => {
    const [a = ''] = await signUps(1);
    await list('plan');
    await build();
    await keep(a, { plan: 'gold', seats: 5 });
    await list('plan', 'seats');
    expect(await runJob('metadata-index', calls.core.services, 0, 1)).toBe(true);
    expect(await found('plan', 'gold')).toEqual([a]);
    await build();
    expect(await found('seats', '5')).toEqual([a]);
    await list();
    expect(await calls.refusal('GET', query('plan', 'gold'), undefined, APP)).toMatch('is not listed');
    await build();
    const app = await appOf();
    const kept = await calls.core.services.store.read((reader) =>
      reader.getMany([
        { collection: metadata, key: [app, a] },
        { collection: metadataSearch, key: [app] },
      ]),
    );
    expect(kept).toEqual([{ app, userId: a, metadata: '{"plan":"gold","seats":5}', searched: undefined }, undefined]);
  });

  test('has nothing to do where no key was ever listed', async () => {
    const [a = ''] = await signUps(1);
    await keep(a, { plan: 'gold' });
    expect(await build()).toBe(1);
    const app = await appOf();
    expect(await calls.core.services.store.read((reader) => reader.get(metadataSearch, [app]))).toBeUndefined();
  });
});

test('too many keys, or too long ones, are refused', async () => {
  const keys = Array.from({ length: 21 }, (_, at) => `k${at}`);
  await expect(list(...keys)).rejects.toThrow('the option was refused');
  await expect(list('k'.repeat(129))).rejects.toThrow('the option was refused');
});
