import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { versionStatements } from '../../src/store/postgres/statements.ts';
import { cdiClient } from '../cdi-client.ts';
import { startCore } from '../running-core.ts';
import { fillCore, readCore } from '../transfer/filled-core.ts';
import { watchword } from '../transfer/program.ts';

const url = inject('postgresUrl');
/** Roles whose order differs between bytes and what people of a country expect. */
const ROLES = ['a', 'B', 'ä', 'Z', 'z', '_', '10', '9'];
const IN_ORDER_OF_BYTES = ROLES.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));

describe.skipIf(url === undefined)('databases', { timeout: 60_000 }, () => {
  let admin: Client;
  beforeAll(async () => {
    admin = new Client(url);
    await admin.connect();
  });
  afterAll(() => admin.end());

  const urlOf = (database: string): string => Object.assign(new URL(url ?? ''), { pathname: `/${database}` }).href;
  const envOf = (database: string, schema = 'watchword'): Record<string, string> => ({
    STORE_ENGINE: 'postgres',
    POSTGRES_URL: urlOf(database),
    POSTGRES_SCHEMA: schema,
  });
  const make = async (name: string, manner = ''): Promise<string> => {
    const database = `${name}_${process.pid}`;
    await admin.query(`CREATE DATABASE ${database} ${manner}`);
    return database;
  };
  const refusal = async (database: string): Promise<string> => {
    const { code, stdout, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env: envOf(database) });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Watchword cannot start: the database \S+ cannot be used: [^\n]+\n$/);
    expect(stderr).not.toContain('secret');
    return stderr;
  };

  test.each(['SQL_ASCII', 'LATIN1'])('one in %s is refused, and nothing made in it', async (encoding) => {
    const database = await make(encoding.toLowerCase(), `ENCODING '${encoding}' LOCALE 'C' TEMPLATE template0`);
    expect(await refusal(database)).toContain(`its encoding is ${encoding}: make one with ENCODING 'UTF8' TEMPLATE template0`);
    expect(await tablesOf(database)).toEqual([]);
  });

  test.each([
    ['C', "LOCALE 'C'"],
    ['that of a country', "LOCALE_PROVIDER icu ICU_LOCALE 'de-DE' LOCALE 'C'"],
  ])('one with the collation %s keeps the order of bytes', async (name, manner) => {
    const [{ version } = { version: 0 }] = (
      await admin.query<{ version: number }>("SELECT current_setting('server_version_num')::int AS version")
    ).rows;
    // Older ones know the collations of the system alone, which may have no other than C.
    const used = version < 150_000 ? "LOCALE 'C'" : manner;
    const database = await make(`collated_${name.length}`, `ENCODING 'UTF8' ${used} TEMPLATE template0`);
    const core = await startCore({ env: envOf(database) });
    const client = cdiClient(core.url);
    for (const role of ROLES) expect((await client.put('/recipe/role', { role })).status).toBe(200);
    expect((await client.get<{ roles: readonly string[] }>('/recipe/roles')).body.roles).toEqual(IN_ORDER_OF_BYTES);
    await core.stop();
  });

  test('one that became read-only, with a store in it, is refused', async () => {
    const database = await make('replica');
    await (await startCore({ env: envOf(database) })).stop();
    await admin.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
    expect(await refusal(database)).toContain('it is read-only: a replica, or default_transaction_read_only is set');
  });

  test('its tables are made by one node at a time: who comes later waits', async () => {
    const database = await make('locked');
    const other = new Client(urlOf(database));
    await other.connect();
    for (const text of versionStatements('watchword')) await other.query(text);
    await other.query('BEGIN');
    await other.query('SELECT version FROM watchword.version FOR UPDATE');
    const starting = startCore({ env: envOf(database) });
    await expect.poll(() => waitingIn(database)).toBeGreaterThan(0);
    expect(await tablesOf(database)).toEqual(['watchword.version']);
    await other.query('ROLLBACK');
    await other.end();
    expect(await (await starting).stop()).toBe(0);
    expect(await tablesOf(database)).toHaveLength(4);
  });

  test('one that two products share, and two Watchwords: each in its schema, and nothing else is touched', async () => {
    const database = await make('shared');
    const owner = new Client(urlOf(database));
    await owner.connect();
    for (const schema of ['public', 'shop']) {
      if (schema !== 'public') await owner.query(`CREATE SCHEMA ${schema}`);
      for (const table of ['kv', 'commits', 'guards', 'version'])
        await owner.query(
          `CREATE TABLE ${schema}.${table} (id int PRIMARY KEY, text text); INSERT INTO ${schema}.${table} VALUES (1, 'theirs')`,
        );
    }
    const theirs = async (): Promise<readonly unknown[]> => {
      const tables = ['public', 'shop'].flatMap((schema) => ['kv', 'commits', 'guards', 'version'].map((table) => `${schema}.${table}`));
      const rows: unknown[] = [];
      for (const table of tables) rows.push((await owner.query(`SELECT xmin::text, xmax::text, * FROM ${table}`)).rows);
      return rows;
    };
    const stood = await theirs();
    const before = await tablesOf(database);
    const [one, two] = await Promise.all([startCore({ env: envOf(database, 'One') }), startCore({ env: envOf(database, 'two "2"') })]);
    await fillCore(cdiClient(one.url));
    const untouched = await readCore(cdiClient(two.url));
    expect(JSON.stringify(untouched)).not.toContain('ann@example.com');
    await fillCore(cdiClient(two.url));
    await Promise.all([one.stop(), two.stop()]);
    const ours = (await tablesOf(database)).filter((table) => !before.includes(table));
    expect(ours.every((table) => table.startsWith('One.') || table.startsWith('two "2".'))).toBe(true);
    expect(ours).toHaveLength(8);
    expect(await theirs()).toEqual(stood);
    await owner.end();
  });

  /** How many wait for a lock in a database. */
  async function waitingIn(database: string): Promise<number> {
    const waiting = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'";
    return (await admin.query<{ n: number }>(waiting, [database])).rows[0]?.n ?? 0;
  }

  /** The tables of people in a database, with their schemas. */
  async function tablesOf(database: string): Promise<readonly string[]> {
    const client = new Client(urlOf(database));
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        "SELECT schemaname || '.' || tablename AS name FROM pg_tables WHERE schemaname !~ '^pg_|^information_schema$' ORDER BY 1",
      );
      return rows.map(({ name }) => name);
    } finally {
      await client.end();
    }
  }
});
