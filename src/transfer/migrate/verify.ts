import { MigrateFault } from './fault.ts';
import type { Counts } from './digest-pieces.ts';
import { GROUPS } from './groups/all-groups.ts';
import type { GroupRecord, Tally } from './records.ts';

/** Rows of a table that were read, by tenant. */
function readRows(totals: readonly Tally[], table: string): Counts {
  const rows = new Map<string, number>();
  for (const [name, app, tenant, , number] of totals) {
    const place = `${app}/${tenant}`;
    if (name === table) rows.set(place, (rows.get(place) ?? 0) + number);
  }
  return rows;
}

/** Tenants of which other numbers of rows were read than are there. */
const differing = (read: Counts, there: Counts): readonly string[] =>
  [...new Set([...there.keys(), ...read.keys()])].filter((place) => there.get(place) !== read.get(place));

/** Whether as many rows of a table were read as are there, of every tenant. */
export const isSameCount = (totals: readonly Tally[], table: string, there: Counts = new Map()): boolean =>
  differing(readRows(totals, table), there).length === 0;

interface MovedStorage {
  readonly label: string;
  /** In the order of all groups. */
  readonly groups: readonly { readonly state: GroupRecord; readonly counts: ReadonlyMap<string, Counts> }[];
}

/** Compares what was moved with what is there: rows of every table by tenant. @throws MigrateFault */
export function verifyMove(storages: readonly MovedStorage[]): void {
  for (const { label, groups } of storages)
    for (const [at, { parts }] of GROUPS.entries()) {
      const { state, counts } = groups[at] ?? {};
      for (const { table } of parts) {
        const [read, there] = [readRows(state?.totals ?? [], table), counts?.get(table) ?? new Map<string, number>()];
        const [place] = differing(read, there);
        if (place === undefined) continue;
        const numbers = `${there.get(place) ?? 0} rows, of which ${read.get(place) ?? 0} were read`;
        throw new MigrateFault(`${table} of ${place} in ${label} has ${numbers}: this is a fault of ours`);
      }
    }
}
