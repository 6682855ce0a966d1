import { closeSync, openSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CheckCount, type CheckReport, checkStore, inSnapshot } from '../check-store.ts';
import type { Collection } from '../collection.ts';
import { DamagedFile, type PageFault, PageWalk, readMeta } from './pages.ts';
import { databaseIn, holdsDatabase } from './data-folder.ts';
import { openFolder } from './open-folder.ts';
import { checkLayout } from '../layout-version.ts';
import type { LmdbPlan } from '../plan.ts';

/** Pages that are looked at in one turn of the event loop. */
const A_TURN = 500;

/** What the pages of a file came to. */
interface PagesCheck {
  readonly faults: readonly PageFault[];
  /** A process committed meanwhile, so what was read may belong to several states. */
  readonly isMoving: boolean;
}

/**
 * Checks a data folder's pages and then, if they are sound, all that stands on them: on unsound pages LMDB would end
 * the process by a signal. Answers nothing where it did not come to that.
 * @throws Error where there is no store, or it cannot be opened
 */
export async function checkFolder(
  { path }: LmdbPlan,
  collections: readonly Collection<unknown>[],
  report: CheckReport,
  signal: AbortSignal,
): Promise<CheckCount | undefined> {
  if (!holdsDatabase(path)) throw new Error(`There is no store in ${path}`);
  const pages = await checkPages(path, signal);
  if (!pages.isMoving && tell(pages, report)) return undefined;
  const engine = await openFolder({ engine: 'lmdb', path, readAhead: true }, checkLayout);
  try {
    // What a snapshot sees stays where it is.
    if (pages.faults.length > 0 && tell(await inSnapshot(engine, () => checkPages(path, signal)), report)) return undefined;
    return await checkStore(engine, collections, report, signal);
  } finally {
    await engine.close();
  }
}

function tell({ faults }: PagesCheck, report: CheckReport): boolean {
  for (const { page, text } of faults) report.finding(`page ${page} ${text}`);
  return faults.length > 0;
}

async function checkPages(path: string, signal: AbortSignal): Promise<PagesCheck> {
  const file = openSync(databaseIn(path), 'r');
  try {
    const meta = readMeta(file);
    if (!meta) return { faults: [], isMoving: false };
    const faults: PageFault[] = [];
    let looked = 0;
    for (const fault of new PageWalk(file, meta).faults()) {
      if (fault) faults.push(fault);
      looked += 1;
      if (looked % A_TURN > 0) continue;
      await nextTurn();
      signal.throwIfAborted();
    }
    return { faults, isMoving: readMeta(file)?.commit !== meta.commit };
  } catch (error) {
    throw error instanceof DamagedFile ? new Error(`data.mdb is damaged: ${error.message}`, { cause: error }) : error;
  } finally {
    closeSync(file);
  }
}
