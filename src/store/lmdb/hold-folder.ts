import { realpathSync } from 'node:fs';
import { UnfitFolder, UnfitStore } from '../copy.ts';
import type { HeldStore } from '../copy-between.ts';
import { makeFolder } from '../make-folder.ts';
import type { LmdbPlan } from '../plan.ts';
import { databaseIn, holdsDatabase, prepareDataFolder, processesOn } from './data-folder.ts';
import { LmdbEngine } from './engine.ts';
import { holdAlone } from './pid-namespace.ts';
import { requireEmpty } from './restore-folder.ts';

/** Digits of the number of a commit, so that texts order as numbers do. */
const COMMIT_DIGITS = 20;

/** Keeps all processes out of a folder until the answer is called. @throws UnfitFolder where one has it open */
export function holdUnused(path: string): () => void {
  const release = holdAlone(path);
  const [user] = holdsDatabase(path) ? processesOn(databaseIn(path)) : [];
  if (release && user === undefined) return release;
  release?.();
  throw new UnfitFolder(`${path} is in use${user === undefined ? '' : ` by process ${user}`}: stop what uses it first`);
}

/**
 * Opens the store in a folder for a copy, and keeps all others out.
 * @param side a target is made where it is missing
 * @throws UnfitStore, UnfitFolder
 */
export async function holdFolder({ path }: LmdbPlan, side: 'source' | 'target'): Promise<HeldStore> {
  if (!holdsDatabase(path)) prepareEmpty(path, side);
  await prepareDataFolder(path);
  const release = holdUnused(path);
  try {
    const engine = new LmdbEngine(path, { readAhead: true, onClosed: release });
    return {
      engine,
      name: realpathSync(path),
      state: async () => String(engine.readers().latest).padStart(COMMIT_DIGITS, '0'),
      close: () => engine.close(),
    };
  } catch (error) {
    release();
    throw error;
  }
}

function prepareEmpty(path: string, side: 'source' | 'target'): void {
  if (side === 'source') throw new UnfitStore(`There is no store in ${path}`);
  makeFolder(path);
  requireEmpty(path);
}
