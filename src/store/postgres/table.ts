import type { Connection, Rows } from './connection.ts';
import { stateOf } from './faults.ts';
import { makingStatements, quoted, versionStatements } from './statements.ts';

/** Version of the tables; `upgrade` knows how to get there from each older one. */
const VERSION = 1;

/** Nodes that make the row of the version at once trip over each other, or wait too long for it; each tries again. */
const MAKING_RACES: ReadonlySet<string> = new Set(['23505', '42710', '42P06', '42P07', '40001', '40P01', '55P03', 'XX000']);
const MOST_TRIES = 10;

/** The version that is stored; undefined where there are no tables yet. */
async function storedVersion(connection: Connection, schema: string): Promise<number | undefined> {
  try {
    const [row] = await connection.run({ text: `SELECT version FROM ${quoted(schema)}.version WHERE id = 1`, values: [] });
    return row === undefined ? undefined : Number(row['version']);
  } catch (error) {
    // No such schema, no such table.
    if (stateOf(error) === '3F000' || stateOf(error) === '42P01') return undefined;
    throw error;
  }
}

/** Whether the tables are there. @throws Error where they are of a version that this one does not know */
export async function hasTables(connection: Connection, schema: string): Promise<boolean> {
  const version = await storedVersion(connection, schema);
  if (version !== undefined && version > VERSION)
    throw new Error(`its tables were written by a newer version (${version}, this one knows ${VERSION})`);
  return version === VERSION;
}

/** Makes the tables where they are missing, while other nodes wait. @throws Error as `hasTables` */
export async function prepareTables(connection: Connection, schema: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (await hasTables(connection, schema)) return;
    try {
      for (const text of versionStatements(schema)) await connection.run({ text, values: [] });
      await makeLocked(connection, schema);
    } catch (error) {
      if (!MAKING_RACES.has(stateOf(error) ?? '') || tries === MOST_TRIES) throw error;
    }
  }
}

/** The lock is that of the version's row: it ends with its holder, and CockroachDB and YugabyteDB know it too. */
async function makeLocked(connection: Connection, schema: string): Promise<void> {
  const run = (text: string): Promise<Rows> => connection.run({ text, values: [] });
  await run('BEGIN');
  try {
    const [row] = await run(`SELECT version FROM ${quoted(schema)}.version WHERE id = 1 FOR UPDATE`);
    if (Number(row?.['version']) === 0) for (const text of makingStatements(schema, VERSION)) await run(text);
    await run('COMMIT');
  } catch (error) {
    if (!connection.broken) await run('ROLLBACK');
    throw error;
  }
}

/** Whether it is PostgreSQL itself, whose row locks prove what was read; CockroachDB and YugabyteDB name themselves. */
export async function locksProve(connection: Connection): Promise<boolean> {
  const [row] = await connection.run({ text: 'SELECT version() AS version', values: [] });
  return !/CockroachDB|-YB-/.test(String(row?.['version']));
}
