import type { Link } from '../engine.ts';
import { GUARDS } from './guards.ts';

/** A statement with its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Names in SQL: whatever stands in the option. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Raises `CHANGED` (see faults.ts) unless as many rows are there as the parameter says. */
const counted = (rows: string, parameter: string): string =>
  `SELECT 1 / (CASE WHEN count(*) = ${parameter} THEN 1 ELSE 0 END) FROM (${rows}) AS found`;

const BYTES = 'bytea[]';

/** Make the row that says which version the tables have, 0 for none yet. Each may run beside those of another node. */
export function versionStatements(schema: string): readonly string[] {
  const name = quoted(schema);
  return [
    `CREATE SCHEMA IF NOT EXISTS ${name}`,
    `CREATE TABLE IF NOT EXISTS ${name}.version (id int PRIMARY KEY, version int NOT NULL)`,
    `INSERT INTO ${name}.version (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING`,
  ];
}

/** What makes the tables of a schema; run by whoever holds the row of `version`. */
export function makingStatements(schema: string, version: number): readonly string[] {
  const name = quoted(schema);
  return [
    `CREATE TABLE IF NOT EXISTS ${name}.kv (k bytea PRIMARY KEY, v bytea NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${name}.commits (id bytea PRIMARY KEY, is_void boolean NOT NULL)`,
    `CREATE TABLE IF NOT EXISTS ${name}.guards (id int PRIMARY KEY)`,
    `INSERT INTO ${name}.guards (id) SELECT n FROM generate_series(0, ${GUARDS - 1}) AS n ON CONFLICT (id) DO NOTHING`,
    // Last, for databases that keep no changes of tables back until COMMIT: whoever sees it finds everything else.
    `UPDATE ${name}.version SET version = ${version} WHERE id = 1`,
  ];
}

/**
 * The statements over the tables of a schema. Only what PostgreSQL 14, CockroachDB and YugabyteDB all have, but for
 * `lockAll`, which is for PostgreSQL alone (decision 0025).
 */
export function statements(schema: string) {
  const kv = `${quoted(schema)}.kv`;
  const markers = `${quoted(schema)}.commits`;
  const guards = `${quoted(schema)}.guards`;
  const order = (reverse: boolean): string => `ORDER BY k ${reverse ? 'DESC' : 'ASC'}`;
  const range = (reverse: boolean): string => `SELECT k, v FROM ${kv} WHERE k >= $1 AND k < $2 ${order(reverse)} LIMIT $3`;
  const joined = (unique: boolean, reverse: boolean): string => {
    const target = unique ? UNIQUE_TARGET : OTHER_TARGET;
    return `SELECT i.k AS k, i.v AS v, r.k AS rk, r.v AS rv FROM (${range(reverse)}) i LEFT JOIN ${kv} r ON r.k = $4::bytea || ${target} ORDER BY i.k ${reverse ? 'DESC' : 'ASC'}`;
  };
  return {
    get: `SELECT k, v FROM ${kv} WHERE k = ANY($1::${BYTES})`,
    getLocked: `SELECT k, v FROM ${kv} WHERE k = ANY($1::${BYTES}) ORDER BY k FOR UPDATE`,
    range,
    /** Up to the row that reaches $4 bytes: lengths are known without reading long values. */
    rangeWithin: (reverse: boolean): string =>
      `SELECT k, v FROM (SELECT k, v, sum(length(k) + length(v)) OVER (${order(reverse)}) - length(k) - length(v) AS before FROM (${range(reverse)}) AS read) AS sized WHERE before < $4 ${order(reverse)}`,
    rangeLocked: (reverse: boolean): string => `${range(reverse)} FOR UPDATE`,
    linked: ({ index }: Link, reverse: boolean): string => joined(index.unique === true, reverse),
    linkedAt: `SELECT i.k AS k, i.v AS v, r.k AS rk, r.v AS rv FROM (SELECT k, v FROM ${kv} WHERE k = $1) i LEFT JOIN ${kv} r ON r.k = $2::bytea || ${UNIQUE_TARGET}`,
    count: `SELECT count(*)::text AS n FROM ${kv} WHERE k >= $1 AND k < $2`,
    share: `SELECT id FROM ${guards} WHERE id = ANY($1::int[]) ORDER BY id FOR SHARE`,
    lock: `SELECT id FROM ${guards} WHERE id = ANY($1::int[]) ORDER BY id FOR UPDATE`,
    /** Waits for the lone run before. No guard: who waits for one holds the table of guards, which it may lock. */
    takeTurn: `INSERT INTO ${markers} (id, is_void) VALUES ($1, false) ON CONFLICT (id) DO UPDATE SET is_void = false`,
    lockAll: `LOCK TABLE ${guards} IN EXCLUSIVE MODE`,
    /** Values that were read and stay: locked against changes. */
    isSame: counted(
      `SELECT 1 FROM unnest($1::${BYTES}, $2::${BYTES}) AS seen(k, v) JOIN ${kv} AS kept ON kept.k = seen.k WHERE kept.v = seen.v FOR SHARE OF kept`,
      '$3',
    ),
    isRange: (reverse: boolean): string =>
      counted(
        `SELECT 1 FROM (${range(reverse)} FOR SHARE) AS kept FULL JOIN unnest($4::${BYTES}, $5::${BYTES}) AS seen(k, v) ON kept.k = seen.k WHERE kept.v IS DISTINCT FROM seen.v`,
        '0',
      ),
    change: `WITH changed AS (UPDATE ${kv} SET v = next.v FROM unnest($1::${BYTES}, $2::${BYTES}, $3::${BYTES}) AS next(k, seen, v) WHERE kv.k = next.k AND kv.v = next.seen RETURNING 1) ${counted('SELECT 1 FROM changed', '$4')}`,
    /** The same with the marker of the commit: a transaction by itself, of whose parts none is kept where one fails. */
    changeAndMark: `WITH changed AS (UPDATE ${kv} SET v = next.v FROM unnest($1::${BYTES}, $2::${BYTES}, $3::${BYTES}) AS next(k, seen, v) WHERE kv.k = next.k AND kv.v = next.seen RETURNING 1), marked AS (INSERT INTO ${markers} (id, is_void) VALUES ($5, false)) ${counted('SELECT 1 FROM changed', '$4')}`,
    remove: `WITH removed AS (DELETE FROM ${kv} USING unnest($1::${BYTES}, $2::${BYTES}) AS seen(k, v) WHERE kv.k = seen.k AND kv.v = seen.v RETURNING 1) ${counted('SELECT 1 FROM removed', '$3')}`,
    add: `INSERT INTO ${kv} (k, v) SELECT k, v FROM unnest($1::${BYTES}, $2::${BYTES}) AS new(k, v)`,
    set: `INSERT INTO ${kv} (k, v) SELECT k, v FROM unnest($1::${BYTES}, $2::${BYTES}) AS new(k, v) ON CONFLICT (k) DO UPDATE SET v = excluded.v`,
    drop: `DELETE FROM ${kv} WHERE k = ANY($1::${BYTES})`,
    mark: `INSERT INTO ${markers} (id, is_void) VALUES ($1, false)`,
    /**
     * Waits for a transaction that is about to insert the same marker. One that is there is written again as it is: who
     * is told of it then knows that it stands wherever the database replicates to before it acknowledges.
     */
    settle: `INSERT INTO ${markers} (id, is_void) VALUES ($1, true) ON CONFLICT (id) DO UPDATE SET is_void = ${markers}.is_void RETURNING is_void`,
    forget: `DELETE FROM ${markers} WHERE id < $1`,
    /** Delivered with the commit; only in PostgreSQL itself, and where somebody listens. */
    announce: `SELECT pg_notify($1, '')`,
    time: `SELECT (extract(epoch FROM now()) * 1000)::text AS ms`,
    size: `SELECT pg_total_relation_size('${kv.replaceAll("'", "''")}')::text AS bytes`,
    isThere: `SELECT 1 FROM ${guards} WHERE id = 0`,
  } as const;
}

export type Statements = ReturnType<typeof statements>;

/*
 * Where an index entry leads, as `layout.ts` has it: the value of a unique one holds the primary key, that of another
 * one where in its key the primary key begins; sealed behind five bytes, or bare in stores begun by older versions.
 */
const UNIQUE_TARGET = `(CASE WHEN get_byte(i.v, 0) = 1 THEN substring(i.v from 6) ELSE i.v END)`;
const PLACE = `(CASE WHEN length(i.v) = 2 THEN get_byte(i.v, 0) * 256 + get_byte(i.v, 1) ELSE get_byte(i.v, 5) * 256 + get_byte(i.v, 6) END)`;
const OTHER_TARGET = `substring(i.k from ${PLACE} + 1)`;
