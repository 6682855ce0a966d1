import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BackupSource, saveFetched } from '../../../src/transfer/backup/fetch-backup.ts';
import type { Manifest } from '../../../src/transfer/backup/manifest.ts';
import type { RestoreParts } from '../../../src/transfer/backup/restore.ts';
import { STORED } from '../../../src/doctor/check-records.ts';
import type { RunningCore } from '../../running-core.ts';
import { temporaryFolder } from '../../store/engines.ts';

/** What a restore tells in a test. */
export interface Told {
  readonly parts: RestoreParts;
  readonly findings: string[];
}

/** A restore with all collections. */
export function telling(): Told {
  const findings: string[] = [];
  const parts = {
    collections: STORED,
    progress: () => {},
    finding: (text: string) => void findings.push(text),
    signal: new AbortController().signal,
  };
  return { parts, findings };
}

/** A running core as a command asks it. */
export const sourceOf = (core: Pick<RunningCore, 'url'>): BackupSource => ({
  url: new URL(core.url),
  apiKey: undefined,
  signal: new AbortController().signal,
});

/** A new folder for backups, outside of any data folder. */
export function backupFolder(): string {
  const folder = join(temporaryFolder(), 'backups');
  mkdirSync(folder);
  return folder;
}

/** Puts metadata under a user id. */
export async function putMetadata(core: Pick<RunningCore, 'url'>, userId: string, metadataUpdate: object): Promise<number> {
  const response = await fetch(`${core.url}/recipe/user/metadata`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'cdi-version': '5.3' },
    body: JSON.stringify({ userId, metadataUpdate }),
  });
  await response.arrayBuffer();
  return response.status;
}

/** The metadata under a user id. */
export async function metadataOf(core: Pick<RunningCore, 'url'>, userId: string): Promise<unknown> {
  const response = await fetch(`${core.url}/recipe/user/metadata?userId=${userId}`, { headers: { 'cdi-version': '5.3' } });
  const body: unknown = await response.json();
  return typeof body === 'object' && body !== null && 'metadata' in body ? body.metadata : undefined;
}

/** Asks a core for a backup in a file of this name. */
export async function fetchTo(core: Pick<RunningCore, 'url'>, file: string): Promise<Manifest> {
  return saveFetched(sourceOf(core), file);
}
