import { describe, expect, test } from 'vitest';
import type { Seen, Store } from '../../src/store/store.ts';
import { ENGINES, openForTest } from './engines.ts';
import { type Person, people, person } from './people.ts';

const KEY = [1, 'a'] as const;

const put = (store: Store, age: number) => store.transact((tx) => tx.put(people, person('a', { age })));
const seenNow = async (store: Store): Promise<Seen<Person> | undefined> => store.read((reader) => reader.getSeen(people, KEY));

/** Recalls what was seen, writes another record, and answers the ages that each run of the body met. */
async function agesMet(store: Store, seen: Seen<Person> | undefined, isWriting = true): Promise<(number | undefined)[]> {
  const met: (number | undefined)[] = [];
  await store.transact(async (tx) => {
    met.push((await tx.recall(people, KEY, seen))?.age);
    if (isWriting) await tx.put(people, person('other', { age: met.length }));
  });
  return met;
}

describe.each(ENGINES)('recalling a record, %s', (_, plan) => {
  test('takes it as it was seen while that holds', async () => {
    const store = await openForTest(plan());
    await put(store, 1);
    expect(await agesMet(store, await seenNow(store))).toEqual([1]);
  });

  test('starts again with what is there where it has changed since', async () => {
    const store = await openForTest(plan());
    await put(store, 1);
    const seen = await seenNow(store);
    await put(store, 2);
    expect(await agesMet(store, seen)).toEqual([1, 2]);
    expect(await agesMet(store, seen, false), 'without a write too').toEqual([1, 2]);
  });

  test('recalls that nothing was there', async () => {
    const store = await openForTest(plan());
    expect(await agesMet(store, undefined)).toEqual([undefined]);
    await put(store, 3);
    expect(await agesMet(store, undefined)).toEqual([undefined, 3]);
  });

  test('an error of a body that recalled what no longer holds means nothing', async () => {
    const store = await openForTest(plan());
    await put(store, 1);
    const seen = await seenNow(store);
    await put(store, 2);
    const body = store.transact(async (tx) => {
      const age = (await tx.recall(people, KEY, seen))?.age;
      if (age === 1) throw new Error('too young');
      return age;
    });
    expect(await body).toBe(2);
  });

  test('sees the own writes of the transaction', async () => {
    const store = await openForTest(plan());
    await put(store, 1);
    const seen = await seenNow(store);
    const age = await store.transact(async (tx) => {
      await tx.put(people, person('a', { age: 9 }));
      return (await tx.recall(people, KEY, seen))?.age;
    });
    expect(age).toBe(9);
  });
});
