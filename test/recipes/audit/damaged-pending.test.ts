import { beforeEach, expect, test } from 'vitest';
import { pendingEvents } from '../../../src/recipes/audit/records.ts';
import { sealAll } from '../../../src/recipes/audit/seal.ts';
import { COLLECTIONS, JOBS } from '../../../src/recipes/recipes.ts';
import { recordKey } from '../../../src/store/layout.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import type { KeyOf } from '../../../src/store/store.ts';
import { EngineStore } from '../../../src/store/transactions.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

let engine: MemoryEngine;
let core: InProcessCore;

beforeEach(async () => {
  engine = new MemoryEngine({});
  core = await openInProcessCore('5.4', [], new EngineStore(engine));
  await seal();
});

const seal = (): Promise<void> => sealAll(core.services.store, core.services.now);

async function change(role: string): Promise<void> {
  core.clock.now += 1;
  await core.call('PUT', '/recipe/role', { role, permissions: [] });
}

const pendingKeys = async (): Promise<readonly KeyOf<typeof pendingEvents>[]> =>
  core.services.store.read((reader) => reader.keys(pendingEvents, undefined, { prefix: [], limit: 10 }));

/** What a disk does to the newest of those that wait. */
async function damageNewest(): Promise<void> {
  const [key] = (await pendingKeys()).slice(-1);
  if (!key) throw new Error('nothing waits');
  await engine.commit({
    keys: [],
    ranges: [],
    writes: [{ key: recordKey(pendingEvents, key), value: Buffer.from('not what was written') }],
  });
}

async function rolesTold(): Promise<readonly unknown[]> {
  const { events } = (await core.call('GET', '/manage/v1/audit?order=ASC&limit=500&kind=role.written')).body as {
    readonly events: readonly { readonly details: { readonly role: string } }[];
  };
  return events.map(({ details }) => details.role);
}

const verify = async () => (await core.call('GET', '/manage/v1/audit/verify')).body;

test('a damaged event keeps no other from its place, and is told of', async () => {
  for (const role of ['a', 'b', 'c']) {
    await change(role);
    if (role !== 'c') await damageNewest();
  }
  const job = JOBS.find(({ name }) => name === 'seal-audit');
  const services = { ...core.services, collections: COLLECTIONS };
  await expect(job?.hasWork?.(services)).rejects.toThrow('2 damaged events of the audit trail were left unsealed');
  expect(await job?.hasWork?.(services), 'it says so once').toBe(true);
  expect(await job?.run(services, 100)).toBe(false);
  expect(await rolesTold()).toEqual(['c']);
  expect(await job?.hasWork?.(services)).toBe(false);
  await change('d');
  await seal();
  expect(await rolesTold()).toEqual(['c', 'd']);
  expect(await pendingKeys()).toHaveLength(2);
  const { to, status, finding, unsealed } = await verify();
  const last = Number(String(to).split(':')[0]);
  expect({ status, finding, unsealed }).toEqual({
    status: 'BROKEN_TRAIL_ERROR',
    finding: { fault: 'unreadable', first: last + 1, last: last + 2 },
    unsealed: { count: 0 },
  });
});

test('what is no event does not keep the others either', async () => {
  await change('a');
  const [key] = await pendingKeys();
  if (!key) throw new Error('nothing waits');
  const [at, id] = key;
  await core.services.store.transact((tx) => tx.put(pendingEvents, { at, id, text: 'no JSON' }));
  await change('b');
  await seal();
  expect(await rolesTold()).toEqual(['b']);
});
