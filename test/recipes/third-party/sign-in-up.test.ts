import { beforeEach, describe, expect, test } from 'vitest';
import { type AnswerBody, openInProcessCore } from '../../in-process-core.ts';
import { checkedCall } from '../checked-answers.ts';
import { Calls, TWENTY } from '../email-password/calls.ts';

const NOT_ALLOWED = { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', reason: 'Email already associated with another primary user.' };
const DISABLED = { status: 403, body: { text: 'ThirdParty login not enabled for tenant\n' } };

let calls: Calls;
beforeEach(async () => {
  calls = new Calls(await openInProcessCore('5.4'));
});

interface Entry extends AnswerBody {
  readonly status: string;
  readonly createdNewUser: boolean;
  readonly recipeUserId: string;
  readonly user: { readonly id: string; readonly emails: string[]; readonly loginMethods: { verified: boolean; recipeUserId: string }[] };
}

const bodyOf = (account: string, id: string, isVerified?: boolean) => ({
  thirdPartyId: 'google',
  thirdPartyUserId: account,
  email: { id, ...(isVerified !== undefined && { isVerified }) },
});
const post = (body: object, cdi = '5.4', at = '') => checkedCall(calls.core, 'POST', `${at}/recipe/signinup`, body, { cdi });
const enter = async (account: string, email: string, isVerified = false, cdi?: string, at?: string): Promise<Entry> =>
  (await post(bodyOf(account, email, isVerified), cdi, at)).body as Entry;
const verifiedOf = async (userId: string, email: string) =>
  (await calls.core.call('GET', `/recipe/user/email/verify?${new URLSearchParams({ userId, email })}`)).body['isVerified'];

describe('POST /recipe/signinup', () => {
  test('makes a user once, then finds it', async () => {
    const first = await enter('g1', ' A@X ');
    expect(first).toMatchObject({ status: 'OK', createdNewUser: true, recipeUserId: first.user.id, user: { emails: ['a@x'] } });
    expect(first.user.loginMethods).toMatchObject([
      { recipeId: 'thirdparty', thirdParty: { id: 'google', userId: 'g1' }, verified: false },
    ]);
    expect(await enter('g1', 'a@x')).toEqual({ ...first, createdNewUser: false });
    expect((await enter('G1', 'a@x')).user.id).not.toBe(first.user.id);
    expect((await enter(' g1', 'a@x')).createdNewUser).toBe(true);
  });

  test('empty texts are ids and emails like others', async () => {
    expect((await enter('', '')).createdNewUser).toBe(true);
    expect((await enter('', '')).createdNewUser).toBe(false);
  });

  test('the email follows the third party, its verification does not', async () => {
    const { user } = await enter('g1', 'a@x', true);
    expect(user.loginMethods[0]?.verified).toBe(true);
    const moved = await enter('g1', 'b@x');
    expect(moved).toMatchObject({ createdNewUser: false, user: { id: user.id, emails: ['b@x'] } });
    expect(moved.user.loginMethods[0]?.verified).toBe(false);
    const back = await enter('g1', 'a@x');
    expect(back.user.loginMethods[0]?.verified, 'what is verified stays so').toBe(true);
    expect(await verifiedOf(user.id, 'b@x')).toBe(false);
  });

  test('a mapped user is verified under the external id', async () => {
    const { user } = await enter('g1', 'a@x');
    await calls.map(user.id, 'external');
    const again = await enter('g1', 'a@x', true);
    expect(again).toMatchObject({ recipeUserId: 'external', user: { id: 'external', loginMethods: [{ verified: true }] } });
    expect(await verifiedOf('external', 'a@x')).toBe(true);
  });

  test('a linked one shows the whole user and names itself', async () => {
    const [primary, entry] = [await calls.signUp('a@x'), await enter('g1', 'a@x')];
    const other = await enter('g2', 'a@x');
    await calls.link(primary, entry.user.id, other.user.id);
    const linked = await enter('g2', 'a@x');
    expect(linked).toMatchObject({ createdNewUser: false, recipeUserId: other.user.id, user: { id: primary } });
    expect(linked.user.loginMethods).toHaveLength(3);
  });

  test('the email of another primary user may not be taken over by a linked one', async () => {
    const [taken, own] = [await calls.signUp('taken@x'), await calls.signUp('own@x')];
    const entry = await enter('g1', 'own@x');
    await calls.link(taken);
    await calls.link(own, entry.user.id);
    for (const cdi of ['5.4', '3.1', '2.7']) expect((await post(bodyOf('g1', 'taken@x', false), cdi)).body).toEqual(NOT_ALLOWED);
    expect((await enter('g1', 'own@x')).user.emails).toEqual(['own@x']);
    expect((await enter('alone', 'taken@x')).status, 'who is not primary may have it').toBe('OK');
  });

  test('an account is another user in another tenant', async () => {
    await calls.addTenant('t1');
    const [here, there] = [await enter('g1', 'a@x'), await enter('g1', 'a@x', false, '5.4', '/t1')];
    expect(there).toMatchObject({ createdNewUser: true, user: { tenantIds: ['t1'] } });
    expect((await enter('g1', 'a@x')).user.id).toBe(here.user.id);
    expect((await enter('g1', 'a@x', false, '5.4', '/t1')).user.id).toBe(there.user.id);
  });

  test('marks the primary user as active', async () => {
    await enter('g1', 'a@x');
    calls.core.clock.now += 1;
    expect((await calls.core.call('GET', '/users/count/active?since=0')).body).toEqual({ status: 'OK', count: 1 });
    expect((await calls.core.call('GET', `/users/count/active?since=${calls.core.clock.now}`)).body).toEqual({ status: 'OK', count: 0 });
    calls.core.clock.now += 6 * 60_000;
    await enter('g1', 'a@x');
    expect((await calls.core.call('GET', `/users/count/active?since=${calls.core.clock.now}`)).body).toEqual({ status: 'OK', count: 1 });
  });

  describe('of rivals', () => {
    test('with a new account one makes the user, the others find it', async () => {
      const entries = await Promise.all(TWENTY.map(() => enter('g1', 'a@x', true)));
      expect(entries.every(({ status }) => status === 'OK')).toBe(true);
      expect(entries.filter(({ createdNewUser }) => createdNewUser)).toHaveLength(1);
      expect(new Set(entries.map(({ recipeUserId }) => recipeUserId)).size).toBe(1);
      expect((await calls.core.call('GET', '/users/count')).body['count']).toBe(1);
    });

    test('with different emails the last one stands, and every answer is OK', async () => {
      const entries = await Promise.all(TWENTY.map((n) => enter('g1', `${n}@x`)));
      expect(entries.filter(({ createdNewUser }) => createdNewUser)).toHaveLength(1);
      expect(entries.every(({ status }, n) => status === 'OK' && entries[n]?.user.emails[0] === `${n}@x`)).toBe(true);
      const { users } = (await calls.core.call('GET', '/users')).body as { users: { emails: string[] }[] };
      expect(users).toHaveLength(1);
      const [left = ''] = users[0]?.emails ?? [];
      for (const n of TWENTY) {
        const found = (await calls.core.call('GET', `/recipe/users/by-email?email=${n}@x`)).body['users'];
        expect(found).toHaveLength(left === `${n}@x` ? 1 : 0);
      }
    });

    test('with accounts of their own nobody loses', async () => {
      const entries = await Promise.all(TWENTY.map((n) => enter(`g${n}`, 'a@x')));
      expect(entries.every(({ createdNewUser }) => createdNewUser)).toBe(true);
      expect((await calls.core.call('GET', '/recipe/users/by-email?email=a@x')).body['users']).toHaveLength(TWENTY.length);
    });
  });

  describe('refuses', () => {
    const whole = bodyOf('g1', 'a@x', true);
    const invalid = (field: string) => ({ status: 400, body: { text: `Field name '${field}' is invalid in JSON input\n` } });

    test.each([
      [{}, 'thirdPartyId'],
      [{ ...whole, thirdPartyId: 7 }, 'thirdPartyId'],
      [{ ...whole, thirdPartyUserId: null }, 'thirdPartyUserId'],
      [{ ...whole, thirdPartyUserId: null, email: 'x' }, 'thirdPartyUserId'],
      [{ ...whole, email: 'a@x' }, 'email'],
      [{ ...whole, email: null }, 'email'],
      [{ ...whole, email: [whole.email] }, 'email'],
      [{ ...whole, email: {} }, 'id'],
      [{ ...whole, email: { isVerified: 'x' } }, 'id'],
      [{ ...whole, email: { id: null, isVerified: true } }, 'id'],
      [{ ...whole, email: { id: ['a', 'b'], isVerified: true } }, 'id'],
      [{ ...whole, email: { id: 'a@x' } }, 'isVerified'],
      [{ ...whole, email: { id: 'a@x', isVerified: 'true' } }, 'isVerified'],
      [{ ...whole, email: { id: 'a@x', isVerified: null } }, 'isVerified'],
    ])('%j', async (body, field) => {
      expect(await post(body)).toEqual(invalid(field));
      expect(await post(body, '5.4', '/ghost'), 'before it looks for the tenant').toEqual(invalid(field));
    });

    test('isVerified is needed at 2.7 and from 4.0 on, and not read between', async () => {
      for (const cdi of ['2.7', '4.0', '5.6']) expect(await post(bodyOf('g1', 'a@x'), cdi)).toEqual(invalid('isVerified'));
      for (const cdi of ['2.8', '2.21', '3.1']) {
        expect((await post({ ...whole, email: { id: 'a@x', isVerified: 'x' } }, cdi)).status).toBe(200);
        expect((await post(whole, cdi)).status).toBe(200);
      }
      const { user } = await enter('g1', 'a@x');
      expect(user.loginMethods[0]?.verified).toBe(false);
      expect((await post(bodyOf('g1', 'a@x', true), '2.7')).status).toBe(200);
      expect((await enter('g1', 'a@x')).user.loginMethods[0]?.verified).toBe(true);
    });

    test('a list of one text counts as that text', async () => {
      expect((await post({ ...whole, thirdPartyId: ['google'], email: { id: ['a@x'], isVerified: true } })).status).toBe(200);
    });

    test('an unknown tenant, and one without third-party logins', async () => {
      expect((await post(whole, '5.4', '/ghost')).body['text']).toContain('(, public, ghost)');
      await calls.core.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'no', thirdPartyEnabled: false }, { cdi: '5.0' });
      for (const cdi of ['3.0', '4.0', '5.0']) expect(await post(whole, cdi, '/no')).toEqual(DISABLED);
      for (const cdi of ['5.1', '5.6']) expect((await post(whole, cdi, '/no')).status).toBe(200);
      await calls.core.call('PUT', '/recipe/multitenancy/tenant', { tenantId: 'public', thirdPartyEnabled: false }, { cdi: '5.0' });
      expect(await post(whole, '2.8')).toEqual(DISABLED);
      expect((await post(whole, '2.7')).status, '2.7 does not ask').toBe(200);
    });
  });

  test('shapes of each CDI version', async () => {
    const thirdParty = { id: 'google', userId: 'g1' };
    const old = { id: expect.any(String), email: 'a@x', timeJoined: expect.any(Number), thirdParty };
    const at = async (cdi: string) => (await post(bodyOf('g1', 'a@x', false), cdi)).body;
    for (const cdi of ['2.7', '2.8', '2.21']) expect(await at(cdi)).toEqual({ status: 'OK', createdNewUser: cdi === '2.7', user: old });
    for (const cdi of ['3.0', '3.1'])
      expect(await at(cdi)).toEqual({ status: 'OK', createdNewUser: false, user: { ...old, tenantIds: ['public'] } });
    for (const cdi of ['4.0', '5.2']) expect((await at(cdi))['user']).not.toHaveProperty('webauthn');
    for (const cdi of ['5.3', '5.6'])
      expect((await at(cdi))['user']).toMatchObject({ webauthn: { credentialIds: [] }, thirdParty: [thirdParty] });
  });
});
