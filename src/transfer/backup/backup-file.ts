import { realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { UnfitFolder } from '../../store/copy.ts';
import { isStored } from '../../store/open-store.ts';
import { planFolder } from '../../store/plan.ts';

/** Where a backup that has its file's name only when it is whole is made. */
export const workFolderOf = (file: string): string => `${file}.partial`;

/**
 * The absolute name of a file for a backup.
 * @throws UnfitFolder where its folder is missing, or is one of a store: a backup there is lost with what it is of
 */
export async function backupFile(file: string): Promise<string> {
  const folder = realFolder(dirname(resolve(file)));
  for (let above = folder; ; above = dirname(above)) {
    if (await isStored(planFolder(above)))
      throw new UnfitFolder(`${file} is in the data folder ${above}: a backup belongs elsewhere, best on another disk`);
    if (dirname(above) === above) return join(folder, basename(file));
  }
}

function realFolder(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new UnfitFolder(`There is no folder ${path}`, { cause: error });
  }
}
