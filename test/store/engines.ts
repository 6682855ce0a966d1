import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { PostgresPlan, StorePlan, StoreWatch } from '../../src/store/plan.ts';
import type { Store } from '../../src/store/store.ts';

/** A folder of its own for the running test, removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-store-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let schemas = 0;

/** A schema of its own in the database of this run; undefined where there is none. */
export function postgresPlan(): PostgresPlan | undefined {
  const url = inject('postgresUrl');
  if (url === undefined) return undefined;
  schemas += 1;
  return {
    engine: 'postgres',
    url,
    password: undefined,
    schema: `test_${process.pid}_${Date.now()}_${schemas}`,
    connections: 6,
    prepared: true,
    timeoutMs: 10_000,
  };
}

const POSTGRES: readonly [name: string, plan: () => StorePlan][] = postgresPlan()
  ? [['postgres', () => postgresPlan() ?? { engine: 'memory' }]]
  : [];

/** Every engine, by name: what it is opened with. */
export const ENGINES: readonly [name: string, plan: () => StorePlan][] = [
  ['memory', () => ({ engine: 'memory' })],
  ['memory that answers later', () => ({ engine: 'memory', slow: true })],
  ['lmdb', () => ({ engine: 'lmdb', path: temporaryFolder() })],
  ...POSTGRES,
];

/** So many conflicts a run survives before it is alone. */
export const conflictsBeforeAlone = (engine: string): number => (engine === 'postgres' ? 4 : 2);

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
