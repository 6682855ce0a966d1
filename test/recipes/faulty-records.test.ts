import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonText } from '../../src/json/free-form.ts';
import { importBatch } from '../../src/recipes/bulk-import/import-batch.ts';
import { queueEntries } from '../../src/recipes/bulk-import/records.ts';
import type { Tenant } from '../../src/recipes/tenants/tenant.ts';
import { tenants } from '../../src/recipes/tenants/records.ts';
import { sessionKey, sessions } from '../../src/recipes/session-records/records.ts';
import { metadata } from '../../src/recipes/user-metadata/records.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';

/** Records as a fault once wrote them, with text of another type where a JSON object or list belongs: each has a sane reading, which the next write keeps. */
const FAULTY = ['1e400', '123456789012345678901234567890', '-1.0000000000000000001', '"text"', '[1]', 'null', 'true', ''] as const;

let core: InProcessCore;
let app: Tenant;

beforeAll(async () => {
  core = await openInProcessCore('5.4');
  const found = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 'public' });
  if (!found) throw new Error('there is no base tenant');
  app = found;
});

describe.each(FAULTY)('where %j stands', (wrong) => {
  const text = wrong as JsonText;

  test('for the metadata of a user, it is read as none and can be written, added to and removed', async () => {
    const { store } = core.services;
    const spoil = () => store.transact((tx) => tx.put(metadata, { app: app.app, userId: 'u', metadata: text }));
    const kept = async () => (await core.call('GET', '/recipe/user/metadata?userId=u')).body['metadata'];
    await spoil();
    expect(await kept()).toEqual({});
    const several = await core.call('POST', '/recipe/user/metadata/bulk', { userIds: ['u'] });
    expect(several.body['users']).toEqual([{ userId: 'u', metadata: {} }]);
    const put = await core.call('PUT', '/recipe/user/metadata', { userId: 'u', metadataUpdate: { a: 1, b: null } });
    expect(put).toEqual({ status: 200, body: { status: 'OK', metadata: { a: 1 } } });
    expect(await kept()).toEqual({ a: 1 });
    await spoil();
    expect((await core.call('POST', '/recipe/user/metadata/remove', { userId: 'u' })).status).toBe(200);
    expect(await kept()).toEqual({});
  });

  test('for data and claims of a session, they are read as empty, refreshed and replaced', async () => {
    const { store } = core.services;
    const body = {
      userId: 'u',
      enableAntiCsrf: false,
      userDataInJWT: { role: 'x' },
      userDataInDatabase: { a: 1 },
      useDynamicSigningKey: true,
    };
    const created = (await core.call('POST', '/recipe/session', body)).body as {
      readonly session: { readonly handle: string };
      readonly accessToken: { readonly token: string };
      readonly refreshToken: { readonly token: string };
    };
    const { handle } = created.session;
    await store.transact(async (tx) => {
      const row = await tx.get(sessions, sessionKey(app, handle));
      if (!row) throw new Error('there is no session');
      await tx.put(sessions, { ...row, data: text, claims: text });
    });
    const read = () => core.call('GET', `/recipe/session?sessionHandle=${handle}`);
    expect((await read()).body).toMatchObject({ status: 'OK', userDataInJWT: {}, userDataInDatabase: {} });
    const accessToken = created.accessToken.token;
    const flags = { doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: true };
    const verified = await core.call('POST', '/recipe/session/verify', { accessToken, ...flags });
    expect(verified.body).toMatchObject({ status: 'OK', session: { userDataInJWT: {} } });
    const regenerated = await core.call('POST', '/recipe/session/regenerate', { accessToken });
    expect(regenerated.body).toMatchObject({ status: 'OK', session: { userDataInJWT: {} } });
    const refreshToken = created.refreshToken.token;
    const refreshed = await core.call('POST', '/recipe/session/refresh', {
      refreshToken,
      enableAntiCsrf: false,
      useDynamicSigningKey: true,
    });
    expect(refreshed.body).toMatchObject({ status: 'OK', session: { handle, userDataInJWT: {} } });
    const { token } = refreshed.body['accessToken'] as { token: string };
    expect((await core.call('POST', '/recipe/session/verify', { accessToken: token, ...flags })).body).toMatchObject({ status: 'OK' });
    await core.call('PUT', '/recipe/session/data', { sessionHandle: handle, userDataInDatabase: { b: 2 } });
    await core.call('PUT', '/recipe/jwt/data', { sessionHandle: handle, userDataInJWT: { c: 3 } });
    expect((await read()).body).toMatchObject({ userDataInJWT: { c: 3 }, userDataInDatabase: { b: 2 } });
  });

  test('for coreConfig and providers of a tenant, it has none and gets new ones', async () => {
    const { store } = core.services;
    const base = '/recipe/multitenancy';
    await core.call('PUT', `${base}/tenant/v2`, { tenantId: 't1', coreConfig: { password_reset_token_lifetime: 4_000_000 } });
    await store.transact(async (tx) => {
      const row = await tx.get(tenants, ['', 'public', 't1']);
      if (!row) throw new Error('there is no tenant');
      await tx.put(tenants, { ...row, coreConfig: text, providers: wrong === '[1]' ? ('[1e400,7,null,{}]' as JsonText) : text });
    });
    core.services.directory.changed();
    const read = async () => (await core.call('GET', `/t1${base}/tenant/v2`)).body;
    if (wrong !== '[1]') expect(await read()).toMatchObject({ status: 'OK', coreConfig: {}, thirdParty: { providers: [] } });
    expect((await core.call('GET', `${base}/tenant/list/v2`)).status).toBe(200);
    expect(
      (await core.call('POST', '/t1/recipe/signup', { email: `${FAULTY.indexOf(wrong)}@b.co`, password: 'a good password 1' })).status,
    ).toBe(200);
    const config = { thirdPartyId: 'google', clients: [{ clientId: 'c' }] };
    expect((await core.call('PUT', `/t1${base}/config/thirdparty`, { config })).body).toEqual({ status: 'OK', createdNew: true });
    const lifetime = { password_reset_token_lifetime: 5_000_000 };
    const put = await core.call('PUT', `${base}/tenant/v2`, { tenantId: 't1', coreConfig: lifetime });
    expect(put).toEqual({ status: 200, body: { status: 'OK', createdNew: false } });
    const { coreConfig, thirdParty } = (await read()) as { coreConfig: object; thirdParty: { providers: object[] } };
    expect(coreConfig).toEqual(lifetime);
    expect(thirdParty.providers).toMatchObject([{ thirdPartyId: 'google' }]);
    const removed = await core.call('POST', `${base}/tenant/remove`, { tenantId: 't1' });
    expect(removed.body).toEqual({ status: 'OK', didExist: true });
  });

  test('in an entry of the import queue, it is listed, and fails or is imported without it', async () => {
    const { store, crypto, now } = core.services;
    const email = `${FAULTY.indexOf(wrong)}@example.com`;
    const count = async () => Number((await core.call('GET', '/users/count')).body['count']);
    const before = await count();
    const person = (address: string) => ({ loginMethods: [{ recipeId: 'passwordless', email: address }], userMetadata: { a: 1 } });
    await core.call('POST', '/bulk-import/users', { users: [person(`a${email}`), person(`b${email}`)] });
    const entries = () => store.read((reader) => reader.list(queueEntries, undefined, { prefix: [app.app], limit: 10 }));
    const bytes = new TextEncoder().encode(wrong);
    await store.transact(async (tx) => {
      for (const [at, entry] of (await entries()).entries())
        await tx.put(queueEntries, { ...entry, metadata: bytes, ...(at === 0 && { user: bytes }) });
    });
    const list = async () => (await core.call('GET', '/bulk-import/users')).body['users'] as Record<string, unknown>[];
    const listed = await list();
    expect(listed).toHaveLength(2);
    for (const entry of listed) expect(entry).toMatchObject({ id: expect.any(String), status: 'NEW' });
    const faults: unknown[] = [];
    for (const entry of await entries()) {
      const seen = await store.read((reader) => reader.getSeen(queueEntries, [entry.app, entry.id]));
      if (seen)
        await importBatch({ store, trail: core.services.trail, passwords: crypto, now, onFault: (error) => faults.push(error) }, app, [
          seen,
        ]);
    }
    expect(await list()).toMatchObject([{ status: 'FAILED', errorMessage: expect.stringContaining('E046') }]);
    expect(faults).toHaveLength(1);
    expect(await count()).toBe(before + 1);
    await core.call('POST', '/bulk-import/users/remove', { ids: listed.map(({ id }) => id) });
    expect(await list()).toEqual([]);
  });
});
