import { describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { purgeTombstones } from '../../../src/recipes/multitenancy/purge-tombstones.ts';
import type { Engine } from '../../../src/store/engine.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import type { Store } from '../../../src/store/store.ts';
import { EngineStore } from '../../../src/store/transactions.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { type AppPlace, callOf, fillApp } from './filled-app.ts';
import { type RawRecord, readRawStore } from './raw-store.ts';

const DOMAIN = 'example.com';
const FLAGS = ['--saml-publish-encryption-key', 'true', '--sign-in-failures-per-account', '5'];

const PLACES = {
  base: { appId: 'public', tenants: ['stays', 'goes'] },
  kept: { appId: 'kept', tenants: ['stays', 'goes'] },
  removed: { appId: 'removed', tenants: ['t1'] },
  domain: { appId: 'public', tenants: ['t1'], host: DOMAIN },
} as const satisfies Record<string, AppPlace>;

async function filledCore(engine: Engine): Promise<InProcessCore> {
  const core = await openInProcessCore('5.4', FLAGS, new EngineStore(engine));
  for (const appId of ['kept', 'removed']) await core.call('PUT', '/recipe/multitenancy/app/v2', { appId });
  await core.call('PUT', '/recipe/multitenancy/connectionuridomain/v2', { connectionUriDomain: DOMAIN });
  for (const place of Object.values(PLACES)) await fillApp(core, place);
  return core;
}

/** The numbers of an app and of one of its tenants. */
async function numbersOf(core: InProcessCore, { appId, host }: AppPlace, tenantId = 'public') {
  const tenant = await core.services.directory.find({ cud: host ?? '', appId, tenantId });
  if (!tenant) throw new Error(`${appId} has no tenant ${tenantId}`);
  return { app: tenant.app, tenant: tenant.tenant };
}

/** Removes one tenant of two apps, an app and a domain. */
async function removeSome(core: InProcessCore): Promise<{ readonly apps: readonly number[]; readonly tenants: readonly number[] }> {
  const apps = [await numbersOf(core, PLACES.removed), await numbersOf(core, PLACES.domain)];
  const tenants = [await numbersOf(core, PLACES.base, 'goes'), await numbersOf(core, PLACES.kept, 'goes')];
  for (const place of [PLACES.base, PLACES.kept]) {
    await callOf(core, place)('POST', '/recipe/multitenancy/tenant/remove', { tenantId: 'goes' });
  }
  await callOf(core, PLACES.removed)('DELETE', '/recipe/multitenancy/tenant?tenantId=t1');
  const call = callOf(core, PLACES.base);
  await call('POST', '/recipe/multitenancy/app/remove', { appId: 'removed' });
  await call('POST', '/recipe/multitenancy/connectionuridomain/remove', { connectionUriDomain: DOMAIN });
  return { apps: apps.map(({ app }) => app), tenants: tenants.map(({ tenant }) => tenant) };
}

/** What the core itself keeps changes with every removal: tenants, counters, tombstones. */
const ofApps = (records: readonly RawRecord[]): readonly RawRecord[] => records.filter(({ app }) => app !== undefined);
const entriesOf = (records: readonly RawRecord[]): string[] => records.flatMap(({ entries }) => entries).toSorted();

describe('what is removed', () => {
  test('leaves nothing behind, whatever interrupts the clean-up, and everything else as it was', async () => {
    const engine = new MemoryEngine({});
    const core = await filledCore(engine);
    const before = await readRawStore(engine);
    expect(before.strays).toEqual([]);
    await everythingIsFilled(core, before.records);

    const gone = await removeSome(core);
    const isGone = ({ app, tenants }: RawRecord): boolean =>
      gone.apps.includes(app ?? 0) || tenants.some((tenant) => gone.tenants.includes(tenant));
    core.clock.now += 61_000;
    await purgeWithFaults(core);

    const after = await readRawStore(engine);
    expect(after.strays).toEqual([]);
    expect(after.records.filter(isGone)).toEqual([]);
    expect(after.records.filter(({ collection }) => collection === 'tombstones')).toEqual([]);
    // Users who were in a removed tenant stay, without it; all others are the very same.
    const untouched = ofApps(before.records).filter((record) => !isGone(record));
    const shrunk = ['login_methods', 'users'];
    expect(entriesOf(ofApps(after.records).filter(({ collection }) => !shrunk.includes(collection)))).toEqual(
      entriesOf(untouched.filter(({ collection }) => !shrunk.includes(collection))),
    );
    const left = new Set(entriesOf(ofApps(after.records)));
    expect(entriesOf(untouched).filter((entry) => !left.has(entry))).toEqual([]);
    const users = (records: readonly RawRecord[]) =>
      records.filter(({ collection, app }) => shrunk.includes(collection) && !gone.apps.includes(app ?? 0));
    expect(users(after.records)).toHaveLength(users(before.records).length);
  });
});

/** Every collection that belongs to apps holds something of each app, and every one that belongs to tenants of each tenant. */
async function everythingIsFilled(core: InProcessCore, records: readonly RawRecord[]): Promise<void> {
  for (const place of Object.values<AppPlace>(PLACES)) {
    for (const tenantId of ['public', ...place.tenants]) {
      const { app, tenant } = await numbersOf(core, place, tenantId);
      for (const { name, scope } of COLLECTIONS) {
        const ours = records.filter((record) => record.collection === name && record.app === app);
        const found = scope === 'tenant' ? ours.filter(({ tenants }) => tenants.includes(tenant)) : ours;
        if (scope !== 'core') expect(found.length, `${name} of ${place.appId} ${tenantId}: fill it in filled-app.ts`).toBeGreaterThan(0);
      }
    }
  }
}

/** Runs the clean-up a few records at a time; every third batch fails at one of its commits and is taken up again. */
async function purgeWithFaults(core: InProcessCore): Promise<void> {
  const { store } = core.services;
  let faults = 0;
  for (let batch = 0; ; batch++) {
    let commits = 0;
    const failing: Store = {
      read: (body) => store.read(body),
      readShared: (body) => store.readShared(body),
      readPages: (body) => store.readPages(body),
      transact: (body) => {
        if (batch % 3 === 2 && commits++ === (batch >> 2) % 2) return Promise.reject(new Error('the disk is away'));
        return store.transact(body);
      },
      stats: () => store.stats(),
      time: () => store.time(),
      blockedBy: () => store.blockedBy(),
      readers: () => store.readers(),
      close: () => store.close(),
    };
    try {
      if (!(await purgeTombstones(failing, COLLECTIONS, core.clock.now, 4))) break;
    } catch (error) {
      expect(String(error)).toContain('the disk is away');
      faults++;
    }
  }
  expect(faults).toBeGreaterThan(5);
}
