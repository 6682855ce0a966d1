import { beforeEach, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { purgeTombstones } from '../../../src/recipes/multitenancy/purge-tombstones.ts';
import { type InProcessCore, openInProcessCore } from '../../in-process-core.ts';

let core: InProcessCore;
beforeEach(async () => {
  core = await openInProcessCore('5.4');
  for (const tenantId of ['t1', 't2', 't3']) await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId });
});

const post = async (path: string, body: object) => (await core.call('POST', path, body)).body;
/** An email/password user of a tenant; answers the id. */
const signUp = async (tenant: string, email: string): Promise<string> =>
  String((await post(`/${tenant}/recipe/signup`, { email, password: 'password-1' }))['recipeUserId']);
/** A third-party user of a tenant; answers the id. */
const thirdParty = async (tenant: string, thirdPartyUserId: string, email: string): Promise<string> => {
  const body = { thirdPartyId: 'google', thirdPartyUserId, email: { id: email, isVerified: true } };
  return String((await post(`/${tenant}/recipe/signinup`, body))['recipeUserId']);
};
const makePrimary = (recipeUserId: string) => post('/recipe/accountlinking/user/primary', { recipeUserId });
const link = (recipeUserId: string, primaryUserId: string) => post('/recipe/accountlinking/user/link', { recipeUserId, primaryUserId });
const associate = (recipeUserId: string, tenant: string) => post(`/${tenant}/recipe/multitenancy/tenant/user`, { recipeUserId });
const disassociate = (recipeUserId: string, tenant: string) => post(`/${tenant}/recipe/multitenancy/tenant/user/remove`, { recipeUserId });
const signIn = async (tenant: string, email: string) =>
  (await post(`/${tenant}/recipe/signin`, { email, password: 'password-1' }))['status'];
const tenantIdsOf = async (userId: string): Promise<unknown> =>
  ((await core.call('GET', `/user/id?userId=${userId}`)).body['user'] as { tenantIds: unknown } | undefined)?.tenantIds;

const JOINED = { status: 'OK', wasAlreadyAssociated: false };
const MEMBER = { status: 'OK', wasAlreadyAssociated: true };
const refused = (what: string, id: string) => ({
  status: 'ASSOCIATION_NOT_ALLOWED_ERROR',
  reason: `Another primary user with ${what} already exists: ${id}`,
});

describe('joining a tenant', () => {
  test('opens it to a login method, once', async () => {
    const id = await signUp('t1', 'a@x.com');
    expect(await signIn('t2', 'a@x.com')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await associate(id, 't2')).toEqual(JOINED);
    expect(await associate(id, 't2')).toEqual(MEMBER);
    expect(await signIn('t2', 'a@x.com')).toBe('OK');
    expect(await tenantIdsOf(id)).toEqual(['t1', 't2']);
    expect((await core.call('GET', '/t2/users')).body['users']).toHaveLength(1);
  });

  test('takes an external id, and `userId` below CDI 4.0', async () => {
    const id = await signUp('t1', 'a@x.com');
    await post('/recipe/userid/map', { superTokensUserId: id, externalUserId: 'ext' });
    expect(await associate(' ext ', 't2')).toEqual(JOINED);
    const path = '/t3/recipe/multitenancy/tenant/user';
    expect((await core.call('POST', path, { userId: id }, { cdi: '3.1' })).body).toEqual(JOINED);
    expect((await core.call('POST', path, { userId: id })).body['text']).toBe("Field name 'recipeUserId' is invalid in JSON input\n");
    expect((await core.call('POST', path, { recipeUserId: ' ' })).body['text']).toBe("Field name 'userId' cannot be an empty String\n");
  });

  test('is for those whom the app knows', async () => {
    await core.call('PUT', '/recipe/user/metadata', { userId: 'known', metadataUpdate: {} });
    for (const id of ['nobody', 'known']) expect(await associate(id, 't1')).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect((await core.call('POST', '/ghost/recipe/multitenancy/tenant/user', { recipeUserId: 'x' })).status).toBe(400);
  });

  test('finds the place taken by another of its recipe', async () => {
    const [a] = [await signUp('t1', 'a@x.com'), await signUp('t2', 'a@x.com')];
    expect(await associate(a, 't2')).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    const [g] = [await thirdParty('t1', 'g', 'g@x.com'), await thirdParty('t2', 'g', 'h@x.com')];
    expect(await associate(g, 't2')).toEqual({ status: 'THIRD_PARTY_USER_ALREADY_EXISTS_ERROR' });
    const other = await thirdParty('t1', 'other', 'a@x.com');
    expect(await associate(other, 't2')).toEqual(JOINED);
  });

  test('a phone number may be taken too', async () => {
    const consume = async (tenant: string): Promise<string> => {
      const code = await post(`/${tenant}/recipe/signinup/code`, { phoneNumber: '+4930123456' });
      const { preAuthSessionId, linkCode } = code;
      return String((await post(`/${tenant}/recipe/signinup/code/consume`, { preAuthSessionId, linkCode }))['recipeUserId']);
    };
    const [first] = [await consume('t1'), await consume('t2')];
    expect(await associate(first, 't2')).toEqual({ status: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR' });
  });
});

describe('joining a tenant that has primary users', () => {
  test('two primary users may not share an email there', async () => {
    const [a, b] = [await signUp('t1', 'a@x.com'), await signUp('t2', 'a@x.com')];
    await makePrimary(a);
    await makePrimary(b);
    expect(await associate(a, 't2')).toEqual(refused('email', b));
    expect(await tenantIdsOf(a)).toEqual(['t1']);
  });

  test('another recipe of nobody in particular is no obstacle', async () => {
    const [a, g] = [await signUp('t1', 'a@x.com'), await thirdParty('t2', 'g', 'a@x.com')];
    await makePrimary(a);
    expect(await associate(a, 't2')).toEqual(JOINED);
    expect(await makePrimary(g)).toMatchObject({ status: 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR' });
  });

  test('all account infos of the group count, and only the one method joins', async () => {
    const [p, l, q] = [await signUp('t1', 'e1@x.com'), await signUp('t1', 'e2@x.com'), await signUp('t2', 'e2@x.com')];
    await makePrimary(p);
    await link(l, p);
    await makePrimary(q);
    expect(await associate(p, 't2')).toEqual(refused('email', q));
    expect(await associate(p, 't3')).toEqual(JOINED);
    expect(await signIn('t3', 'e2@x.com')).toBe('WRONG_CREDENTIALS_ERROR');
    const late = await thirdParty('t3', 'g', 'e2@x.com');
    expect(await makePrimary(late)).toMatchObject({ primaryUserId: p });
  });

  test('a third-party account of two primary users is named first', async () => {
    const [a, b] = [await thirdParty('t1', 'g', 'a@x.com'), await thirdParty('t2', 'g', 'a@x.com')];
    await post('/recipe/userid/map', { superTokensUserId: b, externalUserId: 'ext-b' });
    await makePrimary(a);
    await makePrimary(b);
    expect(await associate(a, 't2')).toEqual(refused('third party info', 'ext-b'));
  });

  test('a method that belongs to nobody ignores them, and cannot become primary afterwards', async () => {
    const [plain, g] = [await signUp('t2', 'a@x.com'), await thirdParty('t1', 'g', 'a@x.com')];
    await makePrimary(g);
    expect(await associate(plain, 't1')).toEqual(JOINED);
    expect(await makePrimary(plain)).toMatchObject({ primaryUserId: g });
  });

  test('the id of a primary user without a method of its own reserves nothing', async () => {
    const [p, l] = [await signUp('t1', 'e1@x.com'), await thirdParty('t1', 'g', 'e2@x.com')];
    await makePrimary(p);
    await link(l, p);
    await post('/user/remove', { userId: p, removeAllLinkedAccounts: false });
    expect(await associate(p, 't2')).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    const q = await thirdParty('t2', 'q', 'e2@x.com');
    expect(await makePrimary(q)).toMatchObject({ status: 'OK' });
    expect(await associate(p, 't2')).toEqual(refused('email', q));
  });

  test('of two that would collide one wins', async () => {
    const [a, b] = [await signUp('t1', 'a@x.com'), await thirdParty('t2', 'g', 'a@x.com')];
    await makePrimary(a);
    await makePrimary(b);
    const statuses = await Promise.all([associate(a, 't3'), associate(b, 't3')]);
    expect(statuses.map(({ status }) => status).toSorted()).toEqual(['ASSOCIATION_NOT_ALLOWED_ERROR', 'OK']);
  });
});

describe('leaving a tenant', () => {
  test('takes what was kept there, and nothing elsewhere', async () => {
    const id = await signUp('t1', 'a@x.com');
    await associate(id, 't2');
    const session = { userId: id, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
    for (const tenant of ['t1', 't2']) await post(`/${tenant}/recipe/session`, session);
    await core.call('PUT', '/recipe/role', { role: 'admin' });
    await core.call('PUT', '/t2/recipe/user/role', { userId: id, role: 'admin' });
    const token = (await post('/t2/recipe/user/email/verify/token', { userId: id, email: 'a@x.com' }))['token'];
    expect(await disassociate(id, 't2')).toEqual({ status: 'OK', wasAssociated: true });
    expect(await disassociate(id, 't2')).toEqual({ status: 'OK', wasAssociated: false });
    expect((await core.call('GET', `/t2/recipe/user/roles?userId=${id}`)).body['roles']).toEqual([]);
    expect(await post('/t2/recipe/user/email/verify', { method: 'token', token })).toMatchObject({
      status: 'EMAIL_VERIFICATION_INVALID_TOKEN_ERROR',
    });
    const handles = async (tenant: string) =>
      (await core.call('GET', `/${tenant}/recipe/session/user?userId=${id}&fetchAcrossAllTenants=false`)).body['sessionHandles'];
    expect([await handles('t1'), await handles('t2')]).toMatchObject([[expect.any(String)], []]);
    expect(await signIn('t2', 'a@x.com')).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await signIn('t1', 'a@x.com')).toBe('OK');
  });

  test('down to no tenant at all: the user stays and may come back', async () => {
    const id = await signUp('t1', 'a@x.com');
    await disassociate(id, 't1');
    expect(await tenantIdsOf(id)).toEqual([]);
    expect(await signUp('t1', 'a@x.com')).not.toBe(id);
    expect(await associate(id, 't2')).toEqual(JOINED);
    expect(await signIn('t2', 'a@x.com')).toBe('OK');
  });

  test('frees what its group had reserved there, unless another member is in it', async () => {
    const [p, l] = [await signUp('t1', 'e1@x.com'), await thirdParty('t1', 'g', 'e2@x.com')];
    await makePrimary(p);
    await link(l, p);
    await disassociate(p, 't1');
    const one = await thirdParty('t1', 'one', 'e1@x.com');
    expect(await makePrimary(one)).toMatchObject({ primaryUserId: p });
    await disassociate(l, 't1');
    expect(await makePrimary(one)).toMatchObject({ status: 'OK' });
  });

  test('works for ids that only roles and the like know', async () => {
    await core.call('PUT', '/recipe/role', { role: 'admin' });
    await core.call('PUT', '/t2/recipe/user/role', { userId: 'guest', role: 'admin' });
    expect(await disassociate('guest', 't1')).toEqual({ status: 'OK', wasAssociated: false });
    expect(await disassociate('guest', 't2')).toEqual({ status: 'OK', wasAssociated: true });
    expect(await disassociate('guest', 't2')).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });
});

describe('a tenant that is removed', () => {
  test('is left by everybody, and nothing of it remains', async () => {
    const [p, l] = [await signUp('t1', 'e1@x.com'), await thirdParty('t1', 'g', 'e2@x.com')];
    await makePrimary(p);
    await link(l, p);
    await associate(p, 't2');
    const found = await core.services.directory.find({ cud: '', appId: 'public', tenantId: 't1' });
    await post('/recipe/multitenancy/tenant/remove', { tenantId: 't1' });
    expect(await tenantIdsOf(p)).toEqual(['t2']);
    core.clock.now += 61_000;
    while (await purgeTombstones(core.services.store, COLLECTIONS, core.clock.now, 1));
    const numbers = [found?.app ?? 0, found?.tenant ?? 0];
    for (const collection of COLLECTIONS) {
      const rows: unknown[] = await core.services.store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 1000 }));
      const naming = rows.filter((row) => JSON.stringify(row).includes(`"tenant":${numbers[1]}`) || namesTenant(row, numbers[1]));
      expect(naming, collection.name).toEqual([]);
    }
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    expect(await tenantIdsOf(p)).toEqual(['t2']);
    expect(await makePrimary(await signUp('t1', 'e1@x.com'))).toMatchObject({ status: 'OK' });
  });
});

/** Whether a login method or user names the tenant with this number. */
function namesTenant(row: unknown, tenant: number | undefined): boolean {
  const { tenants = [], recipesByTenant = [] } = row as { tenants?: number[]; recipesByTenant?: [number, number][] };
  return tenants.some((each) => each === tenant) || recipesByTenant.some(([each]) => each === tenant);
}
