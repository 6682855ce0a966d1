import { expect, test } from 'vitest';
import type { MaybePromise } from '../../src/store/maybe-promise.ts';
import type { Transaction } from '../../src/store/store.ts';
import { openForTest } from './engines.ts';
import { counters, people, person } from './people.ts';

/** How many round trips a transaction takes on an engine over the network, beside its commit. */
async function roundsOf(body: (tx: Transaction) => MaybePromise<unknown>): Promise<number> {
  let rounds = 0;
  const store = await openForTest({ engine: 'memory' }, { onRound: () => rounds++ });
  await store.transact((tx) => tx.put(people, person('a', { email: 'a@x', tags: ['t'] })));
  rounds = 0;
  await store.transact(body);
  return rounds;
}

test.each<[string, number, (tx: Transaction) => MaybePromise<unknown>]>([
  [
    'a put reads the old record and the owners of its unique keys together',
    1,
    (tx) => tx.put(people, person('b', { email: 'b@x', tags: ['t', 'u'] })),
  ],
  ['an insert of a new record reads nothing', 0, (tx) => tx.insert(people, person('b', { email: 'b@x' }))],
  ['an insert whose unique key is taken reads once, in its second run', 1, (tx) => tx.insert(people, person('b', { email: 'a@x' }))],
  [
    'what an earlier snapshot showed is recalled without a read',
    0,
    async (tx) => {
      await tx.recall(people, [1, 'nobody'], undefined);
      await tx.insert(people, person('b'));
    },
  ],
  ['a delete reads the record', 1, (tx) => tx.delete(people, [1, 'a'])],
  [
    'independent reads go together',
    1,
    (tx) =>
      tx.getMany([
        { collection: people, key: [1, 'a'] },
        { collection: counters, key: ['n'] },
      ]),
  ],
  ['the owner of a unique key takes one', 1, (tx) => tx.find(people, 'email', [1, 'a@x'])],
  [
    'a list by index takes one, and of keys too',
    2,
    async (tx) => [
      await tx.list(people, 'byTag', { prefix: [1, 't'], limit: 9 }),
      await tx.keys(people, 'byTag', { prefix: [1, 't'], limit: 9 }),
    ],
  ],
  [
    'what is known costs nothing',
    1,
    async (tx) => {
      const record = await tx.get(people, [1, 'a']);
      await tx.getMany([{ collection: people, key: [1, 'a'] }]);
      if (record) await tx.put(people, { ...record, email: null });
      await tx.delete(people, [1, 'a']);
      await tx.insert(people, person('a'));
      await tx.get(people, [1, 'a']);
    },
  ],
])('%s', async (_, expected, body) => {
  expect(await roundsOf(body)).toBe(expected);
});
