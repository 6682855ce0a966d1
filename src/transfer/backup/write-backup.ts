import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';
import { type CopyManner, LostPages, type StoreCopy } from '../../store/copy.ts';
import { readGrowing } from '../../store/growing-file.ts';
import { copyStored } from '../../store/open-store.ts';
import type { FolderPlan } from '../../store/plan.ts';
import { finishFile } from '../../store/sync-file.ts';
import type { WorkFolder } from '../../store/work-folder.ts';
import { type Manifest, tailOf } from './manifest.ts';

/** A backup that is being made: a file that grows until it is whole. */
export interface Backup {
  readonly file: string;
  /** Bytes that it will have about. */
  readonly mostBytes: number;
  readonly whole: Promise<Manifest>;
}

/** Who makes it, for its manifest. */
export interface Maker {
  /** Version of the program. */
  readonly product: string;
  /** Told how far it is. */
  readonly progress?: (bytes: number, mostBytes: number) => void;
  /** Ends it. */
  readonly signal?: AbortSignal;
}

/**
 * Begins a backup of a store, in use or not.
 * @param work where the file is made
 * @throws NoRoom, UnfitFolder, or what the store says; `whole` may reject with `LostPages`
 */
export async function beginBackup(plan: FolderPlan, work: WorkFolder, maker: Maker, manner: CopyManner): Promise<Backup> {
  const created = new Date();
  const copy = await copyStored(plan, work.path, manner);
  const whole = seal(copy, created, maker);
  // Who follows the file is told.
  whole.catch(() => {});
  return { file: copy.file, mostBytes: copy.mostBytes, whole };
}

/** Reads the copy behind the store that writes it, and writes its manifest behind it. */
async function seal(copy: StoreCopy, created: Date, { product, progress, signal }: Maker): Promise<Manifest> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of readGrowing(copy.file, copy.whole)) {
    signal?.throwIfAborted();
    hash.update(piece);
    bytes += piece.length;
    progress?.(bytes, copy.mostBytes);
  }
  const { entries } = await copy.whole;
  const manifest = { product, layout: copy.layout, created: created.toISOString(), bytes, entries, sha256: hash.digest('hex') };
  appendFileSync(copy.file, tailOf(manifest));
  return manifest;
}

/**
 * Makes a backup in a file, which has its name only when it is whole and on the disk.
 * @param work on the same disk
 * @throws NoRoom, UnfitFolder, or what the store or the file system says
 */
export async function saveBackup(plan: FolderPlan, file: string, work: WorkFolder, maker: Maker): Promise<Manifest> {
  const save = async (manner: CopyManner): Promise<Manifest> => {
    const backup = await beginBackup(plan, work, maker, manner);
    const manifest = await backup.whole;
    finishFile(backup.file, file);
    return manifest;
  };
  try {
    return await save({ withFree: false });
  } catch (error) {
    if (!(error instanceof LostPages)) throw error;
    work.clear();
    return save({ withFree: true });
  }
}
