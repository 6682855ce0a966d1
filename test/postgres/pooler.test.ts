import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type CdiClient, cdiClient } from '../cdi-client.ts';
import { type RunningCore, startCore } from '../running-core.ts';
import { hasPooler, type Pooler, startPooler } from './pooler.ts';

const url = inject('postgresUrl');
if (url !== undefined && !hasPooler()) console.log('pgbouncer is not installed: what is played through it is left out.');

describe.skipIf(url === undefined || !hasPooler())('through a pooler that hands out connections by transaction', () => {
  let pooler: Pooler;
  let core: RunningCore;
  let client: CdiClient;

  beforeAll(async () => {
    pooler = await startPooler(url ?? '');
    const env = {
      STORE_ENGINE: 'postgres',
      POSTGRES_URL: pooler.url,
      POSTGRES_SCHEMA: `pooled_${process.pid}`,
      POSTGRES_PREPARED: 'false',
      POSTGRES_CONNECTIONS: '24',
      POSTGRES_TIMEOUT_MS: '20000',
    };
    core = await startCore({ env });
    client = cdiClient(core.url);
  });
  afterAll(async () => {
    await core.stop();
    await pooler.stop();
  });

  test('users sign up and in, sessions begin, go on and end, many at once', async () => {
    const one = async (at: number): Promise<readonly unknown[]> => {
      const body = { email: `pooled-${at}@example.com`, password: 'a good password' };
      const { user } = (await client.post<{ user: { id: string } }>('/recipe/signup', body)).body;
      const signedIn = (await client.post('/recipe/signin', body)).body['status'];
      const session = { userId: user.id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false };
      type Tokens = { status: string; accessToken: { token: string }; refreshToken: { token: string }; session: { handle: string } };
      const begun = (await client.post<Tokens>('/recipe/session', session)).body;
      const asked = { refreshToken: begun.refreshToken.token, enableAntiCsrf: false, useDynamicSigningKey: true };
      const refreshed = (await client.post<Tokens>('/recipe/session/refresh', asked)).body;
      const verify = { accessToken: refreshed.accessToken.token, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: true };
      const verified = (await client.post('/recipe/session/verify', verify)).body['status'];
      await client.post('/recipe/session/remove', { sessionHandles: [begun.session.handle] });
      return [signedIn, refreshed.status, verified, (await client.post('/recipe/session/verify', verify)).body['status']];
    };
    const all = await Promise.all(Array.from({ length: 40 }, (_, at) => one(at)));
    expect(all).toEqual(all.map(() => ['OK', 'OK', 'OK', 'UNAUTHORISED']));
    expect((await client.get('/users/count')).body['count']).toBe(40);
  });

  test('writes of one record lose no change and keep nobody waiting, beside reads of ranges', async () => {
    const { user } = (
      await client.post<{ user: { id: string } }>('/recipe/signup', { email: 'hot@example.com', password: 'a good password' })
    ).body;
    const names = Array.from({ length: 60 }, (_, at) => `k${at}`);
    const writes = names.map((name) => client.put('/recipe/user/metadata', { userId: user.id, metadataUpdate: { [name]: 1 } }));
    const reads = names.map(() => client.get('/users', { limit: '20', includeRecipeIds: 'emailpassword' }));
    const answers = await Promise.all([...writes, ...reads]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const kept = (await client.get<{ metadata: object }>('/recipe/user/metadata', { userId: user.id })).body;
    expect(Object.keys(kept.metadata).toSorted()).toEqual(names.toSorted());
  });

  test('codes are consumed once, although ranges and lone runs are played too', async () => {
    type Code = { preAuthSessionId: string; deviceId: string; userInputCode: string };
    const made = (await client.post<Code>('/recipe/signinup/code', { email: 'once@example.com' })).body;
    const { preAuthSessionId, deviceId, userInputCode } = made;
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => client.post('/recipe/signinup/code/consume', { preAuthSessionId, deviceId, userInputCode })),
    );
    expect(replies.filter(({ body }) => body['status'] === 'OK')).toHaveLength(1);
  });
});
