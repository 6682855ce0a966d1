import { describe, expect, test } from 'vitest';
import type { MaybePromise } from '../../src/store/maybe-promise.ts';
import type { Bounds, Key, Reader, Store } from '../../src/store/store.ts';
import { ENGINES_AND_COLD, openForTest } from './engines.ts';
import { counters, type Person, people, person } from './people.ts';

async function fill(store: Store, records: readonly Person[]): Promise<void> {
  await store.transact(async (tx) => {
    for (const record of records) expect(await tx.put(people, record)).toBeUndefined();
  });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('nothing is there');
  return value;
}

const countPeople =
  (index: string | undefined, bounds: Bounds) =>
  (reader: Reader): MaybePromise<number> =>
    reader.count(people, index, bounds);

const ids = (records: readonly Person[]): string[] => records.map((record) => record.id);

describe.each(ENGINES_AND_COLD)('%s', (_, options) => {
  const open = (): Promise<Store> => openForTest(options());

  test('keeps what is written and knows nothing else', async () => {
    const store = await open();
    await fill(store, [person('a', { email: 'a@x', age: 3 })]);
    expect(await store.read((r) => r.get(people, [1, 'a']))).toEqual(person('a', { email: 'a@x', age: 3 }));
    expect(await store.read((r) => r.get(people, [2, 'a']))).toBeUndefined();
    expect(
      await store.read((r) =>
        r.getMany([
          { collection: people, key: [1, 'a'] },
          { collection: counters, key: ['none'] },
        ]),
      ),
    ).toEqual([person('a', { email: 'a@x', age: 3 }), undefined]);
  });

  test('answers the same stamped record until it changes', async () => {
    const store = await open();
    await fill(store, [person('a', { age: 1 })]);
    const first = await store.read((r) => r.getSeen(people, [1, 'a']));
    expect(first?.record.age).toBe(1);
    expect(await store.read((r) => r.getAgain(people, present(first)))).toBe(first);
    await fill(store, [person('a', { age: 2 })]);
    const second = await store.read((r) => r.getAgain(people, present(first)));
    expect(second?.record.age).toBe(2);
    await store.transact((tx) => tx.delete(people, [1, 'a']));
    expect(await store.read((r) => r.getAgain(people, present(second)))).toBeUndefined();
  });

  describe('transactions', () => {
    test('that throw keep nothing', async () => {
      const store = await open();
      const failing = store.transact(async (tx) => {
        await tx.put(people, person('a', { email: 'a@x' }));
        throw new Error('changed my mind');
      });
      await expect(failing).rejects.toThrow('changed my mind');
      expect(await store.read((r) => r.list(people, undefined, { prefix: [], limit: 9 }))).toEqual([]);
      expect(await store.read((r) => r.find(people, 'email', [1, 'a@x']))).toBeUndefined();
    });

    test('see their own writes everywhere', async () => {
      const store = await open();
      await fill(store, [
        person('a', { email: 'a@x', age: 1, tags: ['t'] }),
        person('b', { age: 2, tags: ['t'] }),
        person('c', { age: 3 }),
      ]);
      await store.transact(async (tx) => {
        await tx.put(people, person('d', { email: 'd@x', age: 0, tags: ['t'] }));
        await tx.put(people, person('a', { email: 'new@x', age: 9 }));
        expect(await tx.delete(people, [1, 'b'])).toBe(true);
        expect(await tx.delete(people, [1, 'b'])).toBe(false);
        expect(await tx.get(people, [1, 'b'])).toBeUndefined();
        expect((await tx.get(people, [1, 'a']))?.age).toBe(9);
        expect((await tx.getMany([{ collection: people, key: [1, 'd'] }]))[0]?.email).toBe('d@x');
        expect((await tx.find(people, 'email', [1, 'd@x']))?.id).toBe('d');
        expect(await tx.find(people, 'email', [1, 'a@x'])).toBeUndefined();
        expect(ids(await tx.list(people, 'byAge', { prefix: [1], limit: 9 }))).toEqual(['d', 'c', 'a']);
        expect(ids(await tx.list(people, 'byAge', { prefix: [1], limit: 2, reverse: true }))).toEqual(['a', 'c']);
        expect(await tx.keys(people, 'byTag', { prefix: [1, 't'], limit: 9 })).toEqual([[1, 'd']]);
        expect(await tx.keys(people, undefined, { prefix: [1], limit: 2 })).toEqual([
          [1, 'a'],
          [1, 'c'],
        ]);
      });
      expect(ids(await store.read((r) => r.list(people, 'byAge', { prefix: [1], limit: 9 })))).toEqual(['d', 'c', 'a']);
    });

    test('answer the result of the body, and cost no commit when they write nothing new', async () => {
      const store = await open();
      await fill(store, [person('a')]);
      const before = store.stats().commits;
      expect(await store.transact(() => 'plain')).toBe('plain');
      expect(await store.transact(async (tx) => (await tx.put(people, person('a'))) ?? 'same')).toBe('same');
      expect(store.stats().commits).toBe(before);
    });

    test('under way are finished by closing, later ones are refused', async () => {
      const store = await open();
      const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
      const slow = store.transact(async (tx) => {
        await pause();
        return tx.put(people, person('a'));
      });
      const reading = store.read(async (r) => {
        await pause();
        return r.get(people, [1, 'none']);
      });
      await store.close();
      expect(await Promise.all([slow, reading])).toEqual([undefined, undefined]);
      await expect(store.transact((tx) => tx.put(people, person('a')))).rejects.toThrow('the store is closed');
      expect(() => store.read(() => 1)).toThrow('the store is closed');
    });
  });

  test('tells whole keys of an index, with the writes of a transaction', async () => {
    const store = await open();
    await fill(store, [person('a', { age: 2 }), person('b', { age: 1 }), person('c', { age: 2, email: 'c@x' })]);
    const byAge = (r: Reader, limit: number, reverse: boolean): MaybePromise<Key[]> =>
      r.entries(people, 'byAge', { prefix: [1], limit, reverse });
    const [a, b, c] = [
      [1, 2, 1, 'a'],
      [1, 1, 1, 'b'],
      [1, 2, 1, 'c'],
    ];
    expect(await store.read((r) => byAge(r, 9, false))).toEqual([b, a, c]);
    expect(await store.read((r) => byAge(r, 2, true))).toEqual([c, a]);
    await store.transact(async (tx) => {
      await tx.delete(people, [1, 'a']);
      expect(await byAge(tx, 9, false)).toEqual([b, c]);
    });
    const unique = async (r: Reader): Promise<unknown> => r.entries(people, 'email', { prefix: [], limit: 9 });
    await expect(store.read(unique)).rejects.toThrow('is unique');
    await fill(store, [person('d', { tags: ['t'.repeat(300)] })]);
    await expect(store.read(async (r) => r.entries(people, 'byTag', { prefix: [], limit: 9 }))).rejects.toThrow('too long');
  });

  describe('counts', () => {
    const tagged = (count: number): Person[] =>
      Array.from({ length: count }, (_unused, at) => person(`p${at}`, { age: at % 7, tags: ['t'] }));

    test('an index, a collection, or a piece of them', async () => {
      const store = await open();
      await fill(store, [...tagged(20), person('z', { app: 2, tags: ['t', 'u'] })]);
      const count = (...asked: Parameters<typeof countPeople>): Promise<number> => store.read(async (r) => countPeople(...asked)(r));
      expect(await count(undefined, { prefix: [] })).toBe(21);
      expect(await count(undefined, { prefix: [1] })).toBe(20);
      expect(await count('byTag', { prefix: [1, 't'] })).toBe(20);
      expect(await count('byTag', { prefix: [2] })).toBe(2);
      expect(await count('byTag', { prefix: [3] })).toBe(0);
      expect(await count('byAge', { prefix: [1], from: [1, 2], until: [1, 4] })).toBe(6);
      expect(await count('byAge', { prefix: [1], from: [1, 4], until: [1, 2] })).toBe(0);
      await expect(count('none', { prefix: [] })).rejects.toThrow('has no index none');
    });

    test.each([999, 1000, 1001, 8000, 8001, 9000])('%i entries, in pieces of one snapshot', async (many) => {
      const store = await open();
      await fill(store, tagged(many));
      const counted = await store.read(async (r) => {
        // Over the network a snapshot begins with its first read.
        await r.count(people, 'byAge', { prefix: [2] });
        const before = r.count(people, 'byAge', { prefix: [1] });
        await store.transact((tx) => tx.put(people, person('late', { age: 6 })));
        return before;
      });
      expect(counted).toBe(many);
      expect(await store.read((r) => r.count(people, 'byAge', { prefix: [1] }))).toBe(many + 1);
    });

    test('show a transaction its own writes, and are checked by its commit', async () => {
      const store = await open();
      await fill(store, tagged(5));
      let runs = 0;
      await store.transact(async (tx) => {
        runs++;
        await tx.delete(people, [1, 'p0']);
        await tx.put(people, person('own', { tags: ['t'] }));
        await tx.put(people, person('p1', { tags: ['t', 'u'] }));
        const count = await tx.count(people, 'byTag', { prefix: [1, 't'] });
        if (runs === 1) await store.transact((other) => other.put(people, person('rival', { tags: ['t'] })));
        await tx.put(people, person('result', { age: count }));
      });
      expect(runs).toBe(2);
      expect((await store.read((r) => r.get(people, [1, 'result'])))?.age).toBe(6);
    });
  });

  describe('indexes', () => {
    test('a unique key has one owner, whoever asks first', async () => {
      const store = await open();
      await fill(store, [person('a', { email: 'x@x' })]);
      expect(await store.transact((tx) => tx.put(people, person('b', { email: 'x@x' })))).toBe('email');
      expect(await store.transact((tx) => tx.insert(people, person('b', { email: 'x@x' })))).toBe('email');
      expect(await store.transact((tx) => tx.put(people, person('a', { email: 'x@x', age: 5 })))).toBeUndefined();
      expect(await store.transact((tx) => tx.put(people, person('b', { app: 2, email: 'x@x' })))).toBeUndefined();
      expect(await store.read((r) => r.get(people, [1, 'b']))).toBeUndefined();
    });

    test('a unique key is free again after the record moved, was changed or removed, within one transaction too', async () => {
      const store = await open();
      await fill(store, [person('a', { email: 'x@x' }), person('b', { email: 'y@x' })]);
      await store.transact(async (tx) => {
        expect(await tx.put(people, person('b', { email: 'x@x' }))).toBe('email');
        await tx.put(people, person('a', { email: 'z@x' }));
        expect(await tx.put(people, person('b', { email: 'x@x' }))).toBeUndefined();
        expect(await tx.insert(people, person('c', { email: 'y@x' }))).toBeUndefined();
        expect(await tx.insert(people, person('d', { email: 'y@x' }))).toBe('email');
      });
      await store.transact((tx) => tx.delete(people, [1, 'a']));
      const owner = (email: string): Promise<string | undefined> =>
        store.read(async (r) => (await r.find(people, 'email', [1, email]))?.id);
      expect(await Promise.all(['x@x', 'y@x', 'z@x'].map(owner))).toEqual(['b', 'c', undefined]);
      expect(await store.transact((tx) => tx.insert(people, person('e', { email: 'z@x' })))).toBeUndefined();
    });

    test('a record stands under all its keys, once under each, and leaves those it loses', async () => {
      const store = await open();
      await fill(store, [person('a', { tags: ['x', 'y', 'x'] }), person('b', { tags: ['y'] })]);
      const tagged = (tag: string): Promise<string[]> =>
        store.read(async (r) => ids(await r.list(people, 'byTag', { prefix: [1, tag], limit: 9 })));
      expect(await Promise.all(['x', 'y'].map(tagged))).toEqual([['a'], ['a', 'b']]);
      await fill(store, [person('a', { tags: ['z'] })]);
      expect(await Promise.all(['x', 'y', 'z'].map(tagged))).toEqual([[], ['b'], ['a']]);
      await store.transact((tx) => tx.delete(people, [1, 'a']));
      expect(await tagged('z')).toEqual([]);
    });

    test('keys and texts of any length and content lead to their records', async () => {
      const store = await open();
      const odd = [
        '',
        '\0',
        '\0\0',
        'a\0b',
        '😀',
        '\ud800',
        'x'.repeat(256),
        'x'.repeat(257),
        'x'.repeat(100_000),
        `${'x'.repeat(100_000)}y`,
      ];
      await fill(
        store,
        odd.map((text) => person(text, { email: text, tags: [text] })),
      );
      for (const text of odd) {
        expect((await store.read((r) => r.get(people, [1, text])))?.id).toBe(text);
        expect((await store.read((r) => r.find(people, 'email', [1, text])))?.id).toBe(text);
        expect(await store.read((r) => r.keys(people, 'byTag', { prefix: [1, text], limit: 9 }))).toEqual([[1, text]]);
      }
      const all = await store.read((r) => r.keys(people, undefined, { prefix: [1], limit: 99 }));
      expect(new Set(all.map(([, id]) => id))).toEqual(new Set(odd));
      await store.transact(async (tx) => {
        for (const text of odd) expect(await tx.delete(people, [1, text])).toBe(true);
      });
      expect(await store.read((r) => r.keys(people, 'byTag', { prefix: [1], limit: 9 }))).toEqual([]);
    });

    test('asking an index that does not exist, or for the owner of a key that need not be unique, is a clear error', async () => {
      const store = await open();
      expect(() => store.read((r) => r.list(people, 'byShoe', { prefix: [1], limit: 1 }))).toThrow('collection people has no index byShoe');
      expect(() => store.read((r) => r.find(people, 'byAge', [1, 1]))).toThrow('index byAge of collection people is not unique');
    });
  });

  describe('insert', () => {
    test('of a key that is taken is an error and keeps nothing, never an endless loop', async () => {
      const store = await open();
      await fill(store, [person('a', { age: 1 })]);
      await expect(store.transact((tx) => tx.insert(people, person('a', { age: 2 })))).rejects.toThrow(
        'collection people: a record to be inserted is already there',
      );
      const twice = store.transact(async (tx) => {
        await tx.insert(people, person('b'));
        await tx.insert(people, person('b'));
      });
      await expect(twice).rejects.toThrow('already there');
      expect(await store.read((r) => r.get(people, [1, 'b']))).toBeUndefined();
      expect((await store.read((r) => r.get(people, [1, 'a'])))?.age).toBe(1);
    });

    test('with a fresh key after a conflict goes through', async () => {
      const store = await open();
      await fill(store, [person('taken')]);
      const candidates = ['taken', 'free'];
      expect(await store.transact((tx) => tx.insert(people, person(candidates.shift() ?? '')))).toBeUndefined();
      expect(await store.read((r) => r.get(people, [1, 'free']))).toBeDefined();
    });

    test('an error of the body counts only when its assumption held', async () => {
      const store = await open();
      await fill(store, [person('a', { email: 'x@x' })]);
      const signUp = store.transact(async (tx) => {
        if ((await tx.insert(people, person('b', { email: 'x@x' }))) === 'email') return 'taken';
        throw new Error('nobody had the address');
      });
      expect(await signUp).toBe('taken');
    });

    test('after a delete in the same transaction writes the record anew', async () => {
      const store = await open();
      await fill(store, [person('a', { age: 1, tags: ['old'] })]);
      await store.transact(async (tx) => {
        await tx.delete(people, [1, 'a']);
        await tx.insert(people, person('a', { age: 2, tags: ['new'] }));
      });
      expect(await store.read((r) => r.keys(people, 'byTag', { prefix: [1], limit: 9 }))).toEqual([[1, 'a']]);
      expect((await store.read((r) => r.get(people, [1, 'a'])))?.age).toBe(2);
    });
  });

  describe('ranges', () => {
    const many = Array.from({ length: 10 }, (_unused, at) => person(`p${at}`, { age: at % 3, app: at < 8 ? 1 : 2 }));

    test('keep to prefix, bounds, limit and direction', async () => {
      const store = await open();
      await fill(store, many);
      const list = async (range: {
        from?: readonly (string | number)[];
        until?: readonly (string | number)[];
        limit?: number;
        reverse?: boolean;
      }): Promise<string[]> => ids(await store.read((r) => r.list(people, undefined, { prefix: [1], limit: 99, ...range })));
      expect(await list({})).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']);
      expect(await list({ from: [1, 'p5'] })).toEqual(['p5', 'p6', 'p7']);
      expect(await list({ until: [1, 'p2'] })).toEqual(['p0', 'p1']);
      expect(await list({ from: [1, 'p2'], until: [1, 'p4'], reverse: true })).toEqual(['p3', 'p2']);
      expect(await list({ limit: 2 })).toEqual(['p0', 'p1']);
      expect(await list({ limit: 2, reverse: true })).toEqual(['p7', 'p6']);
      expect(await list({ limit: 0 })).toEqual([]);
      expect(await list({ from: [0], until: [9] })).toHaveLength(8);
      expect(await list({ from: [1, 'p4'], until: [1, 'p2'] })).toEqual([]);
      expect(() => store.read((r) => r.list(people, undefined, { prefix: [1], limit: Number.NaN }))).toThrow('needs a limit');
    });

    test('page through an index by index key and primary key', async () => {
      const store = await open();
      await fill(store, many);
      const seen: string[] = [];
      let from: readonly (string | number)[] | undefined;
      for (;;) {
        const page = await store.read((r) => r.list(people, 'byAge', { prefix: [1], limit: 4, ...(from && { from }) }));
        seen.push(...ids(page.slice(0, 3)));
        const following = page[3];
        if (!following) break;
        from = [1, following.age, following.app, following.id];
      }
      expect(seen).toEqual(['p0', 'p3', 'p6', 'p1', 'p4', 'p7', 'p2', 'p5']);
    });
  });

  test('a reader stays in its snapshot, across pauses, while others commit and read', async () => {
    const store = await open();
    await fill(store, [person('a', { age: 1 }), person('b', { age: 1 })]);
    const seen = await store.read(async (r) => {
      const before = await r.get(people, [1, 'a']);
      await fill(store, [person('a', { age: 2 }), person('b', { age: 2 }), person('c', { age: 2 })]);
      expect((await store.read((fresh) => fresh.get(people, [1, 'b'])))?.age).toBe(2);
      return [before?.age, (await r.get(people, [1, 'b']))?.age, (await r.list(people, undefined, { prefix: [1], limit: 9 })).length];
    });
    expect(seen).toEqual([1, 1, 2]);
    expect((await store.read((r) => r.get(people, [1, 'b'])))?.age).toBe(2);
  });

  test('a reader that begins inside the body of another sees newer commits and leaves the outer one alone', async () => {
    const store = await open();
    await fill(store, [person('a', { age: 1 })]);
    const pending = store.read(async (outer) => {
      const first = await outer.get(people, [1, 'a']);
      await fill(store, [person('a', { age: 2 })]);
      const inner = await store.read((r) => r.get(people, [1, 'a']));
      const again = await outer.get(people, [1, 'a']);
      return [first?.age, inner?.age, again?.age];
    });
    expect(await pending).toEqual([1, 2, 1]);
  });

  test('every acknowledged commit is seen by the next read', async () => {
    const store = await open();
    for (let age = 0; age < 50; age++) {
      await fill(store, [person('a', { age })]);
      expect((await store.read((r) => r.get(people, [1, 'a'])))?.age).toBe(age);
    }
  });
});
