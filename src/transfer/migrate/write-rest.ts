import { createWriteStream, rmSync } from 'node:fs';
import { once } from 'node:events';
import { ASIDE_TABLES } from './groups/all-groups.ts';
import type { OpenStorage } from './move-group.ts';

const PAGE_ROWS = 1000;

/** Keeps rows aside that have no use here, a JSON object a line; without any there is no file. @returns how many */
export async function writeRest(storages: readonly OpenStorage[], file: string): Promise<number> {
  const sink = createWriteStream(file, { mode: 0o600 });
  await once(sink, 'open');
  let rows = 0;
  for (const { label, database, layout } of storages)
    for (const table of ASIDE_TABLES) {
      const found = layout.tables.get(table);
      if (!found) continue;
      for await (const page of database.pages(`SELECT to_jsonb(t)::text AS row FROM ${found.sql} t`, [], PAGE_ROWS)) {
        const lines = page.map((row) => `{"storage":${JSON.stringify(label)},"table":"${table}","row":${String(row['row'])}}\n`);
        rows += lines.length;
        if (!sink.write(lines.join(''))) await once(sink, 'drain');
      }
    }
  sink.end();
  await once(sink, 'close');
  if (rows === 0) rmSync(file);
  return rows;
}
