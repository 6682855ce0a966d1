import { describe, expect, test } from 'vitest';
import { recoveryTokens, webauthnCredentials } from '../../../src/recipes/webauthn/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { Calls } from '../email-password/calls.ts';
import { PasskeyCalls } from './calls.ts';

const open = async (cdi = '5.4'): Promise<PasskeyCalls> => new PasskeyCalls(await openInProcessCore(cdi));

async function kept(calls: PasskeyCalls): Promise<number> {
  const range = { prefix: [], limit: 100 } as const;
  const { store } = calls.core.services;
  const found = await store.read((reader) =>
    Promise.all([reader.keys(webauthnCredentials, undefined, range), reader.keys(recoveryTokens, undefined, range)]),
  );
  return found.flat().length;
}

async function byInfo(calls: PasskeyCalls, query: Readonly<Record<string, string>>, tenant = '', cdi = '5.4'): Promise<readonly unknown[]> {
  const path = `${tenant}/users/by-accountinfo?${new URLSearchParams(query).toString()}`;
  const { status, body } = await calls.core.call('GET', path, undefined, { cdi });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return (body['users'] as { id: string }[]).map(({ id }) => id);
}

describe('a user with passkeys', () => {
  test.each(['4.0', '5.2', '5.3', '5.6'])('as shown at CDI %s', async (cdi) => {
    const calls = await open();
    const { key, recipeUserId } = await calls.join();
    const user = await calls.userOf(recipeUserId, cdi);
    const { loginMethods } = user as { readonly loginMethods: readonly object[] };
    const [method] = loginMethods;
    expect(method).toMatchObject({ recipeId: 'webauthn', recipeUserId, email: 'a@x' });
    const isNew = Number(cdi) >= 5.3;
    expect(user?.['emails']).toEqual(isNew ? ['a@x'] : []);
    for (const shown of [user, method])
      if (isNew) expect(shown).toMatchObject({ webauthn: { credentialIds: [key.id] } });
      else expect(shown).not.toHaveProperty('webauthn');
  });

  test('alone is unknown below CDI 4.0, and left out of lists, whose pages stay full', async () => {
    const calls = await open();
    const { core } = calls;
    const passwords = new Calls(core);
    const { recipeUserId } = await calls.join();
    core.clock.now += 10;
    const plain = await passwords.signUp('p@x');
    expect(await calls.userOf(recipeUserId, '3.0')).toBeUndefined();
    const list = async (query: string) => (await core.call('GET', `/users?${query}`, undefined, { cdi: '3.0' })).body;
    expect(await list('limit=1')).toMatchObject({ users: [{ recipeId: 'emailpassword', user: { id: plain } }] });
    expect(await list('limit=1')).not.toHaveProperty('nextPaginationToken');
    expect(await list('email=a')).toMatchObject({ users: [] });
    expect(await byInfo(calls, { email: 'a@x', doUnionOfAccountInfo: 'true' }, '', '3.0')).toEqual([]);
    await passwords.link(plain, recipeUserId);
    expect(await calls.userOf(recipeUserId, '3.0')).toMatchObject({ id: plain });
    expect(await list('')).toMatchObject({ users: [{ recipeId: 'emailpassword', user: { id: plain, email: 'p@x' } }] });
  });

  test('is listed and counted by recipe', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    await new Calls(calls.core).signUp('p@x');
    const { body } = await calls.core.call('GET', '/users?includeRecipeIds=webauthn');
    expect(body['users']).toMatchObject([{ id: recipeUserId }]);
    expect((await calls.core.call('GET', '/users/count?includeRecipeIds=webauthn')).body).toMatchObject({ count: 1 });
  });

  test('is found by a passkey in the whole app', async () => {
    const calls = await open();
    await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const { key, recipeUserId } = await calls.join();
    const passkey = { webauthnCredentialId: key.id };
    for (const doUnionOfAccountInfo of ['true', 'false'])
      for (const tenant of ['', '/t1']) expect(await byInfo(calls, { ...passkey, doUnionOfAccountInfo }, tenant)).toEqual([recipeUserId]);
    expect(await byInfo(calls, { ...passkey, email: 'a@x', doUnionOfAccountInfo: 'false' })).toEqual([recipeUserId]);
    expect(await byInfo(calls, { ...passkey, email: 'b@x', doUnionOfAccountInfo: 'false' })).toEqual([]);
    expect(await byInfo(calls, { ...passkey, email: 'b@x', doUnionOfAccountInfo: 'true' })).toEqual([recipeUserId]);
    expect(await byInfo(calls, { webauthnCredentialId: 'none', doUnionOfAccountInfo: 'true' })).toEqual([]);
  });

  test('has a verified email by either id', async () => {
    const calls = await open();
    const { core } = calls;
    const { recipeUserId } = await calls.join();
    const { body } = await core.call('POST', '/recipe/user/email/verify/token', { userId: recipeUserId, email: 'a@x' });
    await core.call('POST', '/recipe/user/email/verify', { method: 'token', token: body['token'] });
    expect(await calls.userOf(recipeUserId)).toMatchObject({ loginMethods: [{ verified: true }] });
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: recipeUserId, externalUserId: 'outer', force: true });
    expect(await calls.userOf('outer')).toMatchObject({ loginMethods: [{ recipeUserId: 'outer', verified: true }] });
    const { key, recipeUserId: other } = await calls.join('b@x');
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: other, externalUserId: 'second' });
    const second = await core.call('POST', '/recipe/user/email/verify/token', { userId: 'second', email: 'b@x' });
    await core.call('POST', '/recipe/user/email/verify', { method: 'token', token: second.body['token'] });
    expect(await calls.enter(key)).toMatchObject({ user: { id: 'second', loginMethods: [{ verified: true }] } });
  });
});

describe('what goes with a user', () => {
  test('all passkeys and tokens; the email and the passkey are free at once', async () => {
    const calls = await open();
    const { core } = calls;
    const { key, recipeUserId } = await calls.join();
    await calls.post('/user/recover/token', { userId: recipeUserId, email: 'a@x' });
    expect(await kept(calls)).toBe(2);
    await core.call('POST', '/user/remove', { userId: recipeUserId });
    expect(await kept(calls)).toBe(0);
    expect((await calls.join('a@x', key)).recipeUserId).not.toBe(recipeUserId);
  });

  test('the passkeys of a primary user whose own login method goes alone', async () => {
    const calls = await open();
    const passwords = new Calls(calls.core);
    const { key, recipeUserId } = await calls.join();
    const plain = await passwords.signUp('p@x');
    await passwords.link(recipeUserId, plain);
    await calls.core.call('POST', '/user/remove', { userId: recipeUserId, removeAllLinkedAccounts: false });
    expect(await kept(calls)).toBe(0);
    expect(await calls.enter(key)).toEqual({ status: 'CREDENTIAL_NOT_FOUND_ERROR' });
    expect(await calls.userOf(plain)).toMatchObject({ id: recipeUserId, webauthn: { credentialIds: [] } });
  });

  test('by unlinking: those of the primary, while a member keeps its own', async () => {
    const calls = await open();
    const { core } = calls;
    const [first, second] = [await calls.join(), await calls.join('b@x')];
    await new Calls(core).link(first.recipeUserId, second.recipeUserId);
    const unlink = async (recipeUserId: string) => (await core.call('POST', '/recipe/accountlinking/user/unlink', { recipeUserId })).body;
    expect(await unlink(second.recipeUserId)).toMatchObject({ wasRecipeUserDeleted: false, wasLinked: true });
    expect(await calls.enter(second.key)).toMatchObject({ status: 'OK', user: { id: second.recipeUserId } });
    expect(await unlink(first.recipeUserId)).toMatchObject({ wasRecipeUserDeleted: false, wasLinked: true });
    await new Calls(core).link(second.recipeUserId, first.recipeUserId);
    expect(await unlink(second.recipeUserId)).toMatchObject({ wasRecipeUserDeleted: true, wasLinked: true });
    expect((await calls.enter(second.key)).status).toBe('CREDENTIAL_NOT_FOUND_ERROR');
    expect((await calls.enter(first.key)).status).toBe('OK');
  });
});

describe('tenants', () => {
  test('take a login method unless one with its email is there', async () => {
    const calls = await open();
    const { core } = calls;
    await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const here = await calls.join();
    const add = async (recipeUserId: string) => (await core.call('POST', '/t1/recipe/multitenancy/tenant/user', { recipeUserId })).body;
    expect(await add(here.recipeUserId)).toEqual({ status: 'OK', wasAlreadyAssociated: false });
    expect(await add(here.recipeUserId)).toEqual({ status: 'OK', wasAlreadyAssociated: true });
    await core.call('POST', '/t1/recipe/multitenancy/tenant/user/remove', { recipeUserId: here.recipeUserId });
    await calls.join('a@x', undefined, '/t1');
    expect(await add(here.recipeUserId)).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
  });

  test('of a user who has left all of them: still known by id', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    await calls.core.call('POST', '/recipe/multitenancy/tenant/user/remove', { recipeUserId });
    expect(await calls.userOf(recipeUserId)).toMatchObject({ tenantIds: [] });
  });

  test('an email is free in a primary user once no member has it', async () => {
    const calls = await open();
    const passwords = new Calls(calls.core);
    const { recipeUserId } = await calls.join();
    await passwords.link(recipeUserId);
    const other = await passwords.signUp('a@x');
    const primary = async () =>
      (await calls.core.call('POST', '/recipe/accountlinking/user/primary', { recipeUserId: other })).body['status'];
    expect(await primary()).toBe('ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR');
    await calls.call('PUT', '/user/email', { recipeUserId, email: 'b@x' });
    expect(await primary()).toBe('OK');
  });
});
