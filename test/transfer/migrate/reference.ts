import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, onTestFinished } from 'vitest';
import { findPostgres } from '../../postgres/server.ts';
import { PROJECT_ROOT, startCore } from '../../running-core.ts';
import { type Ended, watchword } from '../program.ts';

/* The database that the real core wrote, loaded into databases of the private PostgreSQL of this run. */

const FOLDER = process.env['WATCHWORD_REFERENCE_DATABASE'] ?? join(PROJECT_ROOT, '..', 'shared', 'reference-database');
const server = inject('postgresUrl');

/** Whether there is a database to be moved, and a server for it. */
export const hasReference: boolean = server !== undefined && existsSync(join(FOLDER, 'dump.sql'));
if (!hasReference) console.log('not tested: moves of a SuperTokens database, which is not here (WATCHWORD_REFERENCE_DATABASE)');

/** A database that is moved. */
export interface Reference {
  readonly url: string;
  /** Runs SQL in it, as its owner; answers the values of the rows, one row a line. */
  sql(text: string): string;
}

let made = 0;

function psql(url: string, args: readonly string[]): string {
  return execFileSync(join(findPostgres() ?? '', 'psql'), ['-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1', ...args, url], {
    encoding: 'utf8',
    env: { ...process.env, PGOPTIONS: '-c client_min_messages=warning' },
  });
}

/** A fresh database; what is given is loaded into it. */
export const newDatabase = (...files: readonly (readonly string[])[]): Reference => createDatabase('', files);

function createDatabase(options: string, files: readonly (readonly string[])[]): Reference {
  const name = `moved_${process.pid}_${made++}`;
  psql(server ?? '', ['-c', `CREATE DATABASE ${name} ${options}`]);
  const url = (server ?? '').replace(/\/postgres$/, `/${name}`);
  onTestFinished(() => void psql(server ?? '', ['-c', `DROP DATABASE ${name} WITH (FORCE)`]));
  for (const args of files) psql(url, args);
  return { url, sql: (text) => psql(url, ['-c', text]) };
}

const DUMP = ['-f', join(FOLDER, 'dump.sql')];

/** The reference database, as a core of this version left it. */
export const referenceDatabase = (core: 12 | 11 | 10 | 9 | 7 | 6 = 12): Reference =>
  core === 12 ? newDatabase(DUMP) : newDatabase(DUMP, ['-v', `core=${core}`, '-f', join(FOLDER, 'older.sql')]);

/** The reference database on a server that does not know what its bytes mean. */
export const rawReferenceDatabase = (): Reference =>
  createDatabase("TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'", [DUMP]);

/** Puts the reference database in the place of what is there. */
export function loadAnew({ sql, url }: Reference): void {
  sql('DROP SCHEMA public CASCADE; DROP SCHEMA eu_schema CASCADE; CREATE SCHEMA public');
  psql(url, DUMP);
}

/** A folder for the running test. */
export function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-move-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Expected {
  readonly options: Readonly<Record<string, string | number>>;
  readonly checks: readonly { readonly kind: string; readonly name: string; readonly steps: readonly unknown[] }[];
}

const expectedFile = join(FOLDER, 'expected.json');

export const expected = (): Expected => JSON.parse(readFileSync(expectedFile, 'utf8')) as Expected;

/** The configuration of the old core, and more lines of it, as a file. */
export function oldConfig(folder: string, more: Readonly<Record<string, string>> = {}): string {
  const file = join(folder, 'old-config.yaml');
  const lines = Object.entries({ ...expected().options, ...more }).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  writeFileSync(file, lines.join(''));
  return file;
}

/** How a pass ends that says nothing; on a busy machine it tells how far it is. */
export const COPIED = { code: 0, stderr: expect.stringMatching(/^(?:[\w ]+: \d+ %\n)*$/) as string };

/** How a last pass ends, and what it says. */
export const FINISHED = {
  code: 0,
  stderr: expect.stringMatching(/^(?:[\w ]+: \d+ %\n)*The move is finished after [\d.]+ s: cores may start on the store\.\n$/) as string,
};

/** Runs `watchword migrate`. */
export function migrate(from: string, to: string, config: string, ...flags: readonly string[]): Promise<Ended> {
  return watchword(['migrate', '--from', from, '--to', to, '--config', config, ...flags]);
}

/** Plays what must hold on a core over what was moved; answers the names of the checks that do not. */
export async function play(
  dataDir: string,
  config: string,
  env: Readonly<Record<string, string>> = {},
  ...flags: readonly string[]
): Promise<string[]> {
  // Whether users of the queue wait or are imported is not the question here.
  const core = await startCore({ dataDir, flags: ['--config', config], env: { BULK_MIGRATION_CRON_ENABLED: 'false', ...env } });
  try {
    const player = spawn(process.execPath, [join(FOLDER, 'play.mjs'), core.url, expectedFile, ...flags]);
    let said = '';
    player.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(player, 'close');
    if (!/\d+ hold, \d+ differ/.test(said)) throw new Error(`the player ended early: ${said}`);
    return [...said.matchAll(/^DIFFERS (.*?): step \d+/gm)].map(([, name = '']) => name).toSorted();
  } finally {
    await core.stop();
  }
}
