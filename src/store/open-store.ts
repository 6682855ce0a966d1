import type { CheckCount, CheckReport } from './check-store.ts';
import type { Collection } from './collection.ts';
import { type CopyManner, type StoreCopy, UnfitStore } from './copy.ts';
import type { CopyAccount, CopyWatch, HeldStore } from './copy-between.ts';
import { checkLayout, claimLayout } from './layout-version.ts';
import type { FolderPlan, StorePlan, StoreWatch } from './plan.ts';
import type { Store } from './store.ts';
import { EngineStore } from './transactions.ts';

/* Each engine is loaded by who uses it. */

/** Opens the store. Rejects with one sentence naming the place when it cannot be used. */
export async function openStore(plan: StorePlan, watch: StoreWatch = {}): Promise<Store> {
  if (plan.engine === 'memory') {
    const { MemoryEngine } = await import('./memory.ts');
    return new EngineStore(new MemoryEngine({ ...plan, ...watch }));
  }
  if (plan.engine === 'postgres') {
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return new EngineStore(await openPostgres(plan, watch, claimLayout));
  }
  const { openFolder } = await import('./lmdb/open-folder.ts');
  return new EngineStore(await openFolder(plan, claimLayout, watch.onLost));
}

/**
 * Hears what other processes announce (`Transaction.announce`), where the plan says how; answers how to stop. Notices
 * may be lost, so whoever must know polls too.
 * @param onFault told once when listening breaks off; it is tried again
 */
export async function listenToStore(
  plan: StorePlan,
  onNotice: () => void,
  onFault: (error: unknown) => void,
): Promise<(() => Promise<void>) | undefined> {
  if (plan.engine !== 'postgres') return undefined;
  const { listenPostgres } = await import('./postgres/open-postgres.ts');
  return listenPostgres(plan, onNotice, onFault);
}

/** Opens a store that is there to look into it; writes nothing, not even that this version has opened it. */
export async function openToRead(plan: FolderPlan): Promise<Store> {
  const { openFolder } = await import('./lmdb/open-folder.ts');
  return new EngineStore(await openFolder(plan, checkLayout));
}

/** Whether there is a store already. */
export async function isStored({ path }: FolderPlan): Promise<boolean> {
  const { holdsDatabase } = await import('./lmdb/data-folder.ts');
  return holdsDatabase(path);
}

/**
 * Checks what the store is kept on (pages) and, if that is sound, its records (else answers nothing). Changes nothing.
 * @throws Error where there is no store, or it cannot be opened
 */
export async function checkStored(
  plan: FolderPlan,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<CheckCount | undefined> {
  const { checkFolder } = await import('./lmdb/check-folder.ts');
  return checkFolder(plan, collections, report, signal);
}

/**
 * Begins a copy of the store as it is at one moment, beside processes that go on to write. Engines over the network
 * have tools of their own for that.
 * @param into an empty folder
 * @throws NoRoom, UnfitFolder; `whole` may reject with `LostPages`
 */
export async function copyStored(plan: FolderPlan, into: string, manner: CopyManner): Promise<StoreCopy> {
  const { copyFolder } = await import('./lmdb/copy-folder.ts');
  return copyFolder(plan, into, manner);
}

/**
 * Copies a whole store to another place, or goes on with that, and compares both: nobody may use them meanwhile.
 * @throws UnfitStore, UnfitFolder, or Error where one cannot be opened
 */
export async function copyStore(from: StorePlan, to: StorePlan, watch: CopyWatch): Promise<CopyAccount> {
  const { copyBetween } = await import('./copy-between.ts');
  const source = await hold(from, 'source');
  try {
    const target = await hold(to, 'target');
    try {
      return await copyBetween(source, target, watch);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function hold(plan: StorePlan, side: 'source' | 'target'): Promise<HeldStore> {
  if (plan.engine === 'memory') throw new UnfitStore('A store in memory ends with its process');
  if (plan.engine === 'postgres') return (await import('./postgres/hold-database.ts')).holdDatabase(plan, side);
  return (await import('./lmdb/hold-folder.ts')).holdFolder(plan, side);
}

/**
 * Gives room that the store does not need any more back to the disk; no process may have it open.
 * @returns bytes before and after
 * @throws NoRoom, UnfitFolder
 */
export async function compactStored(
  plan: FolderPlan,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<{ readonly before: number; readonly after: number }> {
  const { compactFolder } = await import('./lmdb/copy-folder.ts');
  return compactFolder(plan, collections, report, signal);
}

/** How a copy of a store is put where there is none. */
export interface StorePlacing {
  /** Whether a file that begins like this is, or was, such a copy. */
  beginsAsCopy(head: Uint8Array): boolean;
  /** The file that is the store in a folder. */
  fileIn(folder: string): string;
  /** Makes a folder ready; answers where in it the copy is made first. @throws UnfitFolder, NoRoom */
  prepare(folder: string, bytes: number): string;
  /** Moves a copy to its place. @throws UnfitFolder */
  place(copy: FolderPlan, plan: FolderPlan): void;
}

/** Loads what puts copies in their places. */
export async function openPlacing(): Promise<StorePlacing> {
  const [{ databaseIn }, { beginsAsDatabase, placeCopy, prepareForCopy }] = await Promise.all([
    import('./lmdb/data-folder.ts'),
    import('./lmdb/restore-folder.ts'),
  ]);
  return { beginsAsCopy: beginsAsDatabase, fileIn: databaseIn, prepare: prepareForCopy, place: placeCopy };
}
