import { expect, test } from 'vitest';
import { deleteUnder } from '../../src/store/delete-under.ts';
import { openForTest } from './engines.ts';
import { people, person } from './people.ts';

test('what stands under a prefix is looked for once, however much it is, and nothing else goes', { timeout: 30_000 }, async () => {
  let rounds = 0;
  const store = await openForTest({ engine: 'memory', onRound: () => (rounds += 1) });
  const ages = [7, 8];
  for (const age of ages) {
    await store.transact(async (tx) => {
      for (let n = 0; n < 2_500; n += 1) await tx.insert(people, person(`${age}-${n}`, { age }));
    });
  }
  rounds = 0;
  expect(await store.transact((tx) => deleteUnder(tx, people, 'byAge', [1, 7]))).toBe(2_500);
  // The keys once, and then the records, five hundred at a time.
  expect(rounds).toBe(6);
  const left = await store.read((r) => r.keys(people, 'byAge', { prefix: [1], limit: 9_999 }));
  expect(left).toHaveLength(2_500);
});
