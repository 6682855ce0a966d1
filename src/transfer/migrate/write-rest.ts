import { ASIDE_TABLES } from './groups/all-groups.ts';
import type { OpenStorage } from './move-group.ts';
import { writeLines } from './write-lines.ts';

const PAGE_ROWS = 1000;

/** Keeps rows aside that have no use here, a JSON object a line. @returns how many */
export const writeRest = (storages: readonly OpenStorage[], file: string): Promise<number> => writeLines(file, linesOf(storages));

async function* linesOf(storages: readonly OpenStorage[]): AsyncGenerator<readonly string[], undefined> {
  for (const { label, database, layout } of storages)
    for (const table of ASIDE_TABLES) {
      const found = layout.tables.get(table);
      if (!found) continue;
      const start = `{"storage":${JSON.stringify(label)},"table":"${table}","row":`;
      for await (const page of database.pages(`SELECT to_jsonb(t)::text AS row FROM ${found.sql} t`, [], PAGE_ROWS))
        yield page.map((row) => `${start}${String(row['row'])}}\n`);
    }
}
