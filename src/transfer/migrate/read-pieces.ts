import type { ForeignDatabase, Row } from '../../store/foreign-database.ts';
import { columnSql, type Cut, pieceSql, sourcesOf } from './cut.ts';
import type { Layout } from './layout.ts';
import type { Part } from './table-group.ts';

/** Rows that are fetched at a time from each table. */
const PAGE_ROWS = 1000;
const SEPARATOR = '\u0001';

/** The rows of one piece, by table. */
export interface Piece {
  readonly piece: number;
  readonly rows: ReadonlyMap<string, readonly Row[]>;
}

/**
 * The rows of pieces, in the order of these numbers; a piece without rows comes too.
 * @param wanted ascending
 * @param all whether they are most of the pieces, so that the rest is read past
 */
export async function* readPieces(
  database: ForeignDatabase,
  layout: Layout,
  parts: readonly Part[],
  { cut, wanted, all }: { readonly cut: Cut; readonly wanted: Int32Array; readonly all: boolean },
): AsyncGenerator<Piece, undefined> {
  // Each table by a connection of its own, as far as they go.
  const databases = [database, ...database.beside];
  const streams = sourcesOf(layout, parts).map((source, at) => {
    const columns = source.part.columns.filter((column) => source.found.columns.has(column));
    const picked = columns.map((column) => `${columnSql(source.found, column)} AS "${column}"`).join(', ');
    const rows = `SELECT ${pieceSql(source, cut, layout)} AS piece, ${picked} FROM ${source.found.sql} t`;
    const some = `SELECT x.* FROM (${rows}) x JOIN unnest($1::int[]) AS w(piece) ON w.piece = x.piece`;
    const text = `${all ? rows : some} ORDER BY 1`;
    const by = databases[at % databases.length] ?? database;
    return new PieceStream(source.part.table, by.pages(text, all ? [] : [[...wanted]], PAGE_ROWS));
  });
  for (const piece of wanted) {
    const behind = streams.filter((stream) => !stream.holds(piece));
    if (behind.length > 0) await Promise.all(behind.map((stream) => stream.fetch(piece)));
    yield { piece, rows: new Map(streams.map((stream) => [stream.table, stream.take(piece)])) };
  }
  for (const stream of streams) await stream.end();
}

/** Rows of one table in the order of pieces. */
class PieceStream {
  readonly table: string;
  readonly #pages: AsyncGenerator<readonly Row[], undefined>;
  #rows: readonly Row[] = [];
  #at = 0;
  #isOver = false;

  constructor(table: string, pages: AsyncGenerator<readonly Row[], undefined>) {
    this.table = table;
    this.#pages = pages;
  }

  /** Whether all rows of a piece are in memory. */
  holds(piece: number): boolean {
    const last = this.#rows.at(-1);
    return this.#isOver || (last !== undefined && Number(last['piece']) > piece);
  }

  async fetch(piece: number): Promise<void> {
    while (!this.holds(piece)) {
      const { value, done } = await this.#pages.next();
      if (done) this.#isOver = true;
      else {
        this.#rows = [...this.#rows.slice(this.#at), ...value];
        this.#at = 0;
      }
    }
  }

  /** The rows of a piece; those of pieces before are gone past. */
  take(piece: number): readonly Row[] {
    let from = this.#at;
    while (Number(this.#rows[from]?.['piece']) < piece) from++;
    let to = from;
    while (this.#rows[to]?.['piece'] === piece) to++;
    this.#at = to;
    return this.#rows.slice(from, to);
  }

  async end(): Promise<void> {
    await this.#pages.return(undefined);
  }
}

/** The rows of a piece, unit by unit. */
export function unitsOf(piece: Piece, parts: readonly Part[]): ReadonlyMap<string, ReadonlyMap<string, readonly Row[]>> {
  const units = new Map<string, Map<string, Row[]>>();
  for (const { table, unit } of parts)
    for (const row of piece.rows.get(table) ?? []) {
      const name = unit.map((column) => String(row[column])).join(SEPARATOR);
      const tables = units.get(name) ?? new Map<string, Row[]>();
      units.set(name, tables);
      const rows = tables.get(table);
      if (rows) rows.push(row);
      else tables.set(table, [row]);
    }
  return units;
}
