import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import {
  create,
  exists,
  type Grant,
  refresh,
  type SessionAnswer,
  tryCreate,
  tryRefresh,
  verify,
} from '../recipes/session/session-calls.ts';
import { withCore } from '../with-core.ts';

/** Twenty at once, against the strictest theft rule. */
const TWENTY = Array.from({ length: 20 }, (_, at) => at);

interface SignUpAnswer {
  readonly status: string;
  readonly user?: { readonly id: string };
}

describe('races', () => {
  let client: CdiClient;
  withCore({}, (core) => {
    client = cdiClient(core.url);
  });

  test('twenty sign-ups with one email make one user', async () => {
    for (let round = 0; round < 3; round += 1) {
      const spelling = (at: number): string => (at % 2 === 0 ? `One-${round}@example.com` : ` one-${round}@EXAMPLE.com `);
      const replies = await Promise.all(
        TWENTY.map((at) => client.post<SignUpAnswer>('/recipe/signup', { email: spelling(at), password: `secret-${at}-x1` })),
      );
      const made = replies.filter((reply) => reply.body.status === 'OK');
      expect(made).toHaveLength(1);
      expect(new Set(replies.map((reply) => reply.body.status))).toEqual(new Set(['OK', 'EMAIL_ALREADY_EXISTS_ERROR']));
      const winner = replies.findIndex((reply) => reply.body.status === 'OK');
      const signedIn = await client.post<SignUpAnswer>('/recipe/signin', {
        email: `one-${round}@example.com`,
        password: `secret-${winner}-x1`,
      });
      expect(signedIn.body.user?.id).toBe(made[0]?.body.user?.id);
    }
  });

  test('of twenty who use one reset token one may set the password', async () => {
    const { body } = await client.post<SignUpAnswer>('/recipe/signup', { email: 'reset@example.com', password: 'secret-x1' });
    const asked = { userId: body.user?.id, email: 'reset@example.com' };
    const { token } = (await client.post('/recipe/user/password/reset/token', asked)).body;
    const replies = await Promise.all(TWENTY.map(() => client.post('/recipe/user/password/reset/token/consume', { token })));
    expect(replies.filter((reply) => reply.body['status'] === 'OK')).toHaveLength(1);
    expect(replies.filter((reply) => reply.body['status'] === 'RESET_PASSWORD_INVALID_TOKEN_ERROR')).toHaveLength(TWENTY.length - 1);
  });

  test('twenty legacy refreshes of one token: the client stays in, one lineage lives', async () => {
    for (let round = 0; round < 3; round += 1) {
      const zero = await create(client, `legacy-${round}`);
      const children = await Promise.all(TWENTY.map(() => refresh(client, zero.refresh)));
      expect(new Set(children.map((child) => child.refresh)).size).toBe(TWENTY.length);
      const chosen = children[round * 5];
      expect((await verify(client, String(chosen?.access))).accessToken).toBeDefined();
      const next = await refresh(client, String(chosen?.refresh));
      expect((await verify(client, next.access)).status).toBe('OK');
      // Every other child is out of the line; to use one is theft, and under the strictest rule that ends everything.
      const stray = children[round * 5 + 1];
      expect((await tryRefresh(client, String(stray?.refresh))).body.status).toBe('TOKEN_THEFT_DETECTED');
      expect(await exists(client, zero.handle)).toBe(false);
      expect((await tryRefresh(client, next.refresh)).body.status).toBe('UNAUTHORISED');
    }
  });

  test('twenty legacy children used at once: one is promoted', async () => {
    const zero = await create(client, 'promotion');
    const children = await Promise.all(TWENTY.map(() => refresh(client, zero.refresh)));
    const used = await Promise.all(children.map((child) => verify(client, child.access)));
    expect(used.filter((answer) => answer.status === 'OK')).toHaveLength(TWENTY.length);
    const promoted = used.flatMap((answer, at) => (answer.accessToken ? [children[at]] : []));
    expect(promoted).toHaveLength(1);
    await refresh(client, String(promoted[0]?.refresh));
  });

  test('twenty 5.6 refreshes of one token: all are answered, one lives', async () => {
    const rotating = { cdi: '5.6' };
    for (let round = 0; round < 3; round += 1) {
      const zero = await create(client, `rotating-${round}`, {}, rotating);
      const children = await Promise.all(TWENTY.map(() => refresh(client, zero.refresh, {}, rotating)));
      const living = await livingOf(client, children);
      expect(living).toHaveLength(1);
      const next = await refresh(client, String(living[0]?.refresh), {}, rotating);
      expect((await verify(client, next.access, { checkDatabase: true }, rotating)).status).toBe('OK');
    }
  });

  test('one token in both flows at once forks nothing', async () => {
    const zero = await create(client, 'mixed');
    const replies = await Promise.all(TWENTY.map((at) => tryRefresh(client, zero.refresh, {}, { cdi: at % 2 === 0 ? '5.4' : '5.6' })));
    expect(replies.every((reply) => reply.status === 200)).toBe(true);
    // A legacy request that comes after a rotation finds its token retired, which the contract calls theft; nothing may live beside the row.
    const living = await livingOf(
      client,
      replies.flatMap(({ body }) =>
        body.refreshToken && body.accessToken ? [{ access: body.accessToken.token, refresh: body.refreshToken.token }] : [],
      ),
    );
    expect(living.length).toBeLessThanOrEqual(1 + replies.length / 2);
    const answers: SessionAnswer[] = [];
    for (const grant of living) answers.push((await tryRefresh(client, grant.refresh, {}, { cdi: '5.6' })).body);
    expect(answers.filter((answer) => answer.status === 'OK').length).toBeLessThanOrEqual(1);
  });

  test('a session removed while it is refreshed stays removed', async () => {
    for (const cdi of ['5.4', '5.6']) {
      const zero = await create(client, `removed-${cdi}`);
      const [, ...replies] = await Promise.all([
        client.post('/recipe/session/remove', { sessionHandles: [zero.handle] }),
        ...TWENTY.map(() => tryRefresh(client, zero.refresh, {}, { cdi })),
      ]);
      expect(replies.every((reply) => reply.body.status === 'OK' || reply.body.status === 'UNAUTHORISED')).toBe(true);
      expect(await exists(client, zero.handle)).toBe(false);
      for (const reply of replies) {
        const child = reply.body.refreshToken?.token;
        if (child) expect((await tryRefresh(client, child, {}, { cdi })).body.status).toBe('UNAUTHORISED');
      }
    }
  });

  test('a user who is removed during sign-ins and refreshes is gone, sessions and all', async () => {
    for (let round = 0; round < 3; round += 1) {
      const user = { email: `going-${round}@example.com`, password: 'secret-x1' };
      const signUp = await client.post<SignUpAnswer>('/recipe/signup', user);
      const userId = String(signUp.body.user?.id);
      const sessions = await Promise.all(TWENTY.map(() => create(client, userId)));
      const signIn = () => client.post('/recipe/signin', user);
      const [earlier, removed, later, refreshed] = await Promise.all([
        Promise.all(TWENTY.map(signIn)),
        client.post('/user/remove', { userId }),
        Promise.all(TWENTY.map(signIn)),
        Promise.all(sessions.map((session, at) => tryRefresh(client, session.refresh, {}, { cdi: at % 2 === 0 ? '5.4' : '5.6' }))),
      ]);
      expect(removed.body).toEqual({ status: 'OK' });
      for (const { status, body } of [...earlier, ...later]) {
        expect([status, ['OK', 'WRONG_CREDENTIALS_ERROR'].includes(String(body['status']))]).toEqual([200, true]);
      }
      for (const { status, body } of refreshed) expect([status, ['OK', 'UNAUTHORISED'].includes(body.status)]).toEqual([200, true]);

      expect((await signIn()).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
      expect((await client.get('/user/id', { userId })).body['status']).toBe('UNKNOWN_USER_ID_ERROR');
      expect((await client.get('/recipe/session/user', { userId })).body['sessionHandles']).toEqual([]);
      const children = refreshed.flatMap(({ body }) => body.refreshToken?.token ?? []);
      for (const token of children) expect((await tryRefresh(client, token)).body.status).toBe('UNAUTHORISED');
      const back = await client.post<SignUpAnswer>('/recipe/signup', user);
      expect(back.body.status).toBe('OK');
      expect(back.body.user?.id).not.toBe(userId);
    }
  });

  test('twenty writers of session data leave one whole value', async () => {
    const { handle } = await create(client, 'writers');
    await Promise.all(
      TWENTY.map((at) => client.put('/recipe/session/data', { sessionHandle: handle, userDataInDatabase: { at, twice: at * 2 } })),
    );
    const kept = await client.get<{ readonly userDataInDatabase: { readonly at: number; readonly twice: number } }>('/recipe/session', {
      sessionHandle: handle,
    });
    expect(kept.body.userDataInDatabase.twice).toBe(kept.body.userDataInDatabase.at * 2);
  });

  test('twenty creations of one tenant create it once', async () => {
    const replies = await Promise.all(TWENTY.map(() => client.put('/recipe/multitenancy/tenant/v2', { tenantId: 'race' })));
    expect(replies.map((reply) => reply.body['status'])).toEqual(TWENTY.map(() => 'OK'));
    expect(replies.filter((reply) => reply.body['createdNew'] === true)).toHaveLength(1);
  });
});

describe('two processes on one folder', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'watchword-pair-'));
  let cores: readonly RunningCore[] = [];
  let clients: readonly CdiClient[] = [];
  const clientFor = (at: number): CdiClient => {
    const client = clients[at % clients.length];
    if (!client) throw new Error('no core runs');
    return client;
  };
  beforeAll(async () => {
    cores = [await startCore({ dataDir }), await startCore({ dataDir })];
    clients = cores.map((one) => cdiClient(one.url, { cdi: '5.6' }));
  });
  afterAll(async () => {
    await Promise.all(cores.map((one) => one.stop()));
    rmSync(dataDir, { recursive: true, force: true });
  });

  test('twenty sign-ups with one email make one user', async () => {
    const replies = await Promise.all(
      TWENTY.map((at) => clientFor(at).post<SignUpAnswer>('/recipe/signup', { email: 'pair@example.com', password: 'secret-x1' })),
    );
    expect(replies.filter((reply) => reply.body.status === 'OK')).toHaveLength(1);
    expect(replies.filter((reply) => reply.body.status === 'EMAIL_ALREADY_EXISTS_ERROR')).toHaveLength(TWENTY.length - 1);
  });

  test('of twenty wrong passwords at once no more are looked at than the limit allows', async () => {
    const at = { tenant: 'limited' };
    const user = { email: 'guessed@example.com', password: 'secret-x1' };
    await clientFor(0).put('/recipe/multitenancy/tenant/v2', { tenantId: at.tenant, coreConfig: { sign_in_failures_per_account: 5 } });
    await clientFor(0).post('/recipe/signup', user, at);
    await vi.waitFor(async () => expect((await clientFor(1).post('/recipe/signin', user, at)).body['status']).toBe('OK'), {
      timeout: 20_000,
    });
    const before = await hashed(clients);
    const replies = await Promise.all(TWENTY.map((n) => clientFor(n).post('/recipe/signin', { ...user, password: `guess-${n}` }, at)));
    expect(new Set(replies.map((reply) => reply.body['status']))).toEqual(new Set(['WRONG_CREDENTIALS_ERROR']));
    expect((await hashed(clients)) - before).toBe(5);
    expect((await clientFor(0).post('/recipe/signin', user, at)).body['status']).toBe('WRONG_CREDENTIALS_ERROR');
  });

  test('of twenty guesses at a dashboard user at once all are counted', async () => {
    const user = { email: 'boss@example.com', password: 'secret-x1' };
    await clientFor(0).post('/recipe/dashboard/user', user);
    const answers = async (tries: readonly string[]) =>
      Promise.all(
        tries.map(async (password, n) => (await clientFor(n).post('/recipe/dashboard/signin', { ...user, password }))['body']['status']),
      );
    const guesses = TWENTY.map((n) => `guess-x${n}`);
    expect(new Set(await answers(guesses.slice(1)))).toEqual(new Set(['INVALID_CREDENTIALS_ERROR']));
    expect(await answers([user.password])).toEqual(['OK']);
    expect(new Set(await answers(guesses))).toEqual(new Set(['INVALID_CREDENTIALS_ERROR']));
    expect(await answers([user.password])).toEqual(['INVALID_CREDENTIALS_ERROR']);
  });

  test('twenty refreshes of one token leave one lineage', async () => {
    const zero = await create(clientFor(0), 'pair');
    const children = await Promise.all(TWENTY.map((at) => refresh(clientFor(at), zero.refresh)));
    const living = await livingOf(clientFor(1), children);
    expect(living).toHaveLength(1);
    await refresh(clientFor(0), String(living[0]?.refresh));
  });

  test('what one has answered the other knows', async () => {
    for (let at = 0; at < 20; at += 1) {
      const grant = await create(clientFor(at), `told-${at}`);
      expect((await verify(clientFor(at + 1), grant.access, { checkDatabase: true })).status).toBe('OK');
      await clientFor(at + 1).post('/recipe/session/remove', { sessionHandles: [grant.handle] });
      expect((await verify(clientFor(at), grant.access, { checkDatabase: true })).status).toBe('UNAUTHORISED');
    }
  });

  test('a new tenant and a new app are soon known', async () => {
    await clientFor(0).put('/recipe/multitenancy/tenant/v2', { tenantId: 'young' });
    await clientFor(0).put('/recipe/multitenancy/app/v2', { appId: 'young-app' });
    await vi.waitFor(
      async () => {
        expect((await tryCreate(clientFor(1), 'u', {}, { tenant: 'young' })).status).toBe(200);
        expect((await tryCreate(cdiClient(clientFor(1).url, { app: 'young-app' }), 'u')).status).toBe(200);
      },
      { timeout: 20_000, interval: 50 },
    );
  });
});

/** Those whose lineage the row still knows (contract 02 section 2.3, 5.6 flow); looking changes nothing. */
async function livingOf<G extends Pick<Grant, 'access' | 'refresh'>>(client: CdiClient, grants: readonly G[]): Promise<readonly G[]> {
  const answers = await Promise.all(grants.map((grant) => verify(client, grant.access, { checkDatabase: true }, { cdi: '5.6' })));
  return grants.filter((_, at) => answers[at]?.status === 'OK');
}

/** Tasks that the hash lanes of all cores have finished. */
async function hashed(clients: readonly CdiClient[]): Promise<number> {
  const pages = await Promise.all(clients.map((client) => client.get('/metrics')));
  return pages.reduce((sum, { text }) => sum + Number(/^watchword_lane_completed_total\{lane="hash"\} (\d+)$/m.exec(text)?.[1]), 0);
}
