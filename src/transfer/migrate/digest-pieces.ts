import type { ForeignDatabase } from '../../store/foreign-database.ts';
import { columnSql, type Cut, isApartSql, pieceSql, rowHashSql, type Source, sourcesOf } from './cut.ts';
import type { Layout } from './layout.ts';
import type { Part } from './table-group.ts';

/** Rows by tenant, as `app/tenant`, or by `app/` in tables that know of no tenant. */
export type Counts = ReadonlyMap<string, number>;

/** What the server says of the rows of all pieces. */
export interface Digested {
  /** 0 for pieces without a row. */
  readonly digests: BigUint64Array;
  /** Rows of the largest piece. */
  readonly most: number;
  /** Rows of each table, counted in the same scan. */
  readonly counts: ReadonlyMap<string, Counts>;
  /** Whether there are rows to which no index leads by their piece. */
  readonly isApart: boolean;
}

/** Has statements run on a connection that sees the instant of the pass, perhaps several at the same time. */
export type Ask = <T>(work: (database: ForeignDatabase) => Promise<T>) => Promise<T>;

/** Digests of the rows of all pieces: made by the server, so that no row travels; tables at the same time. */
export async function digestPieces(ask: Ask, layout: Layout, parts: readonly Part[], cut: Cut): Promise<Digested> {
  const sources = sourcesOf(layout, parts);
  const answers = await Promise.all(sources.map((source) => ask((database) => digestTable(database, layout, source, cut))));
  const digests = new BigUint64Array(cut.pieces);
  let most = 0;
  for (const [at, { pieces }] of answers.entries())
    for (const text of pieces)
      for (const piece of text.split(',')) {
        const [number = '', rows = '', sum = ''] = piece.split(' ');
        most = Math.max(most, Number(rows));
        digests[Number(number)] = mixed(digests[Number(number)] ?? 0n, at, Number(rows), BigInt(sum));
      }
  const counts = new Map(sources.map(({ part }, at) => [part.table, answers[at]?.counts ?? new Map<string, number>()]));
  return { digests, most, counts, isApart: answers.some((answer) => answer.isApart) };
}

/** Pieces whose digests travel as one text. */
const PIECES_OF_TEXT = 512;

interface TableDigest {
  /** Pieces, each as its number, rows and the sum of their hashes. */
  readonly pieces: readonly string[];
  readonly counts: Counts;
  readonly isApart: boolean;
}

/** Digests and counts in one scan of a table. */
async function digestTable(database: ForeignDatabase, layout: Layout, source: Source, cut: Cut): Promise<TableDigest> {
  const { found } = source;
  const tenant = found.columns.has('tenant_id') ? columnSql(found, 'tenant_id') : "''";
  const rows = await database.rows(
    `SELECT app || '/' || tenant AS place, sum(rows)::bigint AS rows, string_agg(piece || ' ' || rows || ' ' || digest, ',') AS pieces,
       bool_or(apart) AS apart FROM (
       SELECT ${pieceSql(source, cut, layout)} AS piece, ${columnSql(found, 'app_id')} AS app, ${tenant} AS tenant,
         bool_or(${isApartSql(source, cut)}) AS apart, count(*) AS rows, sum(${rowHashSql(source, cut.seed, layout)}) AS digest
       FROM ${found.sql} t GROUP BY GROUPING SETS ((1), (2, 3))
     ) x GROUP BY app, tenant, piece / ${PIECES_OF_TEXT}`,
  );
  const counts = new Map<string, number>();
  const pieces: string[] = [];
  for (const { place, rows: number, pieces: text } of rows) {
    if (typeof text === 'string') pieces.push(text);
    else counts.set(String(place), Number(number));
  }
  return { pieces, counts, isApart: rows.some(({ apart }) => apart === true) };
}

const FACTOR = 0x9e3779b97f4a7c15n;

function mixed(before: bigint, part: number, rows: number, sum: bigint): bigint {
  const next = BigInt.asUintN(64, before * FACTOR + (sum ^ (BigInt(rows) * FACTOR)) + BigInt(part + 1));
  // 0 stands for no row at all.
  return next === 0n ? 1n : next;
}

/** How many rows the first table of a group has. */
export async function countRows(ask: Ask, layout: Layout, parts: readonly Part[]): Promise<number> {
  const [source] = sourcesOf(layout, parts);
  if (!source) return 0;
  const [row] = await ask((database) => database.rows(`SELECT count(*) AS rows FROM ${source.found.sql}`));
  return Number(row?.['rows']);
}
