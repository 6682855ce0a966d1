import type { ForeignDatabase, Row } from '../../store/foreign-database.ts';
import { columnSql, type Cut, idColumn, idsOf, pieceSql, type Source, sourcesOf } from './cut.ts';
import type { Counts } from './digest-pieces.ts';
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

/** What to read. */
interface Wanted {
  readonly cut: Cut;
  /** Ascending. */
  readonly wanted: Int32Array;
  /** Whether they are most of the pieces, so that the rest is read past. */
  readonly all: boolean;
  /** Rows by tenant, where indexes lead to all rows by their pieces. */
  readonly counts: ReadonlyMap<string, Counts> | undefined;
}

/** The rows of pieces, in the order of these numbers; a piece without rows comes too. */
export async function* readPieces(
  database: ForeignDatabase,
  layout: Layout,
  parts: readonly Part[],
  asked: Wanted,
): AsyncGenerator<Piece, undefined> {
  // Each table by a connection of its own, as far as they go.
  const databases = [database, ...database.beside];
  const streams = sourcesOf(layout, parts).map((source, at) => {
    const by = databases[at % databases.length] ?? database;
    const { text, values, byIndex } = statementFor(source, asked, layout);
    return new PieceStream(source.part.table, by.pages(text, values, PAGE_ROWS, byIndex));
  });
  for (const piece of asked.wanted) {
    const behind = streams.filter((stream) => !stream.holds(piece));
    if (behind.length > 0) await Promise.all(behind.map((stream) => stream.fetch(piece)));
    yield { piece, rows: new Map(streams.map((stream) => [stream.table, stream.take(piece)])) };
  }
  for (const stream of streams) await stream.end();
}

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether it is one for an index, of which the server may think less. */
  readonly byIndex: boolean;
}

function statementFor(source: Source, asked: Wanted, layout: Layout): Statement {
  const { cut, wanted, all } = asked;
  const { found, part } = source;
  const columns = part.columns.filter((column) => found.columns.has(column));
  const picked = columns.map((column) => `${columnSql(found, column)} AS "${column}"`).join(', ');
  const rows = `SELECT ${pieceSql(source, cut, layout)} AS piece, ${picked} FROM ${found.sql} t`;
  if (all) return { text: `${rows} ORDER BY 1`, values: [], byIndex: false };
  const byIndex = indexStatement(source, asked, picked);
  if (byIndex) return byIndex;
  const text = `SELECT x.* FROM (${rows}) x JOIN unnest($1::int[]) AS w(piece) ON w.piece = x.piece ORDER BY 1`;
  return { text, values: [[...wanted]], byIndex: false };
}

/** So often may an index be asked. */
const MOST_LOOKUPS = 100_000;

/** Reads pieces by the range of their ids, in every tenant; undefined where no index leads there. */
function indexStatement(source: Source, { cut, wanted, counts }: Wanted, picked: string): Statement | undefined {
  const { found, part } = source;
  const id = idColumn(source);
  const there = counts?.get(part.table);
  const leading = found.indexes.filter((columns) => {
    const before = columns.slice(0, columns.indexOf(id));
    return columns.includes(id) && before.every((column) => column === 'app_id' || column === 'tenant_id');
  });
  const [index] = leading.toSorted((a, b) => a.indexOf(id) - b.indexOf(id));
  if (!index || !there) return undefined;
  const keys = index.slice(0, index.indexOf(id));
  const owners = [...new Set([...there.keys()].map((place) => ownerOf(place, keys)))].map((text) => JSON.parse(text) as [string, string]);
  if (owners.length * wanted.length > MOST_LOOKUPS) return undefined;
  const type = found.columns.get(id) === 'character' ? '::bpchar' : '';
  const equal = keys.map((column) => `t."${column}" = o."${column}"`);
  const within = [`t."${id}" >= w.low${type}`, `t."${id}" < w.high${type}`];
  // OFFSET keeps the server from turning the look-ups into a scan for each tenant.
  const text = `SELECT w.piece AS piece, x.*
    FROM unnest($1::int[], $2::text[], $3::text[]) AS w(piece, low, high) CROSS JOIN unnest($4::text[], $5::text[]) AS o(app_id, tenant_id)
      CROSS JOIN LATERAL (SELECT ${picked} FROM ${found.sql} t WHERE ${[...equal, ...within].join(' AND ')} OFFSET 0) x ORDER BY 1`;
  const ids = [...wanted].map((piece) => idsOf(piece, cut));
  const values = [
    [...wanted],
    ids.map(([low]) => low),
    ids.map(([, high]) => high),
    owners.map(([app]) => app),
    owners.map(([, tenant]) => tenant),
  ];
  return { text, values, byIndex: true };
}

/** App and tenant of a place as an index asks for them. */
function ownerOf(place: string, keys: readonly string[]): string {
  const at = place.indexOf('/');
  const [app, tenant] = [place.slice(0, at), place.slice(at + 1)];
  return JSON.stringify([keys.includes('app_id') ? app : '', keys.includes('tenant_id') ? tenant : '']);
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
