import { productVersion } from './config/product-version.ts';
import { LostPages, NoRoom } from './store/copy.ts';
import { planFolder } from './store/plan.ts';
import { FolderTaken, takeWorkFolder, type WorkFolder } from './store/work-folder.ts';
import type { BackupAsked, BackupSaid } from './threads/backup-messages.ts';
import { beginBackup, saveBackup } from './transfer/backup/write-backup.ts';

/*
 * `node dist/src/backup-process.js JSON`: makes one backup for a core, and ends with it (decision 0024). In a process
 * of its own it gives way as a whole, may let the system read ahead, and takes nobody with it where a disk is full.
 */

const MAKER = { product: productVersion() };

let work: WorkFolder | undefined;

function say(said: BackupSaid): void {
  process.send?.(said);
}

/** Leaves nothing behind. A thread of the database that still copies would keep an orderly end waiting. */
function end(): void {
  try {
    work?.close();
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}

async function make({ dataDir, work: folder, file, withFree }: BackupAsked): Promise<void> {
  const plan = planFolder(dataDir, true);
  work = takeWorkFolder(folder);
  if (file === undefined) {
    const backup = await beginBackup(plan, work, MAKER, { withFree });
    say({ kind: 'begun', file: backup.file });
    await backup.whole;
  } else {
    await saveBackup(plan, file, work, MAKER);
    work.close();
  }
  say({ kind: 'whole' });
}

/** Why a backup was refused, by the class of what was thrown. */
const REASONS = [
  [FolderTaken, 'under-way'],
  [NoRoom, 'no-room'],
  [LostPages, 'lost-pages'],
] as const;

function refuse(error: unknown): void {
  work?.close();
  const [, why] = REASONS.find(([kind]) => error instanceof kind) ?? [undefined, 'fault' as const];
  say({ kind: 'refused', why, reason: error instanceof Error ? error.message : String(error) });
}

process.umask(0o077);
// Whoever asked wants no more of it, or is gone; and so it is with the signals that end a whole terminal.
process.once('disconnect', end);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
const [, , asked = ''] = process.argv;
await make(JSON.parse(asked) as BackupAsked).catch(refuse);
