import type { ForeignDatabase, Row } from '../../store/foreign-database.ts';
import type { FoundTable, Layout } from './layout.ts';
import type { Part } from './table-group.ts';

/** Rows that are fetched at a time from each table. */
const PAGE_ROWS = 1000;
/** Digests that are fetched at a time. */
const PAGE_DIGESTS = 10_000;
const SEPARATOR = '\u0001';

/** A part whose table is there. */
interface Source {
  readonly part: Part;
  readonly found: FoundTable;
}

/** The rows of one piece, by table. */
export interface Piece {
  readonly piece: number;
  readonly rows: ReadonlyMap<string, readonly Row[]>;
}

const sourcesOf = (layout: Layout, parts: readonly Part[]): readonly Source[] =>
  parts.flatMap((part) => {
    const found = layout.tables.get(part.table);
    return found ? [{ part, found }] : [];
  });

/** A column as it is read: without the blanks that pad CHAR, and with the app of tables from before there were apps. */
function columnSql({ columns }: FoundTable, column: string): string {
  const type = columns.get(column);
  const sql = `t."${column}"`;
  if (column === 'app_id' || column === 'tenant_id') return `coalesce(${sql}, 'public')::text`;
  return type === 'character' ? `${sql}::text` : sql;
}

/** How the rows of a group are cut into pieces. */
export interface Cut {
  /** How many pieces there are: a power of two, at most 2^32. */
  readonly pieces: number;
  /** Whether by the first digits of ids, so that records are written in the order of their keys; else by hashes. */
  readonly byId: boolean;
}

/** The number of the piece to which a row belongs. */
function pieceSql({ part, found }: Source, { pieces, byId }: Cut, layout: Layout): string {
  const shift = 32 - Math.log2(pieces);
  const key = part.unit.map((column) => `${columnSql(found, column)}::text`).join(', ');
  const hash = `(${hashSql(`concat_ws(chr(1), ${key})`, layout)} & 4294967295)`;
  const [id = ''] = part.unit.filter((column) => column !== 'app_id' && column !== 'tenant_id');
  if (!byId || id === '') return `(${hash} >> ${shift})::int`;
  const text = `${columnSql(found, id)}::text`;
  const digits = `('x' || left(${text}, 8))::bit(32)::bigint`;
  return `((CASE WHEN ${text} ~ '^[0-9a-f]{8}' THEN ${digits} ELSE ${hash} END) >> ${shift})::int`;
}

function hashSql(text: string, { hasWideHash }: Layout): string {
  return hasWideHash ? `hashtextextended(${text}, 0)` : `((hashtext(${text})::bigint << 32) # hashtext(${text} || '~')::bigint)`;
}

/** How many rows the first table of a group has. */
export async function countRows(database: ForeignDatabase, layout: Layout, parts: readonly Part[]): Promise<number> {
  const [source] = sourcesOf(layout, parts);
  if (!source) return 0;
  const [row] = await database.rows(`SELECT count(*) AS rows FROM ${source.found.sql}`);
  return Number(row?.['rows']);
}

/** What the server says of the rows of all pieces. */
export interface Digested {
  /** 0 for pieces without a row. */
  readonly digests: BigUint64Array;
  /** Rows of the largest piece. */
  readonly most: number;
}

/** Digests of the rows of all pieces: made by the server, so that no row travels. */
export async function digestPieces(database: ForeignDatabase, layout: Layout, parts: readonly Part[], cut: Cut): Promise<Digested> {
  const digests = new BigUint64Array(cut.pieces);
  let most = 0;
  for (const [at, source] of sourcesOf(layout, parts).entries()) {
    const sum = `sum(${hashSql('t::text', layout)})::text`;
    const text = `SELECT ${pieceSql(source, cut, layout)} AS piece, count(*)::int AS rows, ${sum} AS digest FROM ${source.found.sql} t GROUP BY 1`;
    for await (const page of database.pages(text, [], PAGE_DIGESTS))
      for (const row of page) {
        const [piece, rows] = [Number(row['piece']), Number(row['rows'])];
        most = Math.max(most, rows);
        digests[piece] = mixed(digests[piece] ?? 0n, at, rows, BigInt(String(row['digest'])));
      }
  }
  return { digests, most };
}

const FACTOR = 0x9e3779b97f4a7c15n;

function mixed(before: bigint, part: number, rows: number, sum: bigint): bigint {
  const next = BigInt.asUintN(64, before * FACTOR + (sum ^ (BigInt(rows) * FACTOR)) + BigInt(part + 1));
  // 0 stands for no row at all.
  return next === 0n ? 1n : next;
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
  const streams = sourcesOf(layout, parts).map((source) => {
    const columns = source.part.columns.filter((column) => source.found.columns.has(column));
    const picked = columns.map((column) => `${columnSql(source.found, column)} AS "${column}"`).join(', ');
    const rows = `SELECT ${pieceSql(source, cut, layout)} AS piece, ${picked} FROM ${source.found.sql} t`;
    const some = `SELECT x.* FROM (${rows}) x JOIN unnest($1::int[]) AS w(piece) ON w.piece = x.piece`;
    const text = `${all ? rows : some} ORDER BY 1`;
    return new PieceStream(source.part.table, database.pages(text, all ? [] : [[...wanted]], PAGE_ROWS));
  });
  for (const piece of wanted) {
    const rows = new Map<string, readonly Row[]>();
    for (const stream of streams) {
      if (!stream.holds(piece)) await stream.fetch(piece);
      rows.set(stream.table, stream.take(piece));
    }
    yield { piece, rows };
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
