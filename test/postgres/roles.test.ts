import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { PROJECT_ROOT, startCore } from '../running-core.ts';
import { fillCore, readCore } from '../transfer/filled-core.ts';
import { watchword } from '../transfer/program.ts';

const url = inject('postgresUrl');
/** What docs/operations.md says in the name of two roles and a database, for names of this run. */
const DATABASE = `roles_${process.pid}`;
const asHere = (text: string): string =>
  text
    .replaceAll('DATABASE watchword', `DATABASE ${DATABASE}`)
    .replaceAll(/watchword_(owner|node)/g, (_, role: string) => `${role}_${process.pid}`);
const documented = readFileSync(join(PROJECT_ROOT, 'docs', 'operations.md'), 'utf8').match(/^ +(?:CREATE ROLE|GRANT) .*;$/gm) ?? [];
const [before, after] = [
  documented.filter((line) => !line.includes(' ON watchword')),
  documented.filter((line) => line.includes('watchword.')),
];

describe.skipIf(url === undefined)('the rights that docs/operations.md names', { timeout: 60_000 }, () => {
  let owner: Client;
  const urlOf = (role: string): string => {
    const one = new URL(url ?? '');
    one.username = `${role}_${process.pid}`;
    one.pathname = `/${DATABASE}`;
    return one.href;
  };
  const envOf = (role: string): Record<string, string> => ({ STORE_ENGINE: 'postgres', POSTGRES_URL: urlOf(role) });

  beforeAll(async () => {
    const admin = new Client(url);
    await admin.connect();
    await admin.query(`CREATE DATABASE ${DATABASE}`);
    for (const line of before.filter((text) => !text.includes('SCHEMA'))) await admin.query(asHere(line));
    for (const role of ['owner', 'node']) await admin.query(`ALTER ROLE ${role}_${process.pid} PASSWORD 'secret'`);
    await admin.end();
    expect(await (await startCore({ env: envOf('owner') })).stop()).toBe(0);
    owner = new Client(urlOf('owner'));
    await owner.connect();
    for (const line of documented.filter((text) => text.includes('SCHEMA')).concat(after)) await owner.query(asHere(line));
  });
  afterAll(() => owner?.end());

  test('are enough for all that a core does, and not to make tables', async () => {
    const core = await startCore({ env: envOf('node') });
    const client = cdiClient(core.url);
    await fillCore(client);
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async (_, at) => (await client.put('/recipe/role', { role: `r${at}` })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(Object.keys(await readCore(client))).not.toEqual([]);
    expect(await core.stop()).toBe(0);
    const node = new Client(urlOf('node'));
    await node.connect();
    await expect(node.query('CREATE TABLE watchword.mine (a int)')).rejects.toThrow('permission denied for schema watchword');
    await expect(node.query('DROP TABLE watchword.kv')).rejects.toThrow('must be owner');
    await node.end();
  });

  const single = after.flatMap((line) => {
    const [, rights = '', table = ''] = /GRANT (.*) ON watchword\.(\w+)/.exec(line) ?? [];
    return rights.split(', ').map((right) => [right, table] as const);
  });

  test.each(single)('are all needed: without %s on %s, one line and exit code 1', async (right, table) => {
    const role = `node_${process.pid}`;
    await owner.query(`REVOKE ${right} ON watchword.${table} FROM ${role}`);
    try {
      const { code, stdout, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env: envOf('node') });
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^Watchword cannot start: the database \S+ cannot be used: [^\n]+\n$/);
      expect(stderr).toContain(
        table === 'version' ? 'permission denied for table version' : `the role ${role} lacks ${right} on "watchword".${table}`,
      );
    } finally {
      await owner.query(`GRANT ${right} ON watchword.${table} TO ${role}`);
    }
  });

  test('there are some', () => expect(single).toHaveLength(11));
});
