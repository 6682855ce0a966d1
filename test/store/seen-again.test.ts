import { describe, expect, test } from 'vitest';
import type { Seen, Store } from '../../src/store/store.ts';
import { WriteMarks } from '../../src/store/lmdb/write-marks.ts';
import { ENGINES, openForTest, temporaryFolder } from './engines.ts';
import { type Person, people, person } from './people.ts';

/** Numbers from 0 to below `limit`, the same in every run. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

const PEOPLE = 300;
const COMMITS = 120;
const READ_AFTER_EACH = 60;

/** Asks for a record as the hot path does, and expects what a plain read finds. */
async function compare(store: Store, seen: Map<string, Seen<Person>>, id: string): Promise<void> {
  const known = seen.get(id);
  const [plain, again] = await store.read(async (reader) => {
    const found = known ? reader.getAgain(people, known) : reader.getSeen(people, [1, id]);
    return [await reader.get(people, [1, id]), await found] as const;
  });
  expect(again?.record).toEqual(plain);
  if (again) seen.set(id, again);
  else seen.delete(id);
}

/**
 * An engine may take a value for unchanged without looking at its bytes. So records of very different sizes come and go until pages split, merge
 * and are used again, and whoever saw a record before must always see what is there now.
 * @param stores of the same records; each commit is made by one of them, and each is asked
 */
async function comeAndGo(stores: readonly Store[]): Promise<void> {
  const next = numbers(7);
  const readers = stores.map((store) => ({ store, seen: new Map<string, Seen<Person>>() }));
  for (let commit = 0; commit < COMMITS; commit++) {
    await stores[next(stores.length)]?.transact(async (tx) => {
      for (let write = next(12); write >= 0; write--) {
        const id = `p${next(PEOPLE)}`;
        const size = next(10) === 0 ? 6000 : next(300);
        if (next(4) === 0) await tx.delete(people, [1, id]);
        else await tx.put(people, person(id, { age: next(3), email: `${id}${'x'.repeat(size)}` }));
      }
    });
    for (const { store, seen } of readers)
      for (let read = 0; read < READ_AFTER_EACH; read++) await compare(store, seen, `p${next(PEOPLE)}`);
  }
  for (const { store, seen } of readers)
    for (let id = 0; id < PEOPLE; id++) for (let times = 0; times < 3; times++) await compare(store, seen, `p${id}`);
}

describe('records of one folder asked for again', () => {
  test.each(['threads of one process', 'threads of one process and one that is alone', 'processes'])('by several %s', async (who) => {
    const path = temporaryFolder();
    const marks = who === 'processes' ? undefined : WriteMarks.allocate();
    const stores = [marks, marks, who === 'threads of one process' ? marks : undefined];
    await comeAndGo(await Promise.all(stores.map((memory) => openForTest({ engine: 'lmdb', path, ...(memory && { marks: memory }) }))));
  });
});

describe.each(ENGINES)('records asked for again (%s)', (_name, options) => {
  test('are as they are now, whatever happened around them', { timeout: 60_000 }, async () => {
    await comeAndGo([await openForTest(options())]);
  });

  test('are still the same object when only others have changed', async () => {
    const store = await openForTest(options());
    await store.transact((tx) => tx.put(people, person('a')));
    const first = await store.read((reader) => reader.getSeen(people, [1, 'a']));
    if (!first) throw new Error('the record is missing');
    for (let age = 0; age < 3; age++) {
      await store.transact((tx) => tx.put(people, person('b', { age })));
      for (let times = 0; times < 3; times++) expect(await store.read((reader) => reader.getAgain(people, first))).toBe(first);
    }
  });

  test('are removed as they were seen, with their index entries, and not once they have changed', async () => {
    const store = await openForTest(options());
    const put = (age: number): Promise<unknown> => store.transact((tx) => tx.put(people, person('a', { age, email: 'a@x', tags: ['t'] })));
    const see = (): Promise<Seen<Person> | undefined> => Promise.resolve(store.read((reader) => reader.getSeen(people, [1, 'a'])));
    await put(1);
    const old = await see();
    await put(2);
    const current = await see();
    if (!old || !current) throw new Error('the record is missing');
    expect(await store.transact((tx) => tx.deleteSeen(people, old))).toBe(false);
    expect((await see())?.record.age).toBe(2);
    await store.transact(async (tx) => {
      await tx.put(people, person('a', { age: 3 }));
      expect(await tx.deleteSeen(people, current)).toBe(false);
      await tx.put(people, current.record);
      expect(await tx.deleteSeen(people, current)).toBe(true);
      expect(await tx.deleteSeen(people, current)).toBe(false);
    });
    expect(await see()).toBeUndefined();
    const left = await store.read(async (reader) => [
      await reader.find(people, 'email', [1, 'a@x']),
      await reader.count(people, 'byAge', { prefix: [1] }),
      await reader.count(people, 'byTag', { prefix: [1] }),
    ]);
    expect(left).toEqual([undefined, 0, 0]);
  });
});
