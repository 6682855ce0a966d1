import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, type Connection } from '../../src/store/postgres/connection.ts';
import { cdiClient } from '../cdi-client.ts';
import { startCore } from '../running-core.ts';
import { watchword } from '../transfer/program.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { readiness, writeStatus } from './role-writer.ts';
import { findPostgres, type PostgresServer, startPostgres } from './server.ts';

const bin = findPostgres();
const MOST_CONNECTIONS = 30;

describe.skipIf(bin === undefined)('a database that has no connection left', () => {
  let server: PostgresServer;
  const held: Connection[] = [];

  beforeAll(async () => {
    server = await startPostgres(bin ?? '', { settings: { max_connections: String(MOST_CONNECTIONS) } });
  });
  afterAll(() => server.stop());

  /** Takes what is left. */
  async function takeAll(): Promise<void> {
    const options = { url: server.url, password: undefined, connections: 1, prepared: false, timeoutMs: 5_000, schema: 'none' };
    while (held.length < MOST_CONNECTIONS) {
      const one = await connect(options).catch(() => undefined);
      if (!one) return;
      held.push(one);
    }
  }

  const giveAll = async (): Promise<void> => void (await Promise.all(held.splice(0).map((one) => one.end())));

  const env = (url: string) => ({ STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_TIMEOUT_MS: '2000' });

  test('is told in one line at start, without the password', async () => {
    await takeAll();
    const { code, stderr } = await watchword(['start', '--port', '0', '--host', '127.0.0.1'], { env: env(server.url) });
    await giveAll();
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toContain('cannot be used: sorry, too many clients already');
    expect(stderr).not.toContain('secret');
  });

  test('is a 503 while the core has to reconnect, and all is well once one is free', async () => {
    const proxy = await openCuttingProxy(server.port);
    const core = await startCore({ env: env(proxy.through(server.url)), faultsExpected: true });
    const client = cdiClient(core.url);
    try {
      expect(await writeStatus(client)()).toBe(200);
      proxy.hold(true);
      proxy.cutAll();
      // What was cut is gone on the server only a moment later.
      await expect.poll(async () => (await takeAll(), held.length), { timeout: 10_000 }).toBeGreaterThan(MOST_CONNECTIONS - 5);
      proxy.cutAll();
      proxy.hold(false);
      const refused = await client.put('/recipe/role', { role: 'refused' });
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      await expect.poll(readiness(core.url)).toBe(503);
      await giveAll();
      await expect.poll(writeStatus(client), { timeout: 5_000 }).toBe(200);
      await expect.poll(readiness(core.url), { timeout: 5_000 }).toBe(200);
    } finally {
      await giveAll();
      await core.stop();
      await proxy.close();
    }
  });
});
