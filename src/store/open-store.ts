import type { CheckCount, CheckReport } from './check-store.ts';
import type { Collection } from './collection.ts';
import { claimLayout } from './layout-version.ts';
import type { LastingPlan, StorePlan, StoreWatch } from './plan.ts';
import type { Store } from './store.ts';
import { EngineStore } from './transactions.ts';

/* Each engine is loaded by who uses it. */

/** Opens the store. Rejects with one sentence naming the place when it cannot be used. */
export async function openStore(plan: StorePlan, watch: StoreWatch = {}): Promise<Store> {
  if (plan.engine === 'memory') {
    const { MemoryEngine } = await import('./memory.ts');
    return new EngineStore(new MemoryEngine({ ...plan, ...watch }));
  }
  const { openFolder } = await import('./lmdb/open-folder.ts');
  return new EngineStore(await openFolder(plan, claimLayout, watch.onLost));
}

/** Whether there is a store already. */
export async function isStored({ path }: LastingPlan): Promise<boolean> {
  const { holdsDatabase } = await import('./lmdb/data-folder.ts');
  return holdsDatabase(path);
}

/**
 * Checks what the store is kept on (pages) and, if that is sound, its records (else answers nothing). Changes nothing.
 * @throws Error where there is no store, or it cannot be opened
 */
export async function checkStored(
  plan: LastingPlan,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<CheckCount | undefined> {
  const { checkFolder } = await import('./lmdb/check-folder.ts');
  return checkFolder(plan, collections, report, signal);
}
