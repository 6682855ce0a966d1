import { once } from 'node:events';
import type { CopyManner } from '../../store/copy.ts';
import { readGrowing } from '../../store/growing-file.ts';
import type { FolderPlan } from '../../store/plan.ts';
import { takeWorkFolder, workFolderIn } from '../../store/work-folder.ts';
import type { Manifest } from './manifest.ts';
import { beginBackup, type Maker } from './write-backup.ts';

/** Takes a piece, and resolves when the stream wants the next one. */
export async function writePiece(stream: NodeJS.WritableStream, piece: Uint8Array): Promise<void> {
  if (!stream.write(piece)) await once(stream, 'drain');
}

/**
 * Makes a backup of a data folder, in use or not, and writes it to a stream while it is made.
 * @throws FolderTaken, NoRoom, UnfitFolder, or what the store says
 */
export async function streamBackup(plan: FolderPlan, stream: NodeJS.WritableStream, maker: Maker, manner: CopyManner): Promise<Manifest> {
  const work = takeWorkFolder(workFolderIn(plan.path));
  try {
    const backup = await beginBackup(plan, work, maker, manner);
    for await (const piece of readGrowing(backup.file, backup.whole)) await writePiece(stream, piece);
    return await backup.whole;
  } finally {
    work.close();
  }
}
