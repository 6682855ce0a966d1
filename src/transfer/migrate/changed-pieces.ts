import { type Cut, columnSql, isApartSql, pieceSql, type Source, sourcesOf } from './cut.ts';
import type { Ask, Counts } from './digest-pieces.ts';
import { type Instant, isNewSql } from './instant.ts';
import type { Layout } from './layout.ts';
import type { Part } from './table-group.ts';

/** What was written since an earlier pass. */
export interface Changed {
  /** Pieces with a row that was added or changed; those of which one was only deleted do not show here. */
  readonly pieces: ReadonlySet<number>;
  readonly counts: ReadonlyMap<string, Counts>;
  /** Whether an added or changed row is one to which no index leads by its piece. */
  readonly isApart: boolean;
}

/** Finds the rows that were added or changed since by who wrote them, and counts all: one cheap scan of each table. */
export async function changedPieces(
  ask: Ask,
  layout: Layout,
  parts: readonly Part[],
  { cut, seen }: { readonly cut: Cut; readonly seen: Pick<Instant, 'oldest'> },
): Promise<Changed> {
  const sources = sourcesOf(layout, parts);
  const answers = await Promise.all(sources.map((source) => askTable(ask, layout, source, cut, seen)));
  const pieces = new Set<number>();
  for (const answer of answers) for (const piece of answer.pieces) pieces.add(piece);
  const counts = new Map(sources.map(({ part }, at) => [part.table, answers[at]?.counts ?? new Map<string, number>()]));
  return { pieces, counts, isApart: answers.some((answer) => answer.isApart) };
}

interface OfTable {
  readonly pieces: readonly number[];
  readonly counts: Counts;
  readonly isApart: boolean;
}

async function askTable(ask: Ask, layout: Layout, source: Source, cut: Cut, seen: Pick<Instant, 'oldest'>): Promise<OfTable> {
  const { found } = source;
  const tenant = found.columns.has('tenant_id') ? columnSql(found, 'tenant_id') : "''";
  const isNew = `FILTER (WHERE ${isNewSql(seen)})`;
  const text = `SELECT ${columnSql(found, 'app_id')} AS app, ${tenant} AS tenant, count(*) AS rows,
      array_agg(DISTINCT ${pieceSql(source, cut, layout)}) ${isNew} AS pieces, bool_or(${isApartSql(source, cut)}) ${isNew} AS apart
    FROM ${found.sql} t GROUP BY 1, 2`;
  const rows = await ask((database) => database.rows(text));
  return {
    pieces: rows.flatMap(({ pieces }) => (Array.isArray(pieces) ? pieces.map(Number) : [])),
    counts: new Map(rows.map((row) => [`${String(row['app'])}/${String(row['tenant'])}`, Number(row['rows'])])),
    isApart: rows.some(({ apart }) => apart === true),
  };
}

/** Rows of each piece of one table that has any. */
export async function countPieces(ask: Ask, layout: Layout, source: Source, cut: Cut): Promise<ReadonlyMap<number, number>> {
  const text = `SELECT string_agg(piece || ' ' || rows, ',') AS pieces FROM (
      SELECT ${pieceSql(source, cut, layout)} AS piece, count(*) AS rows FROM ${source.found.sql} t GROUP BY 1
    ) x GROUP BY piece / ${PIECES_OF_TEXT}`;
  const rows = await ask((database) => database.rows(text));
  const counts = new Map<number, number>();
  for (const { pieces } of rows)
    for (const each of String(pieces).split(',')) {
      const [piece = '', number = ''] = each.split(' ');
      counts.set(Number(piece), Number(number));
    }
  return counts;
}

/** Pieces whose counts travel as one text. */
const PIECES_OF_TEXT = 512;
