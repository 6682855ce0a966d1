import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cdiClient } from '../cdi-client.ts';
import { openCuttingProxy } from '../postgres/cutting-proxy.ts';
import { expectTruth, readiness, writeRoles, writeStatus } from '../postgres/role-writer.ts';
import { findPostgres, type PostgresServer, sql, startPostgres } from '../postgres/server.ts';
import { type RunningCore, startCore } from '../running-core.ts';

const bin = findPostgres();
const CONNECTIONS = 16;
const PAUSE_MS = 30_000;
const OUTAGE_MS = 45_000;
/** "A second after it is back", on a machine that has more to do. */
const WELL_AGAIN = { timeout: 3_000, interval: 50 };
/** What waiting requests may take, however many come. */
const MOST_MORE_BYTES = 150_000_000;

describe.skipIf(bin === undefined)('a database that is away for long', { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let count = 0;

  beforeAll(async () => {
    server = await startPostgres(bin ?? '');
  });
  afterAll(() => server.stop());

  const start = (url = server.url): Promise<RunningCore> => {
    const store = { STORE_ENGINE: 'postgres', POSTGRES_URL: url, POSTGRES_SCHEMA: `away_${(count += 1)}` };
    return startCore({
      env: { ...store, POSTGRES_TIMEOUT_MS: '2000', POSTGRES_CONNECTIONS: String(CONNECTIONS) },
      faultsExpected: true,
    });
  };

  test('paused for 30 s under load: neither memory nor connections pile up, and it is well again in a second', async () => {
    const core = await start();
    const client = cdiClient(core.url);
    try {
      const load = writeRoles(() => client);
      await rest(2_000);
      const before = core.residentBytes() ?? 0;
      server.freeze();
      await rest(PAUSE_MS);
      expect(await readiness(core.url)()).toBe(503);
      expect((core.residentBytes() ?? 0) - before).toBeLessThan(MOST_MORE_BYTES);
      server.thaw();
      await expect.poll(writeStatus(client), WELL_AGAIN).toBe(200);
      await expect
        .poll(() => sql(server.url, "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'watchword%'").then(Number))
        .toBeLessThanOrEqual(CONNECTIONS);
      await load.stop();
      await expectTruth(client, load.written);
    } finally {
      await core.stop();
    }
  });

  test.each([
    ['it is stopped', () => server.end(), () => server.start()],
    ['the network swallows what is sent', undefined, undefined],
  ])('45 s in which %s: well again in a second', async (_, end, begin) => {
    const proxy = await openCuttingProxy(server.port);
    const core = await start(proxy.through(server.url));
    const client = cdiClient(core.url);
    try {
      const load = writeRoles(() => client);
      await rest(1_000);
      await (end?.() ?? proxy.hold(true));
      await rest(OUTAGE_MS);
      expect(await readiness(core.url)()).toBe(503);
      await (begin?.() ?? proxy.hold(false));
      await expect.poll(writeStatus(client), WELL_AGAIN).toBe(200);
      await expect.poll(readiness(core.url), WELL_AGAIN).toBe(200);
      await load.stop();
      await expectTruth(client, load.written);
    } finally {
      await core.stop();
      await proxy.close();
    }
  });
});
