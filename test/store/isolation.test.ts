import { describe, expect, test } from 'vitest';
import type { MaybePromise } from '../../src/store/maybe-promise.ts';
import type { Store, Transaction } from '../../src/store/store.ts';
import { ENGINES, openForTest } from './engines.ts';
import { counters, people, person } from './people.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function increment(tx: Transaction, name: string): Promise<number> {
  const value = ((await tx.get(counters, [name]))?.value ?? 0) + 1;
  await tx.put(counters, { name, value });
  return value;
}

/** Runs two bodies so that both have read before either commits; `first` commits first. */
async function interleave(
  store: Store,
  first: (tx: Transaction) => MaybePromise<unknown>,
  second: (tx: Transaction) => MaybePromise<unknown>,
): Promise<number> {
  let runs = 0;
  let firstIsKept = (): void => {};
  const kept = new Promise<void>((resolve) => {
    firstIsKept = resolve;
  });
  let secondHasRead = (): void => {};
  const read = new Promise<void>((resolve) => {
    secondHasRead = resolve;
  });
  const late = store.transact(async (tx) => {
    await second(tx);
    secondHasRead();
    if (runs++ === 0) await kept;
  });
  await read;
  await store.transact(first);
  firstIsKept();
  await late;
  return runs;
}

describe.each(ENGINES)('%s', (engine, options) => {
  test('64 transactions at once on one key lose no update and none starves', async () => {
    const store = await openForTest(options());
    const results = await Promise.all(Array.from({ length: 64 }, () => store.transact((tx) => increment(tx, 'hot'))));
    expect(results.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_unused, at) => at + 1));
    expect((await store.read((r) => r.get(counters, ['hot'])))?.value).toBe(64);
    expect(store.stats().conflicts).toBeGreaterThan(0);
  });

  test('a transaction that lost its read runs again on the new state', async () => {
    const store = await openForTest(options());
    const runs = await interleave(
      store,
      (tx) => increment(tx, 'n'),
      (tx) => increment(tx, 'n'),
    );
    expect(runs).toBe(2);
    expect((await store.read((r) => r.get(counters, ['n'])))?.value).toBe(2);
  });

  test('transactions on different keys do not disturb each other', async () => {
    const store = await openForTest(options());
    const runs = await interleave(
      store,
      (tx) => increment(tx, 'left'),
      (tx) => increment(tx, 'right'),
    );
    expect(runs).toBe(1);
  });

  test('no write skew: two who each read both rows and write one cannot both act on the old state', async () => {
    const store = await openForTest(options());
    await store.transact(async (tx) => {
      await tx.put(counters, { name: 'a', value: 1 });
      await tx.put(counters, { name: 'b', value: 1 });
    });
    const leave = async (tx: Transaction, name: string): Promise<void> => {
      const [a, b] = await tx.getMany([
        { collection: counters, key: ['a'] },
        { collection: counters, key: ['b'] },
      ]);
      if ((a?.value ?? 0) + (b?.value ?? 0) > 1) await tx.put(counters, { name, value: 0 });
    };
    await interleave(
      store,
      (tx) => leave(tx, 'a'),
      (tx) => leave(tx, 'b'),
    );
    const rows = await store.read((r) => r.list(counters, undefined, { prefix: [], limit: 9 }));
    expect(rows.reduce((sum, row) => sum + row.value, 0)).toBe(1);
  });

  test('no phantoms: a record that enters, changes in or leaves a range that was read is a conflict', async () => {
    const store = await openForTest(options());
    await store.transact((tx) => tx.put(people, person('old', { age: 5 })));
    let run = 0;
    const count = async (tx: Transaction): Promise<void> => {
      const found = await tx.list(people, 'byAge', { prefix: [1], from: [1, 3], until: [1, 9], limit: 9 });
      await tx.put(counters, { name: 'count', value: found.length });
      await tx.put(counters, { name: 'run', value: ++run });
    };
    expect(await interleave(store, (tx) => tx.insert(people, person('new', { age: 4 })), count)).toBe(2);
    expect((await store.read((r) => r.get(counters, ['count'])))?.value).toBe(2);
    expect(await interleave(store, (tx) => tx.delete(people, [1, 'old']), count)).toBe(2);
    expect((await store.read((r) => r.get(counters, ['count'])))?.value).toBe(1);
    expect(await interleave(store, (tx) => tx.put(people, person('new', { age: 4, tags: ['changed'] })), count)).toBe(2);
    expect(await interleave(store, (tx) => tx.insert(people, person('elsewhere', { age: 99 })), count)).toBe(1);
  });

  test('of many who want one unique key exactly one gets it', async () => {
    const store = await openForTest(options());
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_unused, at) => store.transact((tx) => tx.insert(people, person(`p${at}`, { email: 'one@x' })))),
    );
    expect(answers.filter((answer) => answer === undefined)).toHaveLength(1);
    expect(await store.read((r) => r.keys(people, undefined, { prefix: [1], limit: 99 }))).toHaveLength(1);
  });

  test('the body of one that runs alone may fail without harm to the others', async () => {
    const store = await openForTest(options());
    const contending = Array.from({ length: 40 }, (_unused, at) =>
      store.transact(async (tx) => {
        await increment(tx, 'hot');
        if (at % 4 === 0) throw new Error(`number ${at}`);
      }),
    );
    const settled = await Promise.allSettled(contending);
    expect(settled.filter((one) => one.status === 'rejected')).toHaveLength(10);
    expect((await store.read((r) => r.get(counters, ['hot'])))?.value).toBe(30);
  });

  test('readers never see a half transaction, nor the writes of one that runs alone before it ends', async () => {
    const store = await openForTest(options());
    const sums = new Set<number>();
    const look = async (): Promise<void> => {
      for (let i = 0; i < 40; i++) {
        const rows = await store.read((r) => r.list(counters, undefined, { prefix: [], limit: 9 }));
        sums.add(rows.reduce((sum, row) => sum + row.value, 0));
        await (i % 2 === 0 ? turn() : undefined);
      }
    };
    const move = (): Promise<void> =>
      store.transact(async (tx) => {
        const value = (await tx.get(counters, ['left']))?.value ?? 0;
        await tx.put(counters, { name: 'left', value: value + 1 });
        await look();
        await tx.put(counters, { name: 'right', value: -value - 1 });
      });
    await Promise.all([...Array.from({ length: 8 }, move), look(), look()]);
    expect([...sums]).toEqual([0]);
    // With rests between its runs, each may win before it has to run alone.
    expect(store.stats().exclusive).toBeGreaterThanOrEqual(engine === 'postgres' ? 0 : 1);
  });
});
