import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { defineCollection } from '../../../src/store/collection.ts';
import { compactStored, openStore } from '../../../src/store/open-store.ts';
import { planFolder } from '../../../src/store/plan.ts';
import type { Transaction } from '../../../src/store/store.ts';
import { startCore } from '../../running-core.ts';
import { temporaryFolder } from '../engines.ts';

interface Note {
  readonly id: string;
  readonly text: string;
}

const notes = defineCollection({
  id: 999,
  name: 'notes',
  scope: 'core',
  format: 1,
  fields: { id: 1, text: 2 },
  key: (note: Note) => [note.id],
});

const NOTES = 2000;
/** Written or removed in one transaction. */
const AT_ONCE = 100;
const TEXT = 'x'.repeat(3000);

const compact = (path: string) =>
  compactStored(planFolder(path), [notes], { finding: () => {}, progress: () => {} }, new AbortController().signal);

/** A store in which most of what was written was removed. */
async function grown(): Promise<string> {
  const path = temporaryFolder();
  const store = await openStore(planFolder(path));
  const inBatches = async (first: number, work: (tx: Transaction, n: number) => unknown): Promise<void> => {
    for (let from = first; from < NOTES; from += AT_ONCE)
      await store.transact(async (tx) => {
        for (let n = from; n < Math.min(NOTES, from + AT_ONCE); n++) await work(tx, n);
      });
  };
  await inBatches(0, (tx, n) => tx.put(notes, { id: `n${n}`, text: `${n} ${TEXT}` }));
  await inBatches(10, (tx, n) => tx.delete(notes, [`n${n}`]));
  await store.close();
  return path;
}

test('what was removed gives its room back, and what is there stays', { timeout: 60_000 }, async () => {
  const path = await grown();
  const { before, after } = await compact(path);
  expect(before).toBeGreaterThan(4_000_000);
  expect(after).toBeLessThan(before / 10);
  expect(statSync(join(path, 'data.mdb')).size).toBe(after);
  expect(readdirSync(path).toSorted()).toEqual(['data.mdb', 'pid-namespace']);
  const store = await openStore(planFolder(path));
  for (let n = 0; n < 10; n++) expect((await store.read((reader) => reader.get(notes, [`n${n}`])))?.text).toBe(`${n} ${TEXT}`);
  expect(await store.read((reader) => reader.count(notes, undefined, { prefix: [] }))).toBe(10);
  await store.transact((tx) => tx.put(notes, { id: 'new', text: 'x' }));
  await store.close();
  // A second time there is nothing to give back.
  const again = await compact(path);
  expect(again.after).toBeLessThanOrEqual(after * 1.5);
});

test('a copy that is not sound never takes the place of the store', { timeout: 60_000 }, async () => {
  const path = await grown();
  const before = statSync(join(path, 'data.mdb'));
  // Its records belong to no collection.
  const unknown = compactStored(planFolder(path), [], { finding: () => {}, progress: () => {} }, new AbortController().signal);
  await expect(unknown).rejects.toThrow(`${path} was left as it is: its compacted copy is not sound`);
  expect(statSync(join(path, 'data.mdb')).ino).toBe(before.ino);
  expect(readdirSync(path)).not.toContain('copying');
});

test('a folder in use, or without a store, is refused', { timeout: 60_000 }, async () => {
  const core = await startCore();
  try {
    await expect(compact(core.dataDir)).rejects.toThrow(`${core.dataDir} is in use by process ${core.pid}: stop what uses it first`);
  } finally {
    await core.stop();
  }
  const folder = temporaryFolder();
  await expect(compact(folder)).rejects.toThrow(`There is no store in ${folder}`);
});
