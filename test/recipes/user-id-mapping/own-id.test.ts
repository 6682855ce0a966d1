import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { LinkingCalls } from '../account-linking/calls.ts';

/*
 * A mapping that is forced makes the id of one user the external id of another. Wherever a user is looked up by an id, it is its own user's:
 * `named`, never the one who was mapped to it.
 */

let calls: LinkingCalls;
let number = 0;
/** The user whose own id it is, and the one whose external id it was made. */
let named = '';
let mapped = '';
let namedEmail = '';
let mappedEmail = '';

const SESSION = { userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };

interface Started {
  readonly session: { readonly handle: string; readonly userId: string; readonly recipeUserId: string };
  readonly refreshToken: { readonly token: string };
}

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
  await calls.addTenant('t1');
});
beforeEach(async () => {
  number += 1;
  [namedEmail, mappedEmail] = [`named-${number}@example.com`, `mapped-${number}@example.com`];
  [named, mapped] = [await calls.signUp(namedEmail), await calls.signUp(mappedEmail)];
  await calls.mapTo(mapped, named, true);
});

const start = async (userId: string): Promise<Started> => {
  const { body } = await calls.ask('POST', '/recipe/session', { userId, ...SESSION });
  return body as object as Started;
};
const refresh = async ({ refreshToken }: Started): Promise<Started> => {
  const request = { refreshToken: refreshToken.token, enableAntiCsrf: false, useDynamicSigningKey: true };
  return (await calls.ask('POST', '/recipe/session/refresh', request)).body as object as Started;
};
/** The email of the user whom an answer shows. */
const emailIn = (body: unknown): unknown => (body as { readonly user?: { readonly emails?: readonly string[] } }).user?.emails?.[0];
const canSignIn = async (email: string, password: string): Promise<boolean> => (await calls.signIn(email, password))['status'] === 'OK';
const isPrimary = async (email: string): Promise<unknown> =>
  ((await calls.signIn(email, 'secret-1'))['user'] as { readonly isPrimaryUser?: boolean })['isPrimaryUser'];
const tenantsOf = async (email: string): Promise<unknown> =>
  ((await calls.signIn(email, 'secret-1'))['user'] as { readonly tenantIds?: readonly string[] })['tenantIds'];

describe('an id means the user whose own it is', () => {
  test('where users are shown', async () => {
    expect((await calls.user(named))?.emails).toEqual([namedEmail]);
    expect((await calls.user(mapped))?.emails).toEqual([mappedEmail]);
    const { body } = await calls.ask('GET', `/recipe/user?userId=${named}`, undefined, { rid: 'emailpassword', cdi: '2.21' });
    expect((body['user'] as { readonly email: string }).email).toBe(namedEmail);
  });

  test('where a password or an email is changed', async () => {
    await calls.ask('PUT', '/recipe/user', { recipeUserId: named, password: 'other-1' }, { rid: 'emailpassword' });
    expect([await canSignIn(namedEmail, 'other-1'), await canSignIn(mappedEmail, 'secret-1')]).toEqual([true, true]);
    await calls.ask('PUT', '/recipe/user', { recipeUserId: named, email: `new-${namedEmail}` }, { rid: 'emailpassword' });
    expect([await canSignIn(`new-${namedEmail}`, 'other-1'), await canSignIn(mappedEmail, 'secret-1')]).toEqual([true, true]);
  });

  test('where a password is reset', async () => {
    const { token } = await calls.post('/recipe/user/password/reset/token', { userId: named, email: namedEmail });
    await calls.post('/recipe/user/password/reset', { method: 'token', token, newPassword: 'reset-1' });
    expect([await canSignIn(namedEmail, 'reset-1'), await canSignIn(mappedEmail, 'secret-1')]).toEqual([true, true]);
  });

  test('where users become primary, are linked and unlinked', async () => {
    expect(emailIn((await calls.primary(named)).body)).toBe(namedEmail);
    expect([await isPrimary(namedEmail), await isPrimary(mappedEmail)]).toEqual([true, false]);
    const joining = await calls.signUp(`joining-${namedEmail}`);
    expect((await calls.linkTo(joining, named)).body).toMatchObject({ status: 'OK', accountsAlreadyLinked: false });
    expect(await calls.members(named)).toEqual([named, joining].toSorted());
    expect((await calls.canBePrimary(named)).body).toMatchObject({ wasAlreadyAPrimaryUser: true });
    await calls.unlink(joining);
    expect(await calls.members(named)).toEqual([named]);
    await calls.unlink(named);
    expect([await isPrimary(namedEmail), await canSignIn(mappedEmail, 'secret-1')]).toEqual([false, true]);
  });

  test('where users join and leave tenants', async () => {
    await calls.ask('POST', '/recipe/multitenancy/tenant/user', { recipeUserId: named }, { at: '/t1' });
    expect([await tenantsOf(namedEmail), await tenantsOf(mappedEmail)]).toEqual([['public', 't1'], ['public']]);
    await calls.ask('POST', '/recipe/multitenancy/tenant/user/remove', { recipeUserId: named }, { at: '/t1' });
    expect([await tenantsOf(namedEmail), await tenantsOf(mappedEmail)]).toEqual([['public'], ['public']]);
  });

  test('where users are removed', async () => {
    await calls.removeUser(named);
    expect([await canSignIn(namedEmail, 'secret-1'), await canSignIn(mappedEmail, 'secret-1')]).toEqual([false, true]);
  });

  test('where mappings are read, changed and removed, unless the external id is asked for', async () => {
    const map = '/recipe/userid/map';
    const read = async (type: string) => (await calls.ask('GET', `${map}?userId=${named}&userIdType=${type}`)).body;
    const none = { status: 'UNKNOWN_MAPPING_ERROR' };
    expect([await read('ANY'), await read('SUPERTOKENS')]).toEqual([none, none]);
    expect(await read('EXTERNAL')).toMatchObject({ superTokensUserId: mapped });
    const info = (userIdType: string) =>
      calls.ask('PUT', '/recipe/userid/external-user-id-info', { userId: named, userIdType, externalUserIdInfo: 'x' });
    expect([(await info('ANY')).body, (await info('EXTERNAL')).body]).toEqual([none, { status: 'OK' }]);
    const remove = async (userIdType: string) => (await calls.post(`${map}/remove`, { userId: named, userIdType }))['didMappingExist'];
    expect([await remove('ANY'), await remove('SUPERTOKENS'), await remove('EXTERNAL')]).toEqual([false, false, true]);
  });
});

describe('sessions of that id', () => {
  /** Links each of the two to a primary user of its own; answers their ids. */
  const linkBoth = async (): Promise<readonly [ofNamed: string, ofMapped: string]> => {
    const [ofNamed, ofMapped] = [await calls.signUp(`p-${namedEmail}`), await calls.signUp(`p-${mappedEmail}`)];
    await calls.link(ofNamed, named);
    await calls.link(ofMapped, mapped);
    return [ofNamed, ofMapped];
  };

  test('are of its own user, when they begin and when they are refreshed', async () => {
    const [ofNamed] = await linkBoth();
    const started = await start(named);
    expect(started.session).toMatchObject({ userId: ofNamed, recipeUserId: named });
    expect((await refresh(started)).session).toMatchObject({ userId: ofNamed, recipeUserId: named });
    const { body } = await calls.ask('GET', `/recipe/session?sessionHandle=${started.session.handle}`);
    expect(body['userId']).toBe(ofNamed);
  });

  test('are never those of the other, whose own id begins sessions under itself', async () => {
    const [, ofMapped] = await linkBoth();
    const started = await start(mapped);
    expect(started.session).toMatchObject({ userId: ofMapped, recipeUserId: mapped });
    expect((await refresh(started)).session).toMatchObject({ userId: ofMapped, recipeUserId: mapped });
    expect((await calls.ask('GET', `/recipe/session/user?userId=${mapped}`)).body['sessionHandles']).toEqual([started.session.handle]);
  });

  test('of a primary id whose own login method is gone', async () => {
    const member = await calls.signUp(`member-${namedEmail}`);
    await calls.link(named, member);
    await calls.unlink(named);
    expect((await calls.user(named))?.emails).toEqual([`member-${namedEmail}`]);
    await calls.link(await calls.signUp(`p-${mappedEmail}`), mapped);
    const started = await start(named);
    expect(started.session).toMatchObject({ userId: named, recipeUserId: named });
    expect((await refresh(started)).session).toMatchObject({ userId: named, recipeUserId: named });
  });

  test('are listed and ended with those who are linked to its own user, and so after a theft', async () => {
    const [ofNamed, ofMapped] = await linkBoth();
    const [own, primary, other] = [await start(named), await start(ofNamed), await start(ofMapped)];
    const handles = [own, primary].map(({ session }) => session.handle).toSorted();
    expect((await calls.ask('GET', `/recipe/session/user?userId=${named}`)).body['sessionHandles']).toEqual(
      expect.arrayContaining(handles),
    );
    const child = await refresh(own);
    await refresh(child);
    await refresh(own);
    expect(await calls.alive(own.session.handle, primary.session.handle, other.session.handle)).toEqual([false, false, true]);
  });

  test('are activity of its own user', async () => {
    calls.core.clock.now += 600_000;
    await start(named);
    expect(await calls.activeAt(named)).toBe(calls.core.clock.now);
    const before = await calls.activeAt(mapped);
    calls.core.clock.now += 600_000;
    await calls.post('/recipe/session/remove', { userId: named });
    expect([await calls.activeAt(named), await calls.activeAt(mapped)]).toEqual([calls.core.clock.now, before]);
  });
});
