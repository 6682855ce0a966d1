import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/store/check-store.ts';
import { type Collection, defineCollection } from '../../src/store/collection.ts';
import { MemoryEngine } from '../../src/store/memory.ts';
import type { Noted, Store } from '../../src/store/store.ts';
import { EngineStore } from '../../src/store/transactions.ts';
import { ENGINES, openForTest } from './engines.ts';

/** What an index notes of records, and lists that go on reading one snapshot. */

interface Loan {
  readonly id: string;
  readonly owner: string;
  readonly due: number;
  readonly text: string;
}

const loans = (note?: (loan: Loan) => number): Collection<Loan> =>
  defineCollection({
    id: 903,
    name: 'loans',
    scope: 'core',
    format: 1,
    fields: { id: 1, owner: 2, due: 3, text: 4 },
    key: ({ id }: Loan) => [id],
    indexes: { byOwner: { id: 1, keys: ({ owner }) => [[owner]], ...(note && { note }) } },
  });

const noting = loans(({ due }) => Math.floor(due / 10));
const older = loans();
const ann = { prefix: ['ann'], limit: 99 };
const put = (store: Store, collection: Collection<Loan>, loan: Loan): Promise<unknown> => store.transact((tx) => tx.put(collection, loan));
const notesOf = async (store: Store): Promise<readonly Noted[]> =>
  (await store.read((reader) => reader.pageOfKeys(noting, 'byOwner', ann))).items;
const loan = (id: string, due: number, text = ''): Loan => ({ id, owner: 'ann', due, text });

describe.each(ENGINES)('%s', (_, options) => {
  test('a note is read without the record, and follows it', async () => {
    const store = await openForTest(options());
    await put(store, noting, loan('a', 15));
    await put(store, noting, loan('b', 99_999_999_999));
    await put(store, noting, loan('c', 5));
    await put(store, noting, loan('c', 35, 'changed'));
    expect(await notesOf(store)).toEqual([
      { key: ['a'], note: 1 },
      { key: ['b'], note: 0xffff_ffff },
      { key: ['c'], note: 3 },
    ]);
    await store.transact((tx) => tx.delete(noting, ['b']));
    expect((await notesOf(store)).map(({ key }) => key)).toEqual([['a'], ['c']]);
    expect(await store.read((reader) => reader.list(noting, 'byOwner', ann))).toEqual([loan('a', 15), loan('c', 35, 'changed')]);
  });

  test('entries of before there were notes are read as they are, and older versions read those with one', async () => {
    const store = await openForTest(options());
    await put(store, older, loan('a', 15));
    await put(store, noting, loan('b', 25));
    expect(await notesOf(store)).toEqual([
      { key: ['a'], note: undefined },
      { key: ['b'], note: 2 },
    ]);
    expect(await store.read((reader) => reader.keys(older, 'byOwner', ann))).toEqual([['a'], ['b']]);
    await put(store, noting, loan('a', 45));
    expect((await notesOf(store))[0]).toEqual({ key: ['a'], note: 4 });
  });

  test('pages go on reading the snapshot in which they began, until their end or until they are given up', async () => {
    const store = await openForTest(options());
    for (const id of ['a', 'b', 'c']) await put(store, noting, loan(id, 1));
    const begin = () =>
      store.readPages(async (reader, hold) =>
        hold(
          (async function* () {
            for (const id of ['a', 'b', 'c', 'd']) yield await reader.get(noting, [id]);
          })(),
        ),
      );
    const pages = await begin();
    expect((await pages.next()).value).toEqual(loan('a', 1));
    await put(store, noting, loan('b', 2));
    await store.transact((tx) => tx.delete(noting, ['c']));
    await put(store, noting, loan('d', 1));
    expect([(await pages.next()).value, (await pages.next()).value]).toEqual([loan('b', 1), loan('c', 1)]);
    expect(await pages.next()).toEqual({ done: false, value: undefined });
    expect((await pages.next()).done).toBe(true);
    // Pages of which none was ever asked for let the store be closed too, which waits for what is held.
    await (await begin()).return();
    await expect(store.readPages(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await store.readPages(() => 'nothing held')).toBe('nothing held');
    await store.close();
  });
});

test('the check of a store tells of a wrong note', async () => {
  const engine = new MemoryEngine({});
  const store = new EngineStore(engine);
  await put(store, older, loan('a', 15));
  await put(store, noting, loan('b', 15));
  const findings: string[] = [];
  const report = { finding: (text: string) => findings.push(text), progress: () => undefined };
  const check = (collection: Collection<Loan>) => checkStore(engine, [collection], report, new AbortController().signal);
  await check(noting);
  expect(findings).toEqual([]);
  await check(loans(() => 7));
  expect(findings).toEqual([expect.stringContaining('of which it notes something else')]);
});
