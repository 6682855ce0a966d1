import type { Store } from '../../store/store.ts';
import { count, duration } from '../progress.ts';
import type { Pass } from './pass.ts';
import { moveGroups } from './records.ts';

/** Rows of one table of one tenant. */
export interface ReportLine {
  readonly table: string;
  readonly app: string;
  readonly tenant: string;
  readonly rows: Readonly<Record<string, number>>;
}

/** What a move has done so far. */
export interface Report {
  readonly seconds: number;
  /** Pieces that the last pass read. */
  readonly changed: number;
  readonly lines: readonly ReportLine[];
  readonly remarks: readonly string[];
}

const MOST_GROUPS = 100_000;

/** Adds up what became of all rows. */
export async function reportOf(store: Store, pass: Pass, seconds: number): Promise<Report> {
  const groups = await store.read((reader) => reader.list(moveGroups, undefined, { prefix: [], limit: MOST_GROUPS }));
  const lines = new Map<string, { table: string; app: string; tenant: string; rows: Record<string, number> }>();
  for (const [table, app, tenant, outcome, rows] of groups.flatMap(({ totals }) => totals)) {
    const name = JSON.stringify([table, app, tenant]);
    const line = lines.get(name) ?? { table, app, tenant, rows: {} };
    lines.set(name, line);
    line.rows[outcome] = (line.rows[outcome] ?? 0) + rows;
  }
  const changed = pass.storages.flatMap((storage) => storage.groups).reduce((sum, { read }) => sum + read, 0);
  return { seconds, changed, lines: [...lines.values()].toSorted(byPlace), remarks: pass.remarks };
}

function byPlace(a: ReportLine, b: ReportLine): number {
  const [left, right] = [a, b].map(({ app, tenant, table }) => JSON.stringify([app, tenant, table]));
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/** A report as people read it. */
export function reportText({ seconds, lines, remarks }: Report): string {
  const rows = lines.map(({ table, app, tenant, rows: outcomes }) => {
    const { moved = 0, lost = 0, ...left } = outcomes;
    const others = Object.entries(left)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([why, number]) => `${count(number)} ${why}`);
    return [
      table,
      [app, tenant].filter(Boolean).join('/'),
      count(moved),
      [...(lost > 0 ? [`${count(lost)} LOST`] : []), ...others].join(', '),
    ];
  });
  const all = [['table', 'app/tenant', 'moved', 'left behind'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const table = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...table, ...remarks, `The pass took ${duration(seconds)}.`].map((line) => `${line}\n`).join('');
}
