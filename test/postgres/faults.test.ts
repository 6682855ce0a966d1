import { setTimeout as rest } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient, type Reply } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { openCuttingProxy } from './cutting-proxy.ts';
import { findPostgres, type PostgresServer, startPostgres } from './server.ts';

const bin = findPostgres();
const SESSION = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
const TIMEOUT_MS = '1500';

/** What became of writes that clients asked for. */
interface Written {
  /** Acknowledged: must be there. */
  readonly kept: string[];
  /** Refused with `Retry-After`: must not be there. */
  readonly refused: string[];
  /** Nobody knows. */
  readonly unknown: string[];
  readonly others: string[];
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

  /** Creates roles until told to stop, 16 at a time, and sorts them by what was answered. */
  function writer(clientOf: (at: number) => CdiClient): { readonly written: Written; stop(): Promise<void> } {
    const written: Written = { kept: [], refused: [], unknown: [], others: [] };
    const stopping = new AbortController();
    let at = 0;
    const loop = async (): Promise<void> => {
      do {
        const role = `role-${(at += 1)}`;
        const answer = await clientOf(at)
          .put('/recipe/role', { role })
          .catch(() => undefined);
        sort(written, role, answer);
        if (answer?.status !== 200) await rest(20);
      } while (!stopping.signal.aborted);
    };
    const loops = Array.from({ length: 16 }, loop);
    return {
      written,
      stop: async () => {
        stopping.abort();
        await Promise.all(loops);
      },
    };
  }

  function sort({ kept, refused, unknown, others }: Written, role: string, answer: Reply<unknown> | undefined): void {
    if (answer?.status === 200) kept.push(role);
    else if (answer === undefined || (answer.status === 503 && !answer.headers.has('retry-after'))) unknown.push(role);
    else if (answer.status === 503) refused.push(role);
    else others.push(`${answer.status} ${answer.text}`);
  }

  async function expectTruth(client: CdiClient, { kept, refused, others }: Written): Promise<void> {
    const { roles } = (await client.get<{ roles: readonly string[] }>('/recipe/roles')).body;
    const there = new Set(roles);
    expect(
      kept.filter((role) => !there.has(role)),
      'acknowledged and lost',
    ).toEqual([]);
    expect(
      refused.filter((role) => there.has(role)),
      'refused and kept',
    ).toEqual([]);
    expect(others).toEqual([]);
    expect(kept.length).toBeGreaterThan(0);
  }

  const isWell = (client: CdiClient) => async (): Promise<number> =>
    (await client.put('/recipe/role', { role: 'well' }).catch(() => undefined))?.status ?? 0;

  test('a node that is killed under load loses nothing that it acknowledged, and no session', async () => {
    const schema = newSchema();
    const [one, other] = await Promise.all([start(schema), start(schema)]);
    const { refreshToken } = (await one.client.post<{ refreshToken: { token: string } }>('/recipe/session', { userId: 'u', ...SESSION }))
      .body;
    const load = writer((at) => (at % 2 === 0 && one.core.alive() ? one.client : other.client));
    await rest(500);
    await one.core.kill();
    cores.splice(cores.indexOf(one.core), 1);
    await rest(500);
    await load.stop();
    await expectTruth(other.client, load.written);
    const refreshed = await other.client.post<{ status: string }>('/recipe/session/refresh', {
      refreshToken: refreshToken.token,
      enableAntiCsrf: false,
      useDynamicSigningKey: true,
    });
    expect(refreshed.body.status).toBe('OK');
  });

  test('connections that break anywhere in a commit: what was acknowledged is there, what was refused is not', async () => {
    const schema = newSchema();
    const proxy = await openCuttingProxy(server.port);
    const { client } = await start(schema, server.url.replace(`:${server.port}/`, `:${proxy.port}/`));
    const load = writer(() => client);
    for (let cut = 0; cut < 40; cut += 1) {
      await rest(50);
      proxy.cutSome();
    }
    await load.stop();
    await expect.poll(isWell(client), { timeout: 10_000 }).toBe(200);
    await expectTruth(client, load.written);
    await proxy.close();
  });

  test('one that stops and comes back: 503 meanwhile, /readyz says so, and all is well without a restart', async () => {
    const { core, client } = await start(newSchema());
    const load = writer(() => client);
    await rest(300);
    await server.restart();
    await expect.poll(isWell(client), { timeout: 15_000 }).toBe(200);
    await load.stop();
    await expectTruth(client, load.written);
    expect(load.written.refused.length + load.written.unknown.length).toBeGreaterThan(0);
    expect((await fetch(`${core.url}/readyz`)).status).toBe(200);
  });

  test('one that hangs piles nothing up: requests end in time, and all is well when it goes on', async () => {
    const { core, client } = await start(newSchema());
    expect(await isWell(client)()).toBe(200);
    server.freeze();
    try {
      const answers = await Promise.all(Array.from({ length: 200 }, (_, at) => client.put('/recipe/role', { role: `frozen-${at}` })));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      await expect.poll(async () => (await fetch(`${core.url}/readyz`)).status, { timeout: 10_000 }).toBe(503);
    } finally {
      server.thaw();
    }
    await expect.poll(isWell(client), { timeout: 15_000 }).toBe(200);
    await expect.poll(async () => (await fetch(`${core.url}/readyz`)).status, { timeout: 10_000 }).toBe(200);
  });
});
