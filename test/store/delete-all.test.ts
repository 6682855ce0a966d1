import { expect, test } from 'vitest';
import { ensureBaseTenant } from '../../src/recipes/tenants/ensure-base-tenant.ts';
import { existingTenants } from '../../src/recipes/tenants/tenant-exists.ts';
import { metadata } from '../../src/recipes/user-metadata/records.ts';
import { readJsonText } from '../json-text.ts';
import { appNumber, tenantNumber } from '../numbers.ts';
import { deleteAll } from '../../src/store/delete-all.ts';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';

const APP = appNumber(1);
const keyOf = (at: number) => [APP, `u${at}`] as const;

/** A store over a network, whose rounds of reads are counted. */
async function counted(): Promise<{ readonly store: Store; readonly roundsOf: (work: () => unknown) => Promise<number> }> {
  let rounds = 0;
  const store = await openStore({ engine: 'memory', slow: true }, { onRound: () => void rounds++ });
  const roundsOf = async (work: () => unknown): Promise<number> => {
    const before = rounds;
    await work();
    return rounds - before;
  };
  return { store, roundsOf };
}

test('many records take as many rounds of reads as one', async () => {
  const { store, roundsOf } = await counted();
  await store.transact(async (tx) => {
    for (let at = 0; at < 60; at++) await tx.insert(metadata, { app: APP, userId: `u${at}`, metadata: readJsonText('{}') });
  });
  const keys = Array.from({ length: 50 }, (_, at) => keyOf(at));
  const deleted: unknown[] = [];
  const many = await roundsOf(async () => deleted.push(...(await store.transact((tx) => deleteAll(tx, metadata, keys)))));
  const one = await roundsOf(() => store.transact((tx) => deleteAll(tx, metadata, [keyOf(50)])));
  expect(deleted).toEqual(keys);
  expect(many).toBe(one);
  expect(await store.transact((tx) => deleteAll(tx, metadata, [keyOf(0), keyOf(51)]))).toEqual([keyOf(51)]);
});

test('whether tenants exist is asked of all of them together', async () => {
  const { store } = await counted();
  await ensureBaseTenant(store);
  let asked = 0;
  let most = 0;
  const found = await store.read(async (reader) => {
    const find: typeof reader.find = async (...read) => {
      most = Math.max(most, (asked += 1));
      const record = await reader.find(...read);
      asked -= 1;
      return record;
    };
    return existingTenants(Object.assign(Object.create(reader), { find }), APP, [2, 7, 2, 9].map(tenantNumber));
  });
  expect([...found]).toEqual([2]);
  expect(most).toBe(3);
});
