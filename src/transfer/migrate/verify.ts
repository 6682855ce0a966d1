import type { ForeignDatabase } from '../../store/foreign-database.ts';
import type { Store } from '../../store/store.ts';
import { MigrateFault } from './fault.ts';
import { GROUPS } from './groups/all-groups.ts';
import type { Layout } from './layout.ts';
import type { Pass } from './pass.ts';
import { moveGroups } from './records.ts';

/** Compares what was moved with what is there: rows of every table by tenant. @throws MigrateFault */
export async function verifyMove(store: Store, { storages }: Pass): Promise<void> {
  for (const { label, database, layout } of storages)
    for (const group of GROUPS) {
      const state = await store.read((reader) => reader.get(moveGroups, [label, group.name]));
      for (const { table } of group.parts) {
        const there = await countByTenant(database, layout, table);
        const seen = new Map<string, number>();
        for (const [name, app, tenant, , rows] of state?.totals ?? []) {
          const place = `${app}/${tenant}`;
          if (name === table) seen.set(place, (seen.get(place) ?? 0) + rows);
        }
        for (const place of new Set([...there.keys(), ...seen.keys()]))
          if (there.get(place) !== seen.get(place))
            throw new MigrateFault(
              `${table} of ${place} in ${label} has ${there.get(place) ?? 0} rows, of which ${seen.get(place) ?? 0} were read: this is a fault of ours`,
            );
      }
    }
}

async function countByTenant(database: ForeignDatabase, layout: Layout, table: string): Promise<Map<string, number>> {
  const found = layout.tables.get(table);
  if (!found) return new Map();
  const tenant = found.columns.has('tenant_id') ? "coalesce(tenant_id, 'public')" : "''";
  const rows = await database.rows(
    `SELECT coalesce(app_id, 'public') AS app, ${tenant} AS tenant, count(*) AS rows FROM ${found.sql} GROUP BY 1, 2`,
  );
  return new Map(rows.map((row) => [`${String(row['app'])}/${String(row['tenant'])}`, Number(row['rows'])]));
}
