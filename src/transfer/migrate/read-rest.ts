import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { isJsonObject, parseJsonObject } from '../../json/free-form.ts';
import { count } from '../progress.ts';
import { MigrateFault } from './fault.ts';
import { ASIDE_TABLES } from './groups/all-groups.ts';

/** What a file of `--rest` holds. */
export interface Rest {
  readonly file: string;
  readonly rows: readonly { readonly storage: string; readonly table: string; readonly rows: number }[];
  /** Ids of OAuth clients, as `app/client`: what has to be registered again. */
  readonly clients: readonly string[];
}

/** Looks through what a move kept aside. @throws MigrateFault where that is no such file */
export async function readRest(file: string): Promise<Rest> {
  const rows = new Map<string, { storage: string; table: string; rows: number }>();
  const clients: string[] = [];
  let line = 0;
  try {
    for await (const text of createInterface({ input: createReadStream(file, 'utf8'), crlfDelay: Number.POSITIVE_INFINITY })) {
      line += 1;
      const { storage, table, client } = keptIn(text, `line ${line} of ${file}`);
      const name = JSON.stringify([storage, table]);
      const known = rows.get(name);
      if (known) known.rows += 1;
      else rows.set(name, { storage, table, rows: 1 });
      if (client !== undefined) clients.push(client);
    }
  } catch (error) {
    if (error instanceof MigrateFault) throw error;
    throw new MigrateFault(`The file of --rest cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return { file, rows: [...rows.values()], clients: clients.toSorted() };
}

interface Kept {
  readonly storage: string;
  readonly table: string;
  readonly client: string | undefined;
}

function keptIn(text: string, place: string): Kept {
  const kept = parseJsonObject(text);
  const [storage, table, row] = [kept?.['storage'], kept?.['table'], kept?.['row']];
  if (typeof storage !== 'string' || typeof table !== 'string' || !ASIDE_TABLES.includes(table) || !isJsonObject(row))
    throw new MigrateFault(`${place} is not what a move keeps aside`);
  const isClient = table === 'oauth_clients';
  return { storage, table, client: isClient ? `${String(row['app_id'])}/${String(row['client_id'])}` : undefined };
}

/** The same as people read it. */
export function restText({ file, rows, clients }: Rest): string {
  const lines = [
    ...rows.map(({ storage, table, rows: number }) => `${table} of ${storage}: ${count(number)} ${number === 1 ? 'row' : 'rows'}`),
    ...clients.map((client) => `OAuth client ${client}`),
    'Nothing was moved: this version serves no OAuth. A version that does reads this file with the same option, together with --to.',
    'Of a client it has the id and the encrypted secret; addresses, scopes and grants are in the database of Hydra, which is not read.',
    `Until then register these clients anew where they are needed, and keep ${file} as secret as the store.`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}
