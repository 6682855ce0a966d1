import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as rest } from 'node:timers/promises';
import { finishFile } from '../../store/sync-file.ts';
import { takeWorkFolder } from '../../store/work-folder.ts';
import { backupFile, workFolderOf } from './backup-file.ts';
import { type Manifest, NoBackup } from './manifest.ts';
import { BackupCheck } from './read-backup.ts';

/** A running core, and how it is asked. */
export interface BackupSource {
  readonly url: URL;
  readonly apiKey: string | undefined;
  /** Told how much came. */
  readonly progress?: (bytes: number) => void;
  readonly signal: AbortSignal;
}

/** A backup that did not come, or not whole; the message is a sentence. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
  /** Of the answer; 503 where none came. */
  readonly status: number | undefined;
  constructor(message: string, options: ErrorOptions & { readonly status?: number } = {}) {
    super(message, options);
    this.status = options.status;
  }
}

/** The connection ended in the middle. A core that found pages missing from its copy copies all of them next time. */
class BrokenOff extends BackupRefused {
  constructor(bytes: number, cause: unknown) {
    super(`The core broke the backup off after ${bytes} bytes, and its log says why; a second one may succeed`, { cause });
  }
}

/** Where the pieces of a backup go. */
type Take = (piece: Uint8Array) => Promise<void>;

const PATH = 'manage/v1/backup';
const TRY_AGAIN_MS = 500;
const MOST_TRIES = 60;

/**
 * Asks a core for a backup and hands its bytes on as they come.
 * @throws BackupRefused, NoBackup where what came is not whole
 */
export async function fetchBackup(source: BackupSource, take: Take): Promise<Manifest> {
  const { body } = await ask(source);
  if (!body) throw new BackupRefused('The core sent nothing');
  const check = new BackupCheck();
  const reader = body.getReader();
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read().catch((error: unknown) => {
      source.signal.throwIfAborted();
      throw new BrokenOff(bytes, error);
    });
    if (done) break;
    bytes += value.length;
    check.take(value);
    await take(value);
    source.progress?.(bytes);
  }
  return wholeOf(check);
}

/**
 * Asks a core for a backup, twice where the first breaks off, and keeps it in a file, which has its name only when it
 * is whole, checked and on the disk.
 * @throws FolderTaken, UnfitFolder, BackupRefused, NoBackup, or what the file system says
 */
export async function saveFetched(source: BackupSource, path: string): Promise<Manifest> {
  const file = await backupFile(path);
  const work = takeWorkFolder(workFolderOf(file));
  const unfinished = join(work.path, 'unfinished');
  try {
    const manifest = await fetchInto(source, unfinished).catch((error: unknown) => {
      if (!(error instanceof BrokenOff)) throw error;
      return fetchOnceFree(source, unfinished);
    });
    finishFile(unfinished, file);
    return manifest;
  } finally {
    work.close();
  }
}

/** The core may still be clearing away the copy that it broke off. */
async function fetchOnceFree(source: BackupSource, path: string): Promise<Manifest> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetchInto(source, path);
    } catch (error) {
      if (!(error instanceof BackupRefused && error.status === 503) || tries === MOST_TRIES) throw error;
      await rest(TRY_AGAIN_MS, undefined, { signal: source.signal });
    }
  }
}

/** Over what an earlier try has left there. */
async function fetchInto(source: BackupSource, path: string): Promise<Manifest> {
  const handle = await open(path, 'w', 0o600);
  try {
    return await fetchBackup(source, async (piece) => {
      await handle.writeFile(piece);
    });
  } finally {
    await handle.close();
  }
}

async function ask({ url, apiKey, signal }: BackupSource): Promise<Response> {
  const base = url.href.endsWith('/') ? url : new URL(`${url.href}/`);
  let response: Response;
  try {
    response = await fetch(new URL(PATH, base), { headers: apiKey === undefined ? {} : { 'api-key': apiKey }, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw unanswered(url, error);
  }
  if (response.ok) return response;
  const text = (await response.text()).trim();
  if (response.status === 404) throw new BackupRefused(`What answers at ${url.href} knows no backups: it is older than this command`);
  throw new BackupRefused(`The core made no backup (${response.status}): ${text}`, { status: response.status });
}

/** The connection ended before an answer came: it was never there, or the core could not begin. */
function unanswered(url: URL, error: unknown): BackupRefused {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isBroken = cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_SOCKET';
  if (isBroken) return new BrokenOff(0, error);
  return new BackupRefused(`No core answers at ${url.href}: ${reason}`, { cause: error, status: 503 });
}

function wholeOf(check: BackupCheck): Manifest {
  try {
    return check.end();
  } catch (error) {
    throw error instanceof NoBackup ? new NoBackup(`What the core sent cannot be kept: ${error.message}`) : error;
  }
}
