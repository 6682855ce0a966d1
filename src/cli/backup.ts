import { loadConfig } from '../config/config.ts';
import { environment } from '../config/environment.ts';
import { productVersion } from '../config/product-version.ts';
import { progressOn, STORED } from '../doctor/check-records.ts';
import { giveWayForBackups } from '../jobs/give-way.ts';
import { compactStored } from '../store/open-store.ts';
import { type FolderPlan, planFolder } from '../store/plan.ts';
import { takeWorkFolder } from '../store/work-folder.ts';
import { backupFile, workFolderOf } from '../transfer/backup/backup-file.ts';
import { BackupRefused, type BackupSource, fetchBackup, saveFetched } from '../transfer/backup/fetch-backup.ts';
import type { Manifest } from '../transfer/backup/manifest.ts';
import { streamBackup, writePiece } from '../transfer/backup/stream-backup.ts';
import { saveBackup } from '../transfer/backup/write-backup.ts';
import { type Given, UsageError } from '../transfer/command-line.ts';
import { urlOf } from '../transfer/core-client.ts';
import { count } from '../transfer/progress.ts';
import { bind, CommandFault, EXIT } from './command.ts';
import { apiKeyOf, CORE_FLAGS } from './connection.ts';
import type { Terminal } from './terminal.ts';

const { url, 'api-key-file': apiKeyFile, 'data-dir': dataDir, config, json } = CORE_FLAGS;
const FLAGS = {
  url,
  'api-key-file': apiKeyFile,
  'data-dir': { ...dataDir, doc: 'of this data folder instead, with or without a core running on it' },
  config,
  'with-free': { doc: 'with --data-dir and -: copy free pages too, where the command says that it has to' },
  compact: { doc: 'write the store of a data folder anew without what is free, which gives room back; no core may run on it' },
  json,
} as const;

type BackupFlags = Given<typeof FLAGS>;

const DEFAULT_URL = 'http://localhost:3567';
/** Standard output instead of a file. */
const STREAM = '-';
/** What the core that refused has to do with the exit code; other statuses are faults. */
const CODES: Readonly<Record<number, number>> = { 401: EXIT.notAllowed, 403: EXIT.notAllowed, 503: EXIT.unreachable };

/** `watchword backup`. */
export const BACKUP_COMMAND = bind(
  {
    name: 'backup',
    operands: ['[FILE]'],
    about: [
      'Writes a backup of the whole store to FILE, or to standard output for -.',
      'It is the store of one moment, also while cores write. FILE has its name only when it is whole, checked and on the disk.',
      'A running core needs a key that is good for all, and room for a copy of its store.',
    ].join('\n'),
    examples: [
      'backup /backups/today.backup --url http://127.0.0.1:3567 --api-key-file /run/secrets/watchword',
      'backup /backups/today.backup --data-dir /data',
      'backup - --data-dir /data | age -r KEY > today.backup.age',
      'backup --compact --data-dir /data',
    ],
    flags: FLAGS,
  },
  async ({ operands: [file], flags }, terminal) => {
    if (flags.url !== undefined && flags['data-dir'] !== undefined) throw new UsageError('Say of what: either --url or --data-dir');
    // A backup is as secret as the store.
    process.umask(0o077);
    giveWayForBackups();
    if (flags.compact) return compact(flags, file, terminal);
    if (file === undefined) throw new UsageError('Name a file, or - for standard output');
    const manifest = await (flags['data-dir'] === undefined ? ofCore(flags, file, terminal) : ofFolder(flags, file, terminal));
    tell(flags, file, manifest, terminal);
    return EXIT.done;
  },
);

/** Standard output may be the backup itself. */
function tell(flags: BackupFlags, file: string, manifest: Manifest, { print, screen }: Terminal): void {
  if (screen.isTerminal) screen.write('\r');
  const text = `${count(manifest.bytes)} bytes with ${count(manifest.entries)} entries, as of ${manifest.created}.\n`;
  if (file === STREAM) screen.write(text);
  else print(flags.json ? `${JSON.stringify({ file, ...manifest }, null, 2)}\n` : text);
}

async function ofCore(flags: BackupFlags, file: string, { screen, signal }: Terminal): Promise<Manifest> {
  const told = progressOn(screen, 'bytes came');
  const progress = (bytes: number): void => told(bytes, undefined);
  const source: BackupSource = { url: urlOf(flags.url ?? DEFAULT_URL), apiKey: apiKeyOf(flags), progress, signal };
  try {
    if (file !== STREAM) return await saveFetched(source, file);
    return await fetchBackup(source, (piece) => writePiece(process.stdout, piece));
  } catch (error) {
    if (!(error instanceof BackupRefused)) throw error;
    throw new CommandFault(error.message, error.status === undefined ? EXIT.failed : (CODES[error.status] ?? EXIT.failed));
  }
}

function planOf(flags: BackupFlags): FolderPlan {
  const argv = (['data-dir', 'config'] as const).flatMap((name) => (flags[name] === undefined ? [] : [`--${name}`, flags[name]]));
  return planFolder(loadConfig({ argv, env: environment(), cwd: process.cwd(), serves: false }).config.data_dir, true);
}

async function ofFolder(flags: BackupFlags, path: string, { screen, signal }: Terminal): Promise<Manifest> {
  const maker = { product: productVersion(), progress: progressOn(screen, 'bytes written'), signal };
  const plan = planOf(flags);
  if (path === STREAM) return streamBackup(plan, process.stdout, maker, { withFree: flags['with-free'] });
  const file = await backupFile(path);
  const work = takeWorkFolder(workFolderOf(file));
  try {
    return await saveBackup(plan, file, work, maker);
  } finally {
    work.close();
  }
}

async function compact(flags: BackupFlags, file: string | undefined, { print, screen, signal }: Terminal): Promise<number> {
  if (file !== undefined) throw new UsageError('--compact works in place and takes no file');
  if (flags['data-dir'] === undefined) throw new UsageError('--compact needs --data-dir');
  const report = { finding: (text: string) => screen.write(`${text}\n`), progress: progressOn(screen, 'entries checked') };
  const { before, after } = await compactStored(planOf(flags), STORED, report, signal);
  if (screen.isTerminal) screen.write('\r');
  print(flags.json ? `${JSON.stringify({ before, after })}\n` : `The store has ${count(after)} bytes, and had ${count(before)}.\n`);
  return EXIT.done;
}
