import { describe, expect, test } from 'vitest';
import { allOf, pagesOf } from '../../src/store/pages.ts';
import type { Reader, Store } from '../../src/store/store.ts';
import { ENGINES_AND_COLD, openForTest } from './engines.ts';
import { people, person } from './people.ts';

const PEOPLE = 23;
const ORDERS = [undefined, 'byAge', 'byTag', 'email'] as const;
/** Some are too long to be kept in keys. */
const id = (n: number): string => `p${n}${n % 5 === 0 ? 'x'.repeat(400) : ''}`;

async function fill(store: Store): Promise<void> {
  await store.transact(async (tx) => {
    for (let n = 0; n < PEOPLE; n++) await tx.put(people, person(id(n), { age: n % 3, email: `${n}@x`, tags: ['all', `tag${n % 2}`] }));
    await tx.put(people, person('elsewhere', { app: 2, tags: ['all'] }));
  });
}

describe.each(ENGINES_AND_COLD)('pages (%s)', (_, plan) => {
  test.each([1, 7, PEOPLE, 1000])('of %i hold in every order and direction what a list holds, and no page is empty', async (limit) => {
    const store = await openForTest(plan());
    await fill(store);
    for (const index of ORDERS) {
      for (const reverse of [false, true]) {
        const range = { prefix: [1], reverse };
        const [listed, keys] = await store.read(async (reader) => [
          await reader.list(people, index, { ...range, limit: 1000 }),
          await reader.keys(people, index, { ...range, limit: 1000 }),
        ]);
        const pages: number[] = [];
        const counted = (length: number): void => void pages.push(length);
        // Each page in a snapshot of its own.
        const read = pagesOf((page) => store.read((reader) => reader.page(people, index, { ...range, ...page })), limit);
        const found = [];
        for await (const page of read) {
          counted(page.length);
          found.push(...page);
        }
        expect(found).toEqual(listed);
        expect(pages.length).toBe(Math.ceil(listed.length / limit));
        const noted = await allOf(
          pagesOf((page) => store.read((reader) => reader.pageOfKeys(people, index, { ...range, ...page })), limit),
        );
        expect(noted.map(({ key }) => key)).toEqual(keys);
      }
    }
  });

  test('of nothing are one empty page, and a bounded range ends where it should', async () => {
    const store = await openForTest(plan());
    await fill(store);
    const ages = async (reader: Reader, range: object) =>
      (await allOf(pagesOf((page) => reader.page(people, 'byAge', { prefix: [1], ...range, ...page }), 2))).map(({ age }) => age);
    const pages = await store.read((reader) => reader.page(people, 'byTag', { prefix: [1, 'nobody'], limit: 2 }));
    expect(pages).toEqual({ items: [], next: undefined });
    const found = await store.read(async (reader) => [
      await ages(reader, { from: [1, 1], until: [1, 2] }),
      await ages(reader, { from: [1, 1], until: [1, 2], reverse: true }),
    ]);
    expect(found.map((each) => [...new Set(each)])).toEqual([[1], [1]]);
    expect(found.map((each) => each.length)).toEqual([8, 8]);
  });

  test('go on in a transaction that deletes and writes what they bring', async () => {
    const store = await openForTest(plan());
    await fill(store);
    const seen = await store.transact(async (tx) => {
      const found: string[] = [];
      for await (const page of pagesOf((range) => tx.page(people, 'byTag', { prefix: [1, 'all'], ...range }), 4))
        for (const each of page) {
          found.push(each.id);
          if (each.age === 0) await tx.delete(people, [1, each.id]);
          else await tx.put(people, { ...each, tags: ['done'] });
        }
      return found;
    });
    expect(new Set(seen).size).toBe(PEOPLE);
    expect(seen.length).toBe(PEOPLE);
    const left = await store.read(async (reader) => [
      await reader.count(people, 'byTag', { prefix: [1, 'all'] }),
      await reader.count(people, 'byTag', { prefix: [1, 'done'] }),
    ]);
    expect(left).toEqual([0, 15]);
  });
});
