import { beforeEach, describe, expect, test, vi } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { Calls, TWENTY } from './calls.ts';

const PUBLIC_ONLY = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
const UNKNOWN_ID = { status: 'UNKNOWN_USER_ID_ERROR' };
const UNKNOWN_EMAIL = { status: 'UNKNOWN_EMAIL_ERROR' };
const EXISTS = { status: 'EMAIL_ALREADY_EXISTS_ERROR' };
const NOT_ALLOWED = { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', reason: 'New email is associated with another primary user ID' };
const OK = { status: 'OK' };

let calls: Calls;
beforeEach(async () => {
  calls = new Calls(await openInProcessCore('5.4'));
});

const get = (query: object, cdi = '5.4', at = '') =>
  calls.core.call('GET', `${at}/recipe/user?${new URLSearchParams({ ...query })}`, undefined, { cdi });
const found = async (query: object, cdi?: string, at?: string) => (await get(query, cdi, at)).body;
const put = (body: object, cdi = '5.4', at = '') => calls.core.call('PUT', `${at}/recipe/user`, body, { cdi });
const update = async (body: object, cdi?: string) => (await put(body, cdi)).body;

describe('GET /recipe/user', () => {
  test.each(['2.7', '3.0', '4.0', '5.3'])('by id shows one login method of a group at CDI %s', async (cdi) => {
    const [first, second] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    await calls.link(first, second);
    await calls.map(second, 'external');
    const { user } = await found({ userId: second }, cdi);
    const old = { id: 'external', email: 'b@x', timeJoined: expect.any(Number) };
    if (cdi === '2.7') expect(user).toEqual(old);
    else if (cdi === '3.0') expect(user).toEqual({ ...old, tenantIds: ['public'] });
    else expect(user).toMatchObject({ id: 'external', isPrimaryUser: true, emails: ['b@x'], loginMethods: [{ recipeUserId: 'external' }] });
    expect(await found({ userId: 'external' }, cdi)).toEqual({ status: 'OK', user });
  });

  test('by id knows no other recipes', async () => {
    const [own, foreign] = [await calls.signUp('a@x'), await calls.add({ recipe: 'passwordless', email: 'b@x' })];
    await calls.link(foreign, own);
    for (const userId of [foreign, 'nobody', '']) expect(await found({ userId })).toEqual(UNKNOWN_ID);
  });

  test('by email shows the whole user, if somebody of it has the email in the tenant', async () => {
    for (const tenant of ['t1', 't2']) await calls.addTenant(tenant);
    const [first, elsewhere] = [await calls.signUp('a@x'), await calls.signUp('b@x', 'secret-1', '/t1')];
    await calls.add({ recipe: 'passwordless', email: 'b@x' });
    await calls.link(first, elsewhere);
    expect(await found({ email: ' B@X ' })).toEqual(UNKNOWN_EMAIL);
    expect(await found({ email: 'a@x' }, '5.4', '/t1')).toEqual(UNKNOWN_EMAIL);
    const whole = { id: first, emails: expect.arrayContaining(['a@x', 'b@x']) };
    expect(await found({ email: 'b@x' }, '5.4', '/t1')).toMatchObject({ status: 'OK', user: whole });
    const [there, here] = [await calls.signUp('c@x', 'secret-1', '/t2'), await calls.add({ recipe: 'passwordless', email: 'c@x' })];
    await calls.link(there, here);
    // The email/password login is in t2 only, but the user has the email here too.
    expect(await found({ email: 'c@x' })).toMatchObject({ status: 'OK', user: { id: there } });
  });

  test('by email prefers whose email/password login is in the tenant', async () => {
    await calls.addTenant('t1');
    const [elsewhere, foreign] = [await calls.signUp('a@x', 'secret-1', '/t1'), await calls.add({ recipe: 'passwordless', email: 'a@x' })];
    await calls.link(elsewhere, foreign);
    const here = await calls.signUp('a@x');
    expect(await found({ email: 'a@x' })).toMatchObject({ status: 'OK', user: { id: here } });
  });

  test('one parameter, and by id the public tenant', async () => {
    const bad = (text: string) => ({ status: 400, body: { text: `${text}\n` } });
    expect(await get({})).toEqual(bad('Please provide one of userId or email'));
    expect(await get({ userId: 'a', email: 'b' })).toEqual(bad('Please provide only one of userId or email'));
    expect(await get({}, '5.4', '/none')).toEqual(bad('Please provide one of userId or email'));
    await calls.addTenant('t1');
    expect(await get({ userId: 'a' }, '5.4', '/t1')).toEqual(PUBLIC_ONLY);
    expect(await get({ userId: 'a' }, '4.0', '/t1')).toEqual({ status: 200, body: UNKNOWN_ID });
    expect(await get({ email: 'a' }, '5.4', '/none')).toMatchObject({ status: 400 });
  });

  test('an unknown or missing recipe id means this recipe', async () => {
    const userId = await calls.signUp('a@x');
    for (const rid of ['emailpassword', 'anti-csrf', undefined]) {
      const answer = await calls.core.call('GET', `/recipe/user?userId=${userId}`, undefined, rid === undefined ? {} : { rid });
      expect(answer.body['status']).toBe('OK');
    }
  });
});

describe('PUT /recipe/user', () => {
  test('changes the email, the password, or both', async () => {
    const recipeUserId = await calls.signUp('a@x');
    await calls.map(recipeUserId, 'external');
    expect(await update({ recipeUserId, email: ' B@x ' })).toEqual(OK);
    expect(await calls.signIn('b@x', 'secret-1')).toMatchObject(OK);
    expect(await update({ recipeUserId: 'external', password: 'other-1' })).toEqual(OK);
    expect(await calls.signIn('b@x', 'secret-1')).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
    // The unchanged email is no obstacle to another password.
    expect(await update({ recipeUserId, email: 'b@x', password: 'third-1' })).toEqual(OK);
    expect(await calls.signIn('b@x', 'third-1')).toMatchObject(OK);
    expect(await calls.signIn('a@x', 'third-1')).toEqual({ status: 'WRONG_CREDENTIALS_ERROR' });
    expect(await calls.signUp('a@x')).not.toBe(recipeUserId);
  });

  test('all or nothing', async () => {
    const [recipeUserId] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    expect(await update({ recipeUserId, email: 'b@x', password: 'other-1' })).toEqual(EXISTS);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject(OK);
  });

  test('an email is taken in each tenant that the login is in, by this recipe alone', async () => {
    await calls.addTenant('t1');
    const [here, there] = [await calls.signUp('a@x'), await calls.signUp('b@x', 'secret-1', '/t1')];
    await calls.add({ recipe: 'passwordless', email: 'c@x' });
    for (const email of ['b@x', 'c@x']) expect(await update({ recipeUserId: here, email })).toEqual(OK);
    expect(await update({ recipeUserId: there, email: 'c@x' })).toEqual(OK);
  });

  test('a linked user takes neither the email of another primary user nor that of another login', async () => {
    const [first, second, primary, loose] = [
      await calls.signUp('a@x'),
      await calls.signUp('b@x'),
      await calls.add({ recipe: 'passwordless', email: 'c@x' }),
      await calls.signUp('d@x'),
    ];
    await calls.link(first, second);
    await calls.link(primary);
    expect(await update({ recipeUserId: second, email: 'c@x', password: 'other-1' })).toEqual(NOT_ALLOWED);
    expect(await update({ recipeUserId: second, email: 'd@x' })).toEqual(NOT_ALLOWED);
    expect(await update({ recipeUserId: second, email: 'a@x' })).toEqual(NOT_ALLOWED);
    expect(await update({ recipeUserId: loose, email: 'c@x' })).toEqual(OK);
    expect(await update({ recipeUserId: second, email: 'e@x', password: 'other-1' })).toEqual(OK);
    expect(await calls.signIn('e@x', 'other-1')).toMatchObject({ status: 'OK', user: { id: first }, recipeUserId: second });
  });

  test('only the id of an email/password login will do, and nothing is hashed for another', async () => {
    const [foreign, member] = [await calls.add({ recipe: 'passwordless', email: 'a@x' }), await calls.signUp('b@x')];
    await calls.link(foreign, member);
    const hashing = vi.spyOn(calls.core.services.crypto, 'hashPassword');
    for (const recipeUserId of [foreign, 'nobody']) expect(await update({ recipeUserId, password: 'other-1' })).toEqual(UNKNOWN_ID);
    expect(hashing).not.toHaveBeenCalled();
    expect(await update({ recipeUserId: member, password: 'other-1' })).toEqual(OK);
  });

  test('of twenty at once, one takes a free email', async () => {
    const ids: string[] = [];
    for (const at of TWENTY) ids.push(await calls.signUp(`user-${at}@x`));
    const answers = await Promise.all(ids.map((recipeUserId) => update({ recipeUserId, email: 'wanted@x' })));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === EXISTS.status)).toHaveLength(19);
  });

  test.each([
    ['5.4', { userId: 'u', email: 'x' }, "Field name 'recipeUserId' is invalid in JSON input"],
    ['3.1', { recipeUserId: 'u', email: 'x' }, "Field name 'userId' is invalid in JSON input"],
    ['5.4', { recipeUserId: 'u', email: null }, "Field name 'email' is invalid in JSON input"],
    ['5.4', { recipeUserId: 'u', password: null }, "Field name 'password' is invalid in JSON input"],
    ['5.4', { recipeUserId: 'u', email: 1, password: 2 }, "Field name 'email' is invalid in JSON input"],
    ['5.4', { recipeUserId: 'u', password: '' }, 'Password cannot be an empty string'],
    ['5.4', { recipeUserId: 'u' }, 'You have to provide either email or password.'],
  ])('at CDI %s %j is refused', async (cdi, body, text) => {
    expect(await put(body, cdi)).toEqual({ status: 400, body: { text: `${text}\n` } });
  });

  test('takes userId before 4.0, and belongs to the public tenant from 5.0 on', async () => {
    const userId = await calls.signUp('a@x');
    expect(await update({ userId, email: 'b@x' }, '3.1')).toEqual(OK);
    await calls.addTenant('t1');
    expect(await put({ recipeUserId: userId, email: 'c@x' }, '5.0', '/t1')).toEqual(PUBLIC_ONLY);
    expect(await put({ recipeUserId: userId, email: 'c@x' }, '4.0', '/t1')).toEqual({ status: 200, body: OK });
  });
});
