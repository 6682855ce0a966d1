import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Store, Transaction } from '../../src/store/store.ts';
import { ENGINES, openForTest } from './engines.ts';
import { people, type Person, person } from './people.ts';

/*
 * Transactions at once, from two nodes where the engine knows nodes: there must be an order in which they, one after the other, would have
 * seen what each saw and left what is there. Few keys, so that they meet; orders are searched, so few at a time and many times.
 */

const IDS = ['a', 'b', 'c', 'd'] as const;
const TAGS = ['t', 'u'] as const;
const AT_ONCE = 6;
const ROUNDS = 40;
const MANY = 60;

type Step =
  | { readonly do: 'get'; readonly id: string }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'list'; readonly tag: string; readonly limit: number; readonly reverse: boolean }
  | { readonly do: 'put'; readonly id: string; readonly tag: string }
  /** Only where nobody has the tag: the shape of a write skew by way of a range. */
  | { readonly do: 'claim'; readonly id: string; readonly tag: string }
  | { readonly do: 'many' };

const id = fc.constantFrom(...IDS);
const tag = fc.constantFrom(...TAGS);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('get' as const), id }),
  fc.record({ do: fc.constant('delete' as const), id }),
  fc.record({ do: fc.constant('list' as const), tag, limit: fc.constantFrom(1, 9), reverse: fc.boolean() }),
  fc.record({ do: fc.constant('put' as const), id, tag }),
  fc.record({ do: fc.constant('claim' as const), id, tag }),
  { weight: 1, arbitrary: fc.constant({ do: 'many' as const }) },
);
const program = fc.array(step, { minLength: 1, maxLength: 4 });
const history = fc.array(fc.array(program, { minLength: 2, maxLength: AT_ONCE }), { minLength: ROUNDS, maxLength: ROUNDS });

/** What is there: for each id its tag and a number that no other write had. */
type State = ReadonlyMap<string, { readonly tag: string; readonly mark: number }>;

/** What a transaction works on: the store, or a state. */
interface Place {
  get(id: string): Promise<number | undefined> | number | undefined;
  list(step: Step & { readonly do: 'list' }): Promise<readonly number[]> | readonly number[];
  put(id: string, tag: string, mark: number): Promise<unknown> | unknown;
  delete(id: string): Promise<unknown> | unknown;
}

const markOf = (found: Person | undefined): number | undefined => found?.age;

function inStore(tx: Transaction): Place {
  return {
    get: async (one) => markOf(await tx.get(people, [1, one])),
    list: async ({ tag: wanted, limit, reverse }) =>
      (await tx.list(people, 'byTag', { prefix: [1, wanted], limit, reverse })).map(({ age }) => age),
    put: (one, tagged, mark) => tx.put(people, person(one, { age: mark, tags: [tagged] })),
    delete: (one) => tx.delete(people, [1, one]),
  };
}

function inState(state: Map<string, { readonly tag: string; readonly mark: number }>): Place {
  return {
    get: (one) => state.get(one)?.mark,
    list: ({ tag: wanted, limit, reverse }) => {
      const ids = [...state.keys()].filter((one) => state.get(one)?.tag === wanted).toSorted();
      return (reverse ? ids.toReversed() : ids).slice(0, limit).map((one) => state.get(one)?.mark ?? 0);
    },
    put: (one, tagged, mark) => state.set(one, { tag: tagged, mark }),
    delete: (one) => state.delete(one),
  };
}

/** Runs a program; answers what it saw. Its writes are told apart by `mark`. */
async function play(steps: readonly Step[], place: Place, mark: number): Promise<string> {
  const seen: unknown[] = [];
  for (const one of steps) {
    if (one.do === 'get') seen.push((await place.get(one.id)) ?? null);
    else if (one.do === 'list') seen.push(await place.list(one));
    else if (one.do === 'put') await place.put(one.id, one.tag, mark);
    else if (one.do === 'delete') await place.delete(one.id);
    else if (one.do === 'many') for (let at = 0; at < MANY; at += 1) await place.put(`many-${at}`, 'many', mark);
    else if ((await place.list({ do: 'list', tag: one.tag, limit: 1, reverse: false })).length === 0)
      await place.put(one.id, one.tag, mark);
  }
  return JSON.stringify(seen);
}

interface Done {
  readonly steps: readonly Step[];
  readonly mark: number;
  readonly seen: string;
}

const textOf = (state: State): string => JSON.stringify([...state].toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Whether an order of these transactions explains what each saw and what is there now. */
async function isSerial(done: readonly Done[], before: State, after: string): Promise<boolean> {
  if (done.length === 0) return textOf(before) === after;
  for (const one of done) {
    const state = new Map(before);
    if ((await play(one.steps, inState(state), one.mark)) !== one.seen) continue;
    const others = done.filter((other) => other !== one);
    if (await isSerial(others, state, after)) return true;
  }
  return false;
}

async function stateOf(store: Store): Promise<State> {
  const rows = await store.read((reader) => reader.list(people, undefined, { prefix: [1], limit: 999 }));
  return new Map(rows.map(({ id: one, tags, age }) => [one, { tag: tags[0] ?? '', mark: age }]));
}

describe.each(ENGINES)('%s', (engine, plan) => {
  test('transactions at once leave what some order of them would leave, and saw what they would have seen', {
    timeout: 60_000,
  }, async () => {
    const given = plan();
    const one = await openForTest(given);
    const nodes = engine === 'postgres' ? [one, await openForTest(given)] : [one];
    let mark = 0;
    let state = await stateOf(one);
    for (const programs of fc.sample(history, { seed: 20_261_122, numRuns: 1 }).flat()) {
      const done = await Promise.all(
        programs.map(async (steps, at): Promise<Done> => {
          const own = (mark += 1);
          const store = nodes[at % nodes.length] ?? one;
          return { steps, mark: own, seen: await store.transact((tx) => play(steps, inStore(tx), own)) };
        }),
      );
      const next = await stateOf(one);
      expect(await isSerial(done, state, textOf(next)), JSON.stringify({ before: [...state], done, after: [...next] })).toBe(true);
      state = next;
    }
    expect(nodes.reduce((sum, node) => sum + node.stats().conflicts, 0)).toBeGreaterThan(0);
  });
});
