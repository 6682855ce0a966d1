import type { Connection } from './connection.ts';
import { quoted } from './statements.ts';

/** What a node must be allowed to do with each table; making and upgrading them is the owner's. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  kv: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // UPDATE settles what became of one.
  commits: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
  // UPDATE is the right to lock rows, and the table.
  guards: ['SELECT', 'UPDATE'],
  version: ['SELECT'],
};

/** @throws Error where the database has another encoding than names may need */
export async function requireFit(connection: Connection): Promise<void> {
  const [row] = await connection.run({ text: "SELECT current_setting('server_encoding') AS encoding", values: [] });
  const encoding = String(row?.['encoding']);
  if (encoding !== 'UTF8') throw new Error(`its encoding is ${encoding}: make one with ENCODING 'UTF8' TEMPLATE template0`);
}

/** @throws Error that names a right which the role lacks on tables that are there */
export async function requireRights(connection: Connection, schema: string): Promise<void> {
  const needed = Object.entries(RIGHTS).flatMap(([table, rights]) => rights.map((right) => [`${quoted(schema)}.${table}`, right] as const));
  const text =
    'SELECT current_user AS role, name, privilege FROM unnest($1::text[], $2::text[]) AS needed(name, privilege) WHERE NOT has_table_privilege(name, privilege)';
  const [lack] = await connection.run({ text, values: [needed.map(([table]) => table), needed.map(([, right]) => right)] });
  if (lack) throw new Error(`the role ${String(lack['role'])} lacks ${String(lack['privilege'])} on ${String(lack['name'])}`);
}
