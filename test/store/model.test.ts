import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Range, Store, Transaction } from '../../src/store/store.ts';
import { ENGINES_AND_COLD, openForTest } from './engines.ts';
import { type Person, people } from './people.ts';

// The same cases in every run; other seeds were tried when this was written.
fc.configureGlobal({ seed: 20_260 });

/** What the store must be: a plain list of records in primary key order. */
class Model {
  records = new Map<string, Person>();

  ordered(): Person[] {
    return [...this.records.values()].toSorted((a, b) => a.app - b.app || (a.id < b.id ? -1 : 1));
  }

  put(person: Person): string | undefined {
    const name = `${person.app}/${person.id}`;
    for (const [other, record] of this.records) {
      if (other !== name && record.app === person.app && person.email !== null && record.email === person.email) return 'email';
    }
    this.records.set(name, person);
    return undefined;
  }

  /** Records by age, then primary key, between two ages, within a limit. */
  byAge(app: number, from: number, until: number, limit: number, reverse: boolean): Person[] {
    const found = this.ordered().filter((person) => person.app === app && person.age >= from && person.age < until);
    const sorted = found.toSorted((a, b) => a.age - b.age);
    return (reverse ? sorted.toReversed() : sorted).slice(0, limit);
  }
}

const app = fc.integer({ min: 1, max: 2 });
const id = fc.constantFrom('a', 'b', 'c', 'd', '\0', 'é');
const age = fc.integer({ min: -2, max: 4 });
const someone = fc.record({
  app,
  id,
  age,
  email: fc.option(fc.constantFrom('x', 'y', 'z'), { freq: 1 }),
  tags: fc.uniqueArray(fc.constantFrom('s', 't', 'u'), { maxLength: 3 }),
});

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('put' as const), person: someone }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('delete' as const), app, id }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('get' as const), app, id }) },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant('tag' as const),
      app,
      tag: fc.constantFrom('s', 't', 'u'),
      limit: fc.integer({ min: 0, max: 4 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('ages' as const),
      app,
      from: age,
      until: age,
      limit: fc.integer({ min: 0, max: 5 }),
      reverse: fc.boolean(),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Takes one step in the transaction and in the model, and compares what they answer. */
async function take(one: Step, tx: Transaction, model: Model): Promise<void> {
  if (one.act === 'put') expect(await tx.put(people, one.person)).toBe(model.put(one.person));
  else if (one.act === 'delete') expect(await tx.delete(people, [one.app, one.id])).toBe(model.records.delete(`${one.app}/${one.id}`));
  else if (one.act === 'get') expect(await tx.get(people, [one.app, one.id])).toEqual(model.records.get(`${one.app}/${one.id}`));
  else if (one.act === 'tag') {
    const tagged = model.ordered().filter((person) => person.app === one.app && person.tags.includes(one.tag));
    const keys = await tx.keys(people, 'byTag', { prefix: [one.app, one.tag], limit: one.limit });
    expect(keys).toEqual(tagged.slice(0, one.limit).map((person) => [person.app, person.id]));
  } else {
    const range: Range = {
      prefix: [one.app],
      from: [one.app, one.from],
      until: [one.app, one.until],
      limit: one.limit,
      reverse: one.reverse,
    };
    expect(await tx.list(people, 'byAge', range)).toEqual(model.byAge(one.app, one.from, one.until, one.limit, one.reverse));
  }
}

async function compareWhole(store: Store, model: Model): Promise<void> {
  expect(await store.read((r) => r.list(people, undefined, { prefix: [], limit: 999 }))).toEqual(model.ordered());
  for (const person of model.ordered()) {
    if (person.email !== null) expect(await store.read((r) => r.find(people, 'email', [person.app, person.email ?? '']))).toEqual(person);
  }
}

/** Fewer where every read is a round trip. */
const runsOn = (engine: string): number => (engine === 'postgres' ? 8 : 40);

describe.each(ENGINES_AND_COLD)('%s', (engine, options) => {
  test('random transactions, kept and abandoned, do what a plain list would', { timeout: 30_000 }, async () => {
    const transaction = fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 8 }), abandoned: fc.boolean() });
    const store = await openForTest(options());
    const property = fc.asyncProperty(fc.array(transaction, { minLength: 1, maxLength: 6 }), async (transactions) => {
      await store.transact(async (tx) => {
        for (const key of await tx.keys(people, undefined, { prefix: [], limit: 999 })) await tx.delete(people, key);
      });
      let model = new Model();
      for (const { steps, abandoned } of transactions) {
        const next = new Model();
        next.records = new Map(model.records);
        const done = store.transact(async (tx) => {
          for (const one of steps) await take(one, tx, next);
          if (abandoned) throw new Error('abandoned');
        });
        if (abandoned) await expect(done).rejects.toThrow('abandoned');
        else {
          await done;
          model = next;
        }
      }
      await compareWhole(store, model);
    });
    await fc.assert(property, { numRuns: runsOn(engine) });
  });
});
