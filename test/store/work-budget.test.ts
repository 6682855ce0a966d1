import { describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/store/store.ts';
import { WorkBudgetExceeded } from '../../src/store/work-budget.ts';
import { ENGINES, openForTest } from './engines.ts';
import { counters, people, person } from './people.ts';

/** Bodies that never end, each in its own way, after a write that must not be kept. */
const ENDLESS: readonly [what: string, step: (tx: Transaction, round: number) => unknown][] = [
  ['reads one key', (tx) => tx.get(counters, ['one'])],
  ['reads other keys', (tx, round) => tx.get(counters, [`c${round}`])],
  ['reads ranges', (tx) => tx.keys(people, 'byAge', { prefix: [1], limit: 10 })],
  ['writes one record', (tx, round) => tx.put(counters, { name: 'one', value: round })],
  ['writes other records', (tx, round) => tx.put(people, person(`p${round}`, { email: `${round}@example.com` }))],
  ['writes large records', (tx, round) => tx.put(counters, { name: `${round} ${'x'.repeat(50_000)}`, value: 1 })],
  ['removes what is not there', (tx, round) => tx.delete(counters, [`c${round}`])],
];

async function forEver(tx: Transaction, step: (tx: Transaction, round: number) => unknown): Promise<never> {
  await tx.put(counters, { name: 'first', value: 1 });
  for (let round = 0; ; round += 1) {
    const answer = step(tx, round);
    if (answer instanceof Promise) await answer;
  }
}

/** Where each read is a round trip, so many reads take minutes. */
const SLOW = ['memory that answers later', 'postgres'];

describe.each(ENGINES.filter(([name]) => !SLOW.includes(name)))('a transaction that never ends (%s)', (engine, options) => {
  test.each(engine === 'memory' ? ENDLESS.slice(0, 1) : ENDLESS)(
    'is ended by its budget and keeps nothing: it %s',
    { timeout: 60_000 },
    async (_what, step) => {
      const store = await openForTest(options());
      await expect(store.transact((tx) => forEver(tx, step))).rejects.toThrow(WorkBudgetExceeded);
      expect(await store.read((r) => r.get(counters, ['first']))).toBeUndefined();
    },
  );

  test('is ended where it runs alone, too, and lets the others in', { timeout: 60_000 }, async () => {
    const store = await openForTest(options());
    let runs = 0;
    const contested = store.transact(async (tx) => {
      runs += 1;
      await tx.get(counters, ['rival']);
      if (runs > 2) await forEver(tx, (alone) => alone.get(counters, ['one']));
      await store.transact((rival) => rival.put(counters, { name: 'rival', value: runs }));
      await tx.put(counters, { name: 'first', value: 1 });
    });
    await expect(contested).rejects.toThrow(WorkBudgetExceeded);
    expect({ runs, alone: store.stats().exclusive }).toEqual({ runs: 3, alone: 1 });
    await store.transact((tx) => tx.put(counters, { name: 'next', value: 1 }));
    expect(await store.read((r) => r.get(counters, ['first']))).toBeUndefined();
  });

  test('keeps nothing even where its body takes the fault for something else', { timeout: 60_000 }, async () => {
    const store = await openForTest(options());
    const careless = store.transact((tx) => forEver(tx, (one) => one.get(counters, ['one'])).catch(() => 'well'));
    await expect(careless).rejects.toThrow(WorkBudgetExceeded);
    expect(await store.read((r) => r.get(counters, ['first']))).toBeUndefined();
  });
});
