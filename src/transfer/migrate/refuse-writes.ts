import { columnSql, rowHashSql, type Source as Table, sourcesOf } from './cut.ts';
import type { Ask } from './digest-pieces.ts';
import { MigrateFault } from './fault.ts';
import { GROUPS } from './groups/all-groups.ts';
import { type Instant, isNewSql } from './instant.ts';
import type { Layout } from './layout.ts';
import { findStorage } from './open-storage.ts';
import { hasSameTenants, type Pass, type ReadStorage, type Source } from './pass.ts';

/** Looks whether anybody has written since what was moved. @throws MigrateFault where that is so: the old core runs */
export async function refuseWrites(source: Source, pass: Pass): Promise<void> {
  const changed = (await hasSameTenants(source, pass)) ? await changedSince(pass.storages) : 'tenants';
  if (changed !== undefined)
    throw new MigrateFault(`Somebody has changed ${changed} meanwhile: stop the old core, all of its instances, and finish again`);
}

async function changedSince(storages: readonly ReadStorage[]): Promise<string | undefined> {
  for (const moved of storages) {
    const now = await findStorage(moved.storage);
    try {
      // Mostly nobody has written anything on the whole server.
      if (now.instant.next === moved.instant.next) continue;
      for (const { name, parts } of GROUPS)
        for (const table of sourcesOf(moved.layout, parts)) {
          const asked = [moved, now].map(({ ask, layout }) => traceOf(ask, layout, table, moved.instant));
          const [before, after] = await Promise.all(asked);
          if (before !== after) return `${name} in ${moved.label}`;
        }
    } finally {
      await now.database.close();
    }
  }
  return undefined;
}

/** What differs as soon as any row of a table does that was added, changed or removed since an instant. */
async function traceOf(ask: Ask, layout: Layout, table: Table, seen: Instant): Promise<string> {
  const text = `SELECT ${columnSql(table.found, 'app_id')} AS app, count(*) AS rows,
      sum(${rowHashSql(table, 0, layout)}) FILTER (WHERE ${isNewSql(seen)})::text AS digest
    FROM ${table.found.sql} t GROUP BY 1 ORDER BY 1`;
  return JSON.stringify(await ask((database) => database.rows(text)));
}
