import type { FoundTable, Hashing, Layout } from './layout.ts';
import type { Part } from './table-group.ts';

/** How the rows of a group are cut into pieces. */
export interface Cut {
  /** How many pieces there are: a power of two, at most 2^32. */
  readonly pieces: number;
  /** Whether by the first digits of ids, so that records are written in the order of their keys; else by hashes. */
  readonly byId: boolean;
  /** Drawn for each group, so that nobody who chooses what stands in rows knows which of them have the same digest. */
  readonly seed: number;
}

/** A part whose table is there. */
export interface Source {
  readonly part: Part;
  readonly found: FoundTable;
}

export const sourcesOf = (layout: Layout, parts: readonly Part[]): readonly Source[] =>
  parts.flatMap((part) => {
    const found = layout.tables.get(part.table);
    return found ? [{ part, found }] : [];
  });

/** A column as it is read: without the blanks that pad CHAR, and with the app of tables from before there were apps. */
export function columnSql({ columns }: FoundTable, column: string): string {
  const type = columns.get(column);
  const sql = `t."${column}"`;
  if (column === 'app_id' || column === 'tenant_id') return `coalesce(${sql}, 'public')::text`;
  return type === 'character' ? `${sql}::text` : sql;
}

/** The column by whose first digits rows are cut. */
export const idColumn = ({ part }: Source): string => part.unit.find((column) => column !== 'app_id' && column !== 'tenant_id') ?? '';

const startSql = (source: Source): string => `left(${columnSql(source.found, idColumn(source))}::text, 8)`;

/** Whether an id does not begin with digits. What is left of it without them: far cheaper than a regular expression. */
const isOddSql = (source: Source): string => `(translate(${startSql(source)}, '0123456789abcdef', '') <> '')`;

/** Whether an index does not lead to a row by its piece. */
export function isApartSql(source: Source, { byId }: Cut): string {
  if (!byId || idColumn(source) === '') return 'true';
  const empty = ['app_id', 'tenant_id'].filter((column) => source.found.columns.has(column)).map((column) => `t.${column} IS NULL`);
  return `(${[...empty, isOddSql(source)].join(' OR ')})`;
}

const DIGITS = 8;

/** Ids of a piece lie between these; `g` is beyond all digits. */
export function idsOf(piece: number, { pieces }: Cut): readonly [low: string, high: string] {
  const step = 2 ** 32 / pieces;
  const digits = (number: number): string => number.toString(16).padStart(DIGITS, '0');
  return [digits(piece * step), piece + 1 === pieces ? 'g' : digits((piece + 1) * step)];
}

/** The number of the piece to which a row belongs. */
export function pieceSql(source: Source, { pieces, byId }: Cut, { hashing }: Layout): string {
  const { part, found } = source;
  const shift = 32 - Math.log2(pieces);
  const key = part.unit.map((column) => `${columnSql(found, column)}::text`).join(', ');
  const hash = `(${textHash[hashing](`concat_ws(chr(1), ${key})`, 0)} & 4294967295)`;
  if (!byId || idColumn(source) === '') return `(${hash} >> ${shift})::int`;
  return `((CASE WHEN ${isOddSql(source)} THEN ${hash} ELSE ('x' || ${startSql(source)})::bit(32)::bigint END) >> ${shift})::int`;
}

const textHash: Readonly<Record<Hashing, (text: string, seed: number) => string>> = {
  records: (text, seed) => `hashtextextended(${text}, ${seed})`,
  texts: (text, seed) => `hashtextextended(${text}, ${seed})`,
  'texts of 32 bits': (text, seed) =>
    `((hashtext('${seed}' || ${text})::bigint << 32) # (hashtext(${text} || '${seed}')::bigint & 4294967295))`,
};

const TEXT_TYPES: ReadonlySet<string> = new Set(['text', 'character varying', 'character']);
const PLAIN_TYPES: ReadonlySet<string> = new Set(['bigint', 'integer', 'boolean', 'bytea']);

/** A hash of 64 bits of all that is read of a row: a change goes unseen by a chance of one in 2^64. */
export function rowHashSql({ part, found }: Source, seed: number, { hashing }: Layout): string {
  const columns = part.columns.flatMap((column) => {
    const type = found.columns.get(column);
    if (type === undefined) return [];
    if (PLAIN_TYPES.has(type)) return [`t."${column}"`];
    // A collation may take different texts for the same.
    return [`${TEXT_TYPES.has(type) ? `t."${column}"` : `t."${column}"::text`} COLLATE "C"`];
  });
  const row = `ROW(${columns.join(', ')})`;
  return hashing === 'records' ? `hash_record_extended(${row}, ${seed})` : textHash[hashing](`${row}::text`, seed);
}
