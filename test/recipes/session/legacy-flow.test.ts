import { describe, expect, test } from 'vitest';
import { type CdiClient, cdiClient } from '../../cdi-client.ts';
import { create, decode, exists, hash1, refresh, type SessionAnswer, tryRefresh, verify } from './session-calls.ts';
import { withCore } from '../../with-core.ts';

/** Refresh as clients up to CDI 5.5 know it: a refresh token stays good until a child of it is used (contract 02 section 2.4, legacy flow). */
describe('the legacy refresh flow', () => {
  let client: CdiClient;
  withCore({ env: { TOKEN_THEFT_REVOKES: 'reference' } }, (core) => {
    client = cdiClient(core.url, { cdi: '5.4' });
  });

  test('a child that is used retires its parent', async () => {
    const first = await create(client, 'legacy-1');
    const second = await refresh(client, first.refresh);
    expect(decode(second.access).claims).toMatchObject({
      refreshTokenHash1: hash1(second.refresh),
      parentRefreshTokenHash1: hash1(first.refresh),
    });

    const used = await verify(client, second.access);
    expect(used.status).toBe('OK');
    expect(decode(String(used.accessToken?.token)).claims).toMatchObject({
      refreshTokenHash1: hash1(second.refresh),
      parentRefreshTokenHash1: null,
    });
    const stolen = await tryRefresh(client, first.refresh);
    expect(stolen.body).toEqual({
      status: 'TOKEN_THEFT_DETECTED',
      session: { handle: first.handle, userId: 'legacy-1', recipeUserId: 'legacy-1' },
    });
    expect(await exists(client, first.handle)).toBe(true);
    await refresh(client, second.refresh);
  });

  test('until then the parent gives siblings', async () => {
    const first = await create(client, 'legacy-2');
    const [one, other] = [await refresh(client, first.refresh), await refresh(client, first.refresh)];
    expect(one.refresh).not.toBe(other.refresh);
    expect(one.handle).toBe(other.handle);
  });

  test('a child that is refreshed retires its parent too', async () => {
    const first = await create(client, 'legacy-3');
    const second = await refresh(client, first.refresh);
    await refresh(client, second.refresh);
    expect((await tryRefresh(client, first.refresh)).body.status).toBe('TOKEN_THEFT_DETECTED');
    const late = await verify(client, second.access);
    expect(late.status).toBe('OK');
    expect(late.accessToken).toBeDefined();
  });

  test('of two siblings the one used first lives on', async () => {
    const first = await create(client, 'legacy-4');
    const [one, other] = await Promise.all([refresh(client, first.refresh), refresh(client, first.refresh)]);
    expect((await verify(client, one.access)).accessToken).toBeDefined();
    expect((await tryRefresh(client, other.refresh)).body.status).toBe('TOKEN_THEFT_DETECTED');
    const fork = await verify(client, other.access);
    expect(fork.status).toBe('OK');
    expect(fork).not.toHaveProperty('accessToken');
    await refresh(client, one.refresh);
  });

  test('another kind of signing key is remembered, also while nothing else changes', async () => {
    const first = await create(client, 'legacy-5');
    expect(decode(first.access).header.kid).toMatch(/^d-\d+$/);
    const second = await refresh(client, first.refresh, { useDynamicSigningKey: false });
    expect(decode(second.access).header.kid).toMatch(/^s-/);
    const used = await verify(client, second.access);
    expect(decode(String(used.accessToken?.token)).header.kid).toMatch(/^s-/);
    const again = await client.post<SessionAnswer>('/recipe/session/regenerate', { accessToken: first.access, userDataInJWT: { k: 'v' } });
    expect(decode(String(again.body.accessToken?.token)).header.kid).toMatch(/^s-/);
  });

  test('an access token from long ago is good, and gets no successor', async () => {
    let grant = await create(client, 'legacy-6');
    const chain = [grant];
    for (let i = 0; i < 3; i += 1) {
      grant = await refresh(client, grant.refresh);
      await verify(client, grant.access);
      chain.push(grant);
    }
    const old = await verify(client, String(chain[1]?.access));
    expect(old.status).toBe('OK');
    expect(old).not.toHaveProperty('accessToken');
  });

  test('a change of claims reaches the next verify with the database', async () => {
    const { handle, access } = await create(client, 'legacy-7', { userDataInJWT: { role: 'reader' } });
    await client.put('/recipe/jwt/data', { sessionHandle: handle, userDataInJWT: { role: 'writer', n: null } });
    expect(await verify(client, access)).not.toHaveProperty('accessToken');
    const seen = await verify(client, access, { checkDatabase: true });
    expect(seen.session?.userDataInJWT).toEqual({ role: 'writer', n: null });
    const next = String(seen.accessToken?.token);
    expect(decode(next).claims).toMatchObject({ role: 'writer', n: null });
    expect(await verify(client, next, { checkDatabase: true })).not.toHaveProperty('accessToken');
  });

  test('integers that JavaScript cannot hold do not look like a change', async () => {
    const body =
      '{"userId":"legacy-8","userDataInJWT":{"big":9007199254740993,"f":1.0},"userDataInDatabase":{"big":9223372036854775807},"enableAntiCsrf":false}';
    const made = await client.post<SessionAnswer>('/recipe/session', body);
    expect(made.text).toContain('9007199254740993');
    const access = String(made.body.accessToken?.token);
    expect(Buffer.from(String(access.split('.')[1]), 'base64url').toString()).toContain('9007199254740993');
    expect(await verify(client, access, { checkDatabase: true })).not.toHaveProperty('accessToken');
    const kept = await client.get('/recipe/session', { sessionHandle: String(made.body.session?.handle) });
    expect(kept.text).toContain('9223372036854775807');
  });

  test('a session begun at an old version grows into the newest one', async () => {
    const old = await client.post<SessionAnswer & { readonly idRefreshToken?: unknown }>(
      '/recipe/session',
      { userId: 'legacy-9', userDataInJWT: { a: 1 }, userDataInDatabase: {}, enableAntiCsrf: false },
      { cdi: '2.18' },
    );
    expect(old.body.idRefreshToken).toBeDefined();
    const access = String(old.body.accessToken?.token);
    expect(access.startsWith('eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsInZlcnNpb24iOiIyIn0=.')).toBe(true);
    expect((await verify(client, access, { checkDatabase: true })).status).toBe('OK');
    const next = await refresh(client, String(old.body.refreshToken?.token));
    expect(decode(next.access).header['version']).toBe('5');
    expect(decode(next.access).claims).toMatchObject({ sub: 'legacy-9', rsub: 'legacy-9', tId: 'public', a: 1 });
  });
});
