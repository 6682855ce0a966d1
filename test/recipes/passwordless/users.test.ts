import { beforeEach, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { PasswordlessCalls } from './calls.ts';

const EMAIL = { email: 'a@x' };
const PHONE = { phoneNumber: '+12025550010' };

let calls: PasswordlessCalls;
beforeEach(async () => {
  calls = new PasswordlessCalls(await openInProcessCore('5.4'));
});

const find = (query: string, options: Parameters<PasswordlessCalls['at']>[3] = {}) =>
  calls.at('GET', `/recipe/user?${query}`, undefined, options);
const found = async (...asked: Parameters<typeof find>) => (await find(...asked)).body;
const update = async (body: object, options: Parameters<PasswordlessCalls['at']>[3] = {}) => {
  const answer = await calls.at('PUT', '/recipe/user', body, options);
  return answer.status === 200 ? answer.body : answer;
};
const OK = { status: 'OK' };

describe('looking a user up', () => {
  test('by id shows that login method alone, by contact the whole user', async () => {
    const [plain, code] = [await calls.signUp('a@x'), await calls.signInWith(EMAIL)];
    await calls.link(plain, code);
    await calls.map(code, 'mapped');
    for (const id of [code, 'mapped']) {
      expect(await found(`userId=${id}`)).toMatchObject({
        status: 'OK',
        user: { id: 'mapped', isPrimaryUser: true, loginMethods: [{ recipeId: 'passwordless' }] },
      });
    }
    expect(await found('email=%20A@x')).toMatchObject({ status: 'OK', user: { id: plain, loginMethods: [{}, {}] } });
    // The id of a login method of another recipe, although a passwordless one belongs to the user.
    expect(await found(`userId=${plain}`)).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('by contact asks for one of this tenant', async () => {
    await calls.addTenant('t1');
    const phone = await calls.signInWith(PHONE);
    expect(await found('phoneNumber=%2B1 (202) 555-0010')).toMatchObject({ status: 'OK', user: { id: phone } });
    expect(await found('phoneNumber=%2B12025550010', { at: '/t1' })).toEqual({ status: 'UNKNOWN_PHONE_NUMBER_ERROR' });
    await calls.signUp('a@x');
    expect(await found('email=a@x')).toEqual({ status: 'UNKNOWN_EMAIL_ERROR' });
    expect(await found('userId=none')).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
  });

  test('by contact needs some login method here, the passwordless one may be elsewhere', async () => {
    await calls.addTenant('t1');
    const [plain, code] = [await calls.signUp('a@x', 'secret-1', '/t1'), await calls.signInWith(EMAIL)];
    await calls.link(plain, code);
    expect(await found('email=a@x', { at: '/t1' })).toMatchObject({ status: 'OK', user: { id: plain } });
  });

  test('in the shape of old versions', async () => {
    const id = await calls.signInWith(PHONE);
    const shown = { id, timeJoined: calls.core.clock.now, phoneNumber: '+12025550010' };
    expect(await found(`userId=${id}`, { cdi: '2.11' })).toEqual({ status: 'OK', user: shown });
    expect(await found(`userId=${id}`, { cdi: '3.1' })).toEqual({ status: 'OK', user: { ...shown, tenantIds: ['public'] } });
  });

  test.each(['', 'userId=a&email=b', 'email=a&phoneNumber=b', 'userId=a&email=b&phoneNumber=c'])(
    'takes one thing to look for, not %j',
    async (query) => {
      for (const at of ['', '/ghost']) {
        expect(await find(query, { at })).toEqual({
          status: 400,
          body: { text: 'Please provide exactly one of userId, email or phoneNumber\n' },
        });
      }
    },
  );

  test('by id is for the public tenant alone from 5.0 on', async () => {
    await calls.addTenant('t1');
    const id = await calls.signInWith(EMAIL);
    expect((await find(`userId=${id}`, { at: '/t1' })).status).toBe(403);
    expect(await found(`userId=${id}`, { at: '/t1', cdi: '4.0' })).toMatchObject({ status: 'OK' });
    expect((await find('email=a@x', { at: '/ghost' })).status).toBe(400);
  });
});

describe('changing a user', () => {
  test('sets, keeps and clears', async () => {
    const recipeUserId = await calls.signInWith(EMAIL);
    expect(await update({ recipeUserId })).toEqual(OK);
    expect(await update({ recipeUserId, phoneNumber: ' +1 202 555 0010 ' })).toEqual(OK);
    expect(await found('phoneNumber=%2B12025550010')).toMatchObject({ user: { id: recipeUserId, emails: ['a@x'] } });
    expect(await update({ recipeUserId, email: null })).toEqual(OK);
    expect(await found('email=a@x')).toEqual({ status: 'UNKNOWN_EMAIL_ERROR' });
    expect(await update({ recipeUserId, email: 'B@x', phoneNumber: null })).toEqual(OK);
    expect(await found('email=b@x')).toMatchObject({ user: { id: recipeUserId, phoneNumbers: [] } });
  });

  test('never clears the last contact', async () => {
    const recipeUserId = await calls.signInWith(EMAIL);
    const refused = { status: 400, body: { text: 'You cannot clear both email and phone number of a user\n' } };
    expect(await update({ recipeUserId, email: null })).toEqual(refused);
    expect(await update({ recipeUserId, email: null, phoneNumber: null })).toEqual(refused);
    expect(await found('email=a@x')).toMatchObject(OK);
  });

  test('takes the id of the passwordless login method', async () => {
    const [plain, code] = [await calls.signUp('a@x'), await calls.signInWith(EMAIL)];
    await calls.link(plain, code);
    await calls.map(code, 'mapped');
    expect(await update({ recipeUserId: plain, ...PHONE })).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect(await update({ recipeUserId: 'none', email: null, phoneNumber: null })).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect(await update({ recipeUserId: 'mapped', ...PHONE })).toEqual(OK);
    expect(await update({ userId: 'mapped', email: 'c@x' }, { cdi: '3.1' })).toEqual(OK);
    expect(await found('email=c@x')).toMatchObject({ user: { phoneNumbers: ['+12025550010'] } });
  });

  test('not to what another has, and then not at all', async () => {
    const recipeUserId = await calls.signInWith(EMAIL);
    await calls.signInWith({ email: 'b@x' });
    await calls.signInWith(PHONE);
    expect(await update({ recipeUserId, email: 'B@x', phoneNumber: '+491' })).toEqual({ status: 'EMAIL_ALREADY_EXISTS_ERROR' });
    expect(await update({ recipeUserId, email: 'new@x', ...PHONE })).toEqual({ status: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR' });
    expect(await update({ recipeUserId, email: null, ...PHONE })).toEqual({ status: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR' });
    expect(await found(`userId=${recipeUserId}`)).toMatchObject({ user: { emails: ['a@x'], phoneNumbers: [] } });
    // The same value is nobody else's.
    expect(await update({ recipeUserId, ...EMAIL, phoneNumber: '+49301234' })).toEqual(OK);
  });

  test('not to what another primary user holds, when linked', async () => {
    const recipeUserId = await calls.signInWith(EMAIL);
    await calls.link(recipeUserId);
    for (const email of ['p@x', 'q@x']) await calls.link(await calls.signUp(email));
    expect(await update({ recipeUserId, email: 'p@x' })).toEqual({
      status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR',
      reason: 'New email is associated with another primary user ID',
    });
    const phone = await calls.signInWith(PHONE);
    await calls.link(phone);
    expect(await update({ recipeUserId, email: 'free@x', ...PHONE })).toEqual({
      status: 'PHONE_NUMBER_CHANGE_NOT_ALLOWED_ERROR',
      reason: 'New phone number is associated with another primary user ID',
    });
    expect(await found(`userId=${recipeUserId}`)).toMatchObject({ user: { emails: ['a@x'], phoneNumbers: [] } });
  });

  test('ends codes sent to the old and the new contact, and no others', async () => {
    const recipeUserId = await calls.signInWith(EMAIL);
    await calls.addTenant('t1');
    for (const given of [EMAIL, { email: 'new@x' }, PHONE, { email: 'other@x' }]) await calls.make(given);
    await calls.make(EMAIL, { at: '/t1' });
    expect(await update({ recipeUserId, ...EMAIL })).toEqual(OK);
    expect(await calls.kept()).toHaveLength(5);
    expect(await update({ recipeUserId, email: 'new@x' })).toEqual(OK);
    expect((await calls.kept()).map(({ contact }) => contact[1]).toSorted()).toEqual(['+12025550010', 'a@x', 'other@x']);
    expect(await calls.list(EMAIL)).toEqual([]);
  });

  test.each([
    [{ email: 'x' }, '5.4', 'recipeUserId'],
    [{ userId: 'x', email: 'x' }, '4.0', 'recipeUserId'],
    [{ recipeUserId: 'x', email: 'x' }, '3.1', 'userId'],
    [{ recipeUserId: 'x', email: 4 }, '5.4', 'email'],
    [{ recipeUserId: 'x', phoneNumber: {} }, '5.4', 'phoneNumber'],
  ])('%j at %s: the field %s', async (body, cdi, field) => {
    expect(await update(body, { cdi })).toEqual({ status: 400, body: { text: `Field name '${field}' is invalid in JSON input\n` } });
  });

  test('is for the public tenant alone from 5.0 on', async () => {
    await calls.addTenant('t1');
    const recipeUserId = await calls.signInWith(EMAIL);
    expect(await update({ recipeUserId, ...PHONE }, { at: '/t1' })).toMatchObject({ status: 403 });
    expect(await update({ recipeUserId, ...PHONE }, { at: '/t1', cdi: '4.0' })).toEqual(OK);
  });

  test('of twenty users who take one contact at once, one gets it', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, (_, at) => calls.signInWith({ email: `u${at}@x` })));
    const answers = await Promise.all(ids.map((recipeUserId) => update({ recipeUserId, email: 'wanted@x' })));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'EMAIL_ALREADY_EXISTS_ERROR')).toHaveLength(19);
  });
});
