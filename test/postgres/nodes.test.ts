import { afterAll, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';

const url = inject('postgresUrl');
const CREATE = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };

interface Started {
  readonly session: { readonly handle: string };
  readonly accessToken: { readonly token: string };
  readonly refreshToken: { readonly token: string };
}

describe.skipIf(url === undefined)('two nodes on one database', () => {
  const env = { STORE_ENGINE: 'postgres', POSTGRES_URL: url ?? '', POSTGRES_SCHEMA: `nodes_${process.pid}` };
  let nodes: readonly [RunningCore, RunningCore];
  let clients: readonly [CdiClient, CdiClient];

  beforeAll(async () => {
    // Both at once: one of them makes the tables and the base tenant.
    const [one, other] = await Promise.all([startCore({ env }), startCore({ env })]);
    nodes = [one, other];
    clients = [cdiClient(one.url), cdiClient(other.url)];
  });
  afterAll(() => Promise.all(nodes.map((node) => node.stop())));

  const create = async (node: 0 | 1, userId: string): Promise<Started> =>
    (await clients[node].post<Started>('/recipe/session', { userId, ...CREATE })).body;
  const verify = async (node: 0 | 1, accessToken: string): Promise<string> =>
    (
      await clients[node].post<{ status: string }>('/recipe/session/verify', {
        accessToken,
        doAntiCsrfCheck: false,
        enableAntiCsrf: false,
        checkDatabase: true,
      })
    ).body.status;
  const refresh = async (node: 0 | 1, refreshToken: string): Promise<Started & { readonly status: string }> =>
    (
      await clients[node].post<Started & { status: string }>('/recipe/session/refresh', {
        refreshToken,
        enableAntiCsrf: false,
        useDynamicSigningKey: true,
      })
    ).body;

  test('share one signing key: what one signs the other verifies', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, (_, at) => create(at % 2 === 0 ? 0 : 1, `u${at}`)));
    const kids = made.map(({ accessToken }) => JSON.parse(Buffer.from(accessToken.token.split('.')[0] ?? '', 'base64url').toString()).kid);
    expect(new Set(kids).size).toBe(1);
    for (const [at, { accessToken }] of made.entries()) expect(await verify(at % 2 === 0 ? 1 : 0, accessToken.token)).toBe('OK');
  });

  test('a revocation acknowledged by one is known to the other at once', async () => {
    for (let round = 0; round < 20; round += 1) {
      const { session, accessToken } = await create(0, 'revoked');
      expect(await verify(1, accessToken.token)).toBe('OK');
      await clients[0].post('/recipe/session/remove', { sessionHandles: [session.handle] });
      expect(await verify(1, accessToken.token)).toBe('UNAUTHORISED');
    }
  });

  test('parent and child of a rotation may go to different nodes; a stolen token is found out on either', async () => {
    const first = await create(0, 'rotated');
    const second = await refresh(1, first.refreshToken.token);
    expect(second.status).toBe('OK');
    const third = await refresh(0, second.refreshToken.token);
    expect(third.status).toBe('OK');
    expect(await verify(1, third.accessToken.token)).toBe('OK');
    // Its grandchild was used: whoever has it now is not who had it then.
    expect((await refresh(1, first.refreshToken.token)).status).not.toBe('OK');
  });

  test.each(['access', 'refresh'])('the %s token of a child ends its parent, wherever either goes', async (used) => {
    const parent = await create(0, `promoted-by-${used}`);
    const child = await refresh(1, parent.refreshToken.token);
    // Until it is used, the answer may have been lost: whoever asks again, of either, gets another child.
    const again = await refresh(0, parent.refreshToken.token);
    expect([child.status, again.status]).toEqual(['OK', 'OK']);
    if (used === 'access') expect(await verify(0, child.accessToken.token)).toBe('OK');
    else expect((await refresh(0, child.refreshToken.token)).status).toBe('OK');
    expect((await refresh(1, parent.refreshToken.token)).status).toBe('TOKEN_THEFT_DETECTED');
  });

  test('nobody is let in by the other while one acknowledges a revocation, however many ask', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { session, accessToken } = await create(0, 'hammered');
      const revocation = { isAcknowledged: false, isOver: false };
      const late: string[] = [];
      const hammer = async (): Promise<void> => {
        while (!revocation.isOver) {
          const mustFail = revocation.isAcknowledged;
          const status = await verify(1, accessToken.token);
          if (mustFail) late.push(status);
        }
      };
      const hammers = Array.from({ length: 16 }, hammer);
      await clients[0].post('/recipe/session/remove', { sessionHandles: [session.handle] });
      revocation.isAcknowledged = true;
      await expect.poll(() => late.length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(50);
      revocation.isOver = true;
      await Promise.all(hammers);
      expect(new Set(late)).toEqual(new Set(['UNAUTHORISED']));
    }
  });

  test('twenty refreshes of one token at once, on both, log nobody out', async () => {
    const { refreshToken } = await create(0, 'herd');
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => refresh(at % 2 === 0 ? 0 : 1, refreshToken.token)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'OK'));
  });

  test('of sign-ups with one email on both, one wins', async () => {
    const body = { email: 'one@example.com', password: 'a good password' };
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, at) => clients[at % 2 === 0 ? 0 : 1].post<{ status: string }>('/recipe/signup', body)),
    );
    expect(answers.map((answer) => answer.body.status).filter((status) => status === 'OK')).toHaveLength(1);
  });

  test('a tenant made on one is known to the other within a second', async () => {
    await clients[0].put('/recipe/multitenancy/tenant/v2', { tenantId: 'fresh' });
    await expect.poll(async () => (await clients[1].get('/fresh/users/count')).status, { timeout: 5_000, interval: 100 }).toBe(200);
  });
});

describe.skipIf(url === undefined)('the time of leases', () => {
  test('is the clock of the database, whatever that of the node says', async () => {
    const store = await openStore({
      engine: 'postgres',
      url: url ?? '',
      password: undefined,
      schema: `clock_${process.pid}`,
      connections: 2,
      prepared: true,
      timeoutMs: 5_000,
    });
    try {
      vi.spyOn(Date, 'now').mockReturnValue(0);
      const time = await store.time();
      vi.restoreAllMocks();
      expect(Number(time)).toBeGreaterThan(Date.UTC(2026, 0, 1));
    } finally {
      await store.close();
    }
  });
});
