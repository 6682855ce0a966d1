import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { expectTruth, readiness, writeRoles, writeStatus } from './role-writer.ts';
import { findPostgres, type PostgresServer, sql, startPostgres } from './server.ts';

const bin = findPostgres();
const SESSION = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
const TIMEOUT_MS = '1500';

interface Session {
  readonly status: string;
  readonly refreshToken: { readonly token: string };
}

describe.skipIf(bin === undefined)('a database that fails', () => {
  let server: PostgresServer;
  const cores: RunningCore[] = [];
  let schemas = 0;

  beforeAll(async () => {
    server = await startPostgres(bin ?? '');
  });
  afterEach(async () => {
    await Promise.all(cores.splice(0).map((core) => core.stop()));
  });
  afterAll(() => server.stop());

  async function start(schema: string, url = server.url): Promise<{ readonly core: RunningCore; readonly client: CdiClient }> {
    const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_SCHEMA: schema, POSTGRES_TIMEOUT_MS: TIMEOUT_MS };
    const core = await startCore({ env, faultsExpected: true });
    cores.push(core);
    return { core, client: cdiClient(core.url) };
  }

  const newSchema = (): string => `faults_${(schemas += 1)}`;

  /** Refreshes one session on and on, at the other node with the same token where one does not answer. */
  async function keepRefreshing(made: Session, nodes: readonly CdiClient[], stopped: AbortSignal): Promise<readonly string[]> {
    let { token } = made.refreshToken;
    const statuses: string[] = [];
    for (let at = 0; !stopped.aborted; at += 1) {
      const body = { refreshToken: token, enableAntiCsrf: false, useDynamicSigningKey: true };
      const answer = await nodes[at % nodes.length]?.post<Session>('/recipe/session/refresh', body).catch(() => undefined);
      if (answer === undefined) continue;
      statuses.push(answer.body.status);
      if (answer.body.status === 'OK') token = answer.body.refreshToken.token;
    }
    return statuses;
  }

  test('a node that is killed under load loses nothing that it acknowledged, and no session', async () => {
    const schema = newSchema();
    const [one, other] = await Promise.all([start(schema), start(schema)]);
    const stopping = new AbortController();
    const make = async (): Promise<Session> => (await one.client.post<Session>('/recipe/session', { userId: 'u', ...SESSION })).body;
    const made = await Promise.all([make(), make(), make(), make()]);
    const load = writeRoles((at) => (at % 2 === 0 && one.core.alive() ? one.client : other.client));
    const chains = made.map((session) => keepRefreshing(session, [one.client, other.client], stopping.signal));
    await rest(1_000);
    await one.core.kill();
    cores.splice(cores.indexOf(one.core), 1);
    await rest(1_000);
    stopping.abort();
    await load.stop();
    await expectTruth(other.client, load.written);
    for (const statuses of await Promise.all(chains)) {
      expect(statuses.length).toBeGreaterThan(3);
      expect(new Set(statuses)).toEqual(new Set(['OK']));
    }
  });

  test('connections that break anywhere in a commit: what was acknowledged is there, what was refused is not', async () => {
    const schema = newSchema();
    const proxy = await openCuttingProxy(server.port);
    const { client } = await start(schema, proxy.through(server.url));
    const load = writeRoles(() => client);
    for (let cut = 0; cut < 40; cut += 1) {
      await rest(50);
      proxy.cutSome();
    }
    await load.stop();
    await expect.poll(writeStatus(client), { timeout: 10_000 }).toBe(200);
    await expectTruth(client, load.written);
    await proxy.close();
  });

  test('one that stops and comes back: 503 meanwhile, /readyz says so, and all is well without a restart', async () => {
    const { core, client } = await start(newSchema());
    const load = writeRoles(() => client);
    await rest(300);
    await server.end();
    await expect.poll(readiness(core.url)).toBe(503);
    const refused = await client.put('/recipe/role', { role: 'refused' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    await server.start();
    await expect.poll(writeStatus(client), { timeout: 10_000 }).toBe(200);
    await load.stop();
    await expectTruth(client, load.written);
    expect(load.written.refused.length).toBeGreaterThan(0);
    await expect.poll(readiness(core.url)).toBe(200);
  });

  test('one that hangs piles nothing up: requests end in time, and all is well when it goes on', async () => {
    const { core, client } = await start(newSchema());
    expect(await writeStatus(client)()).toBe(200);
    server.freeze();
    try {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => client.put('/recipe/role', { role: `frozen-${at}` })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      await expect.poll(readiness(core.url), { timeout: 10_000 }).toBe(503);
      // From now on nobody waits for an answer that does not come, which every thread knows as soon as one of its own did not.
      const refused = (): Promise<number> =>
        fetch(`${core.url}/recipe/roles`, { headers: { 'cdi-version': '5.4' }, signal: AbortSignal.timeout(500) }).then(
          ({ status }) => status,
          () => 0,
        );
      await expect
        .poll(async () => new Set(await Promise.all(Array.from({ length: 8 }, refused))), { timeout: 10_000 })
        .toEqual(new Set([503]));
    } finally {
      server.thaw();
    }
    await expect.poll(writeStatus(client), { timeout: 10_000 }).toBe(200);
    await expect.poll(readiness(core.url), { timeout: 10_000 }).toBe(200);
  });

  test('a core ends in the orderly way while its database hangs', async () => {
    const { core, client } = await start(newSchema());
    expect(await writeStatus(client)()).toBe(200);
    server.freeze();
    try {
      expect(await core.stop()).toBe(0);
    } finally {
      server.thaw();
    }
  });

  test('the log says why a database is out of reach, and when it is back', async () => {
    const { core, client } = await start(newSchema());
    const changed = server.url.replace(':secret@', ':other@');
    await sql(server.url, "ALTER ROLE watchword PASSWORD 'other'");
    try {
      await sql(changed, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'watchword%'");
      const reason = /the store takes no writes: the database \S+ cannot be used: password authentication failed for user/;
      await expect.poll(() => core.output(), { timeout: 10_000 }).toMatch(reason);
    } finally {
      await sql(changed, "ALTER ROLE watchword PASSWORD 'secret'");
    }
    await expect.poll(() => core.output(), { timeout: 10_000 }).toContain('the store takes writes again');
    await expect.poll(writeStatus(client)).toBe(200);
    expect(core.output()).not.toContain('secret@');
  });

  test('one that takes no writes any more: 503, and all is well once it does', async () => {
    const { core, client } = await start(newSchema());
    expect(await writeStatus(client)()).toBe(200);
    const takeWrites = async (isTaken: boolean): Promise<void> => {
      await sql(server.url, `ALTER ROLE watchword SET default_transaction_read_only = ${isTaken ? 'off' : 'on'}`);
      await sql(server.url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'watchword%'");
    };
    await takeWrites(false);
    await expect.poll(writeStatus(client)).toBe(503);
    await expect.poll(readiness(core.url)).toBe(503);
    await takeWrites(true);
    await expect.poll(writeStatus(client)).toBe(200);
  });
});
