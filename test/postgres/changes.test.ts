import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { PROJECT_ROOT, type RunningCore, startCore } from '../running-core.ts';

const url = inject('postgresUrl');
const CREATE = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
/** Changes are seen within a second; a machine under load may take longer. */
const PATIENCE = { timeout: 10_000, interval: 50 };
/** So that nothing but the notices tells of changes. */
const WITHOUT_POLLING = { NODE_OPTIONS: `--require ${join(PROJECT_ROOT, 'test/postgres/no-polling.cjs')}` };
/** Of the key that is renewed while the test looks on; a fifth of it is the overlap. */
const INTERVAL_MS = 5_000;

interface ShownKey {
  readonly kid: string;
  readonly kind: 'dynamic' | 'static';
  readonly createdAt: number;
}

const both = <T>(ask: (node: 0 | 1) => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: 16 }, (_, at) => ask(at % 2 === 0 ? 0 : 1)));

describe.skipIf(url === undefined).each(['by polling', 'by listening'])('what one node changes, the other sees %s', (how) => {
  const schema = `${how.replaceAll(' ', '_')}_${process.pid}`;
  const listening: Record<string, string> = how === 'by listening' ? { POSTGRES_LISTEN_URL: url ?? '', ...WITHOUT_POLLING } : {};
  const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url ?? '', POSTGRES_SCHEMA: schema, ...listening };
  let nodes: readonly RunningCore[];
  let clients: readonly [CdiClient, CdiClient];
  const inApp = (node: 0 | 1, app: string): CdiClient => cdiClient(clients[node].url, { app });

  beforeAll(async () => {
    nodes = await Promise.all([0, 1].map(() => startCore({ env, flags: ['--test-mode'] })));
    clients = [cdiClient(nodes[0]?.url ?? ''), cdiClient(nodes[1]?.url ?? '')];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  const keysOf = async (client: CdiClient): Promise<readonly ShownKey[]> =>
    (await client.get<{ keys: readonly ShownKey[] }>('/manage/v1/signing-keys')).body.keys;
  const statusOf = async (tenant: string): Promise<number> => (await clients[1].get(`/${tenant}/users/count`)).status;
  /** Makes an app, and waits until both nodes know it. */
  const makeApp = async (appId: string, coreConfig: object): Promise<void> => {
    await clients[0].put('/recipe/multitenancy/app/v2', { appId, coreConfig });
    await expect.poll(async () => (await inApp(1, appId).get('/users/count')).status, PATIENCE).toBe(200);
  };

  /** What the second node goes by, of a tenant or of an app. */
  const codeLifeMs = async (client: CdiClient, path = ''): Promise<unknown> =>
    (await client.post(`${path}/recipe/signinup/code`, { email: 'someone@example.com' })).body['codeLifetime'];

  test('tenants: made, changed and removed', async () => {
    const fresh = (ms: number): object => ({ tenantId: 'fresh', coreConfig: { passwordless_code_lifetime: ms } });
    await clients[0].put('/recipe/multitenancy/tenant/v2', fresh(60_000));
    await expect.poll(() => statusOf('fresh'), PATIENCE).toBe(200);
    expect(await codeLifeMs(clients[1], '/fresh')).toBe(60_000);
    await clients[0].put('/recipe/multitenancy/tenant/v2', fresh(70_000));
    await expect.poll(() => codeLifeMs(clients[1], '/fresh'), PATIENCE).toBe(70_000);
    await clients[0].post('/recipe/multitenancy/tenant/remove', { tenantId: 'fresh' });
    await expect.poll(() => statusOf('fresh'), PATIENCE).not.toBe(200);
  });

  test('configuration of an app', async () => {
    await makeApp('lives', { passwordless_code_lifetime: 60_000 });
    expect(await codeLifeMs(inApp(1, 'lives'))).toBe(60_000);
    await clients[0].put('/recipe/multitenancy/app/v2', { appId: 'lives', coreConfig: { passwordless_code_lifetime: 80_000 } });
    await expect.poll(() => codeLifeMs(inApp(1, 'lives')), PATIENCE).toBe(80_000);
  });

  test('signing keys: made and retired by an operator', async () => {
    const { kid } = (await clients[0].post<{ kid: string }>('/manage/v1/signing-keys/rotate', { kind: 'static' })).body;
    const kids = async (): Promise<readonly string[]> => (await keysOf(clients[1])).map((key) => key.kid);
    await expect.poll(kids, PATIENCE).toContain(kid);
    await clients[0].post('/manage/v1/signing-keys/retire', { kid });
    await expect.poll(kids, PATIENCE).not.toContain(kid);
  });

  test('two nodes that need the first keys of an app at once make one of each kind', async () => {
    await makeApp('young', {});
    const made = await both((node) => inApp(node, 'young').post('/recipe/session', { userId: 'u', ...CREATE }));
    expect(made.map(({ body }) => body['status'])).toEqual(made.map(() => 'OK'));
    const keys = await Promise.all([keysOf(inApp(0, 'young')), keysOf(inApp(1, 'young'))]);
    expect(keys[0]).toEqual(keys[1]);
    expect(keys[0]?.map(({ kind }) => kind).toSorted()).toEqual(['dynamic', 'static']);
  });

  test('operators of two nodes who ask for keys at once get one each', async () => {
    await makeApp('asked', {});
    const asked = await both((node) => inApp(node, 'asked').post<{ kid: string }>('/manage/v1/signing-keys/rotate', { kind: 'dynamic' }));
    const kids = asked.map(({ body }) => body.kid);
    expect(new Set(kids).size).toBe(kids.length);
    await expect.poll(async () => (await keysOf(inApp(1, 'asked'))).map(({ kid }) => kid), PATIENCE).toEqual(expect.arrayContaining(kids));
  });

  test('a key that has become due is renewed once, however many ask on both', async () => {
    await makeApp('due', { access_token_dynamic_signing_key_update_interval: INTERVAL_MS / 3_600_000 });
    const times = async (): Promise<readonly number[]> =>
      (await keysOf(inApp(0, 'due'))).filter(({ kind }) => kind === 'dynamic').map(({ createdAt }) => createdAt);
    const renewed = async (): Promise<number> => {
      await both((node) => inApp(node, 'due').post('/recipe/session', { userId: 'u', ...CREATE }));
      return (await times()).length;
    };
    await expect.poll(renewed, { timeout: 25_000, interval: 100 }).toBeGreaterThanOrEqual(3);
    const made = (await times()).toSorted((a, b) => a - b);
    // Each takes the place of the one before when that comes into its last fifth, and not earlier.
    for (const [at, createdAt] of made.entries())
      if (at > 0) expect(createdAt - (made[at - 1] ?? 0)).toBeGreaterThanOrEqual((INTERVAL_MS * 4) / 5);
  });
});
