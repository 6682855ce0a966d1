import { setTimeout as rest } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { openCuttingProxy } from '../postgres/cutting-proxy.ts';
import { expectTruth, writeRoles, writeStatus } from '../postgres/role-writer.ts';
import { findPostgres, type PostgresServer, sql, startPostgres } from '../postgres/server.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';

const bin = findPostgres();
const SYNCHRONOUS = { synchronous_standby_names: '*', synchronous_commit: 'remote_apply' };
const WELL_AGAIN = { timeout: 10_000, interval: 50 };

describe.skipIf(bin === undefined)('a database with a synchronous replica', { timeout: 90_000 }, () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  const cores: RunningCore[] = [];

  beforeEach(async () => {
    primary = await startPostgres(bin ?? '', { settings: { wal_level: 'replica', max_wal_senders: '4' } });
    standby = await primary.follow({});
    for (const [name, value] of Object.entries(SYNCHRONOUS)) await sql(primary.url, `ALTER SYSTEM SET ${name} = '${value}'`);
    await sql(primary.url, 'SELECT pg_reload_conf()');
    await expect.poll(() => sql(primary.url, 'SELECT sync_state FROM pg_stat_replication')).toBe('sync');
  });
  afterEach(async () => {
    await Promise.all(cores.splice(0).map((core) => core.stop()));
    await Promise.all([primary.stop(), standby.stop()]);
  });

  async function start(url: string): Promise<CdiClient> {
    const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_TIMEOUT_MS: '3000' };
    const core = await startCore({ env, faultsExpected: true });
    cores.push(core);
    return cdiClient(core.url);
  }

  const promote = (): Promise<string> => sql(standby.url, 'SELECT pg_promote()');

  test('loses nothing that was acknowledged where the primary dies under load and the replica takes over', async () => {
    const proxy = await openCuttingProxy(primary.port);
    const both = primary.url.replace(`127.0.0.1:${primary.port}`, `127.0.0.1:${primary.port},127.0.0.1:${standby.port}`);
    // One finds the primary behind a proxy that somebody moves, the other by itself.
    const clients = [await start(proxy.through(primary.url)), await start(both)];
    const load = writeRoles((at) => clients[at % 2] ?? cdiClient(''));
    await rest(2_000);
    await primary.kill();
    proxy.lead(standby.port);
    await rest(1_000);
    // Nobody takes the replica for the primary before it is.
    for (const client of clients) expect(await writeStatus(client)()).toBe(503);
    await promote();
    for (const client of clients) await expect.poll(writeStatus(client), WELL_AGAIN).toBe(200);
    await load.stop();
    for (const client of clients) await expectTruth(client, load.written);
    await proxy.close();
  });

  test('a node that finds the replica alone does not start, and says why in one line', async () => {
    await start(primary.url);
    const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: standby.url };
    const { code, stdout, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^Watchword cannot start: the database \S+ cannot be used: it is read-only: a replica, [^\n]+\n$/);
    expect(stderr).not.toContain('secret');
  });

  test('acknowledges nothing that the replica does not have, even where the wait for it is cancelled', async () => {
    const client = await start(primary.url);
    expect(await writeStatus(client)()).toBe(200);
    standby.freeze();
    const answered = client.put('/recipe/role', { role: 'cancelled' });
    const waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await expect.poll(() => sql(primary.url, `SELECT count(*) ${waiting}`)).toBe('1');
    await sql(primary.url, `SELECT pg_cancel_backend(pid) ${waiting}`);
    const { status, headers } = await answered;
    expect([status, headers.get('retry-after')]).toEqual([503, null]);
    standby.thaw();
  });
});
