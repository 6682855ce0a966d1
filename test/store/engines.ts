import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { StorePlan, StoreWatch } from '../../src/store/plan.ts';
import type { Store } from '../../src/store/store.ts';

/** A folder of its own for the running test, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every engine, by name: what it is opened with. */
export const ENGINES: readonly [name: string, plan: () => StorePlan][] = [
  ['memory', () => ({ engine: 'memory' })],
  ['memory that answers later', () => ({ engine: 'memory', slow: true })],
  ['lmdb', () => ({ engine: 'lmdb', path: temporaryFolder() })],
];

/** The same, and the way that reads of missing pages take, on which everything takes longer. */
export const ENGINES_AND_COLD: typeof ENGINES = [
  ...ENGINES,
  ['lmdb that waits for the disk', () => ({ engine: 'lmdb', path: temporaryFolder(), cold: true })],
];

/** Opens a store for the running test; it is closed when the test ends. */
export async function openForTest(plan: StorePlan, watch?: StoreWatch): Promise<Store> {
  const store = await openStore(plan, watch);
  onTestFinished(() => store.close());
  return store;
}
