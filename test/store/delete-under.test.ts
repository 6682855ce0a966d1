import { describe, expect, test } from 'vitest';
import { deleteUnder } from '../../src/store/delete-under.ts';
import type { Store } from '../../src/store/store.ts';
import { conflictsBeforeAlone, ENGINES, openForTest } from './engines.ts';
import { counters, people, person } from './people.ts';

/** Records that are more than one transaction deletes. */
const MANY = 3_000;
const SPARED = 'a';

test('what stands under a prefix is looked for once, however much it is, and nothing else goes', { timeout: 30_000 }, async () => {
  let rounds = 0;
  const store = await openForTest({ engine: 'memory' }, { onRound: () => (rounds += 1) });
  const ages = [7, 8];
  for (const age of ages) {
    await store.transact(async (tx) => {
      for (let n = 0; n < 2_000; n += 1) await tx.insert(people, person(`${age}-${n}`, { age }));
    });
  }
  rounds = 0;
  expect(await store.transact((tx) => deleteUnder(tx, people, 'byAge', [1, 7]))).toBe(2_000);
  // The keys once, and then the records, more of them each time.
  expect(rounds).toBe(9);
  const left = await store.read((r) => r.keys(people, 'byAge', { prefix: [1], limit: 9_999 }));
  expect(left).toHaveLength(2_000);
});

describe.each(ENGINES)('what is too much for one transaction (%s)', (engine, options) => {
  /** Of one age; `spared` is the first of them by its key. */
  async function filled(): Promise<Store> {
    const store = await openForTest(options());
    for (let from = 0; from < MANY; from += 1_000) {
      await store.transact(async (tx) => {
        for (let n = from; n < from + 1_000; n += 1) await tx.insert(people, person(n === 0 ? SPARED : `p${n}`, { age: 7 }));
      });
    }
    await store.transact((tx) => tx.insert(people, person('other', { age: 8 })));
    return store;
  }

  const left = (store: Store) => store.read((r) => r.keys(people, 'byAge', { prefix: [1], limit: MANY }));

  test('goes before it, in smaller ones, and then the body runs again', { timeout: 60_000 }, async () => {
    const store = await filled();
    const before = store.stats();
    const found: number[] = [];
    await store.transact(async (tx) => {
      await tx.put(counters, { name: 'run', value: found.length });
      found.push(await deleteUnder(tx, people, 'byAge', [1, 7]));
    });
    expect(found).toEqual([2_001, 0]);
    expect(await store.read((r) => r.get(counters, ['run']))).toMatchObject({ value: 1 });
    expect(await left(store)).toEqual([[1, 'other']]);
    expect(store.stats().commits - before.commits).toBe(MANY / 500 + 1);
  });

  test('leaves the record by which the body decides to the body', { timeout: 60_000 }, async () => {
    const store = await filled();
    const found: unknown[] = [];
    await store.transact(async (tx) => {
      found.push(await tx.get(people, [1, SPARED]));
      await deleteUnder(tx, people, 'byAge', [1, 7], [1, SPARED]);
    });
    expect(found).toEqual([expect.anything(), expect.anything()]);
    expect(await left(store)).toEqual([[1, 'other']]);
  });

  test('goes also where the body runs alone, and others come in between', { timeout: 60_000 }, async () => {
    const store = await filled();
    const lost = conflictsBeforeAlone(engine);
    let runs = 0;
    await store.transact(async (tx) => {
      runs += 1;
      await tx.get(counters, ['rival']);
      // Each optimistic run loses; the next one is alone, and finds too much.
      if (runs <= lost) await store.transact((rival) => rival.put(counters, { name: 'rival', value: runs }));
      else await deleteUnder(tx, people, 'byAge', [1, 7]);
      await tx.put(counters, { name: 'run', value: runs });
    });
    expect({ runs, alone: store.stats().exclusive }).toEqual({ runs: lost + 2, alone: 2 });
    expect(await left(store)).toEqual([[1, 'other']]);
  });

  test('stays gone where the body then refuses, which keeps nothing else', { timeout: 60_000 }, async () => {
    const store = await filled();
    let runs = 0;
    const refused = store.transact(async (tx) => {
      runs += 1;
      await tx.put(counters, { name: 'run', value: runs });
      await deleteUnder(tx, people, 'byAge', [1, 7]);
      if (runs > 1) throw new Error('not so');
    });
    await expect(refused).rejects.toThrow('not so');
    expect(await store.read((r) => r.get(counters, ['run']))).toBeUndefined();
    expect(await left(store)).toEqual([[1, 'other']]);
  });
});
