import { progressOn, STORED } from '../doctor/check-records.ts';
import { giveWayForBackups } from '../jobs/give-way.ts';
import { checkBackup, type Restored, restoreBackup } from '../transfer/backup/restore.ts';
import { planFolder } from '../store/plan.ts';
import { recordCommandIn } from '../transfer/record-command.ts';
import { UsageError } from '../transfer/command-line.ts';
import { count } from '../transfer/progress.ts';
import { bind, EXIT } from './command.ts';
import { show } from './connection.ts';
import { facts } from './table.ts';

/** `watchword restore`. */
export const RESTORE_COMMAND = bind(
  {
    name: 'restore',
    operands: ['<FILE>'],
    about: [
      'Makes a data folder of a backup, or only checks one.',
      'Manifest, size, digest and every record are checked before the folder holds a store. The folder must be empty or not be there.',
    ].join('\n'),
    examples: ['restore /backups/today.backup --data-dir /data', 'restore --check /backups/today.backup'],
    flags: {
      'data-dir': { value: 'DIR', doc: 'the new data folder' },
      check: { doc: 'restore to a throw-away folder, in TMPDIR, and tell what the backup holds' },
      json: { doc: 'print the answer as JSON' },
    },
  },
  async ({ operands: [file = ''], flags }, { print, screen, signal }) => {
    const folder = flags['data-dir'];
    if ((folder === undefined) !== flags.check) throw new UsageError('Say what to do: either --data-dir DIR or --check');
    process.umask(0o077);
    giveWayForBackups();
    const progress = { copied: progressOn(screen, 'bytes copied'), checked: progressOn(screen, 'entries checked') };
    const parts = {
      collections: STORED,
      finding: (text: string) => screen.write(`${text}\n`),
      progress: (what: 'copied' | 'checked', done: number, total: number) => progress[what](done, total),
      signal,
    };
    const restored = await (folder === undefined ? checkBackup(file, parts) : restoreBackup(file, folder, parts));
    if (folder !== undefined) await recordCommandIn(planFolder(folder), 'store.restored', 'restore', Date.now);
    if (screen.isTerminal) screen.write('\r');
    const { manifest, count: found } = restored;
    show(flags, print, { ...manifest, records: found.records, indexEntries: found.indexEntries, collections: found.collections }, () =>
      textOf(restored, folder),
    );
    return EXIT.done;
  },
);

function textOf({ manifest, count: found }: Restored, folder: string | undefined): string {
  const collections = Object.entries(found.collections).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return facts([
    [folder === undefined ? 'sound backup of' : 'restored as of', manifest.created],
    ['made by version', manifest.product],
    ['bytes', count(manifest.bytes)],
    ['records', count(found.records)],
    ['index entries', count(found.indexEntries)],
    ...collections.map(([name, records]): [string, string] => [`  ${name}`, count(records)]),
  ]);
}
