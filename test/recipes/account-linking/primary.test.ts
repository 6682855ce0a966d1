import { beforeAll, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { ACCOUNT_INFO_TAKEN, LinkingCalls, UNKNOWN_ID } from './calls.ts';

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `primary-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
});

describe('make a primary user', () => {
  test('a login method that stands alone becomes one, and stays it', async () => {
    const id = await calls.signUp(fresh());
    expect((await calls.canBePrimary(id)).body).toEqual({ status: 'OK', wasAlreadyAPrimaryUser: false });
    const made = await calls.primary(id);
    expect(made.body).toMatchObject({ status: 'OK', wasAlreadyAPrimaryUser: false, user: { id, isPrimaryUser: true } });
    expect(await calls.user(id)).toEqual(made.body['user']);
    expect((await calls.canBePrimary(id)).body).toEqual({ status: 'OK', wasAlreadyAPrimaryUser: true });
    expect((await calls.primary(id)).body).toEqual({ ...made.body, wasAlreadyAPrimaryUser: true });
  });

  test('its sessions stay', async () => {
    const id = await calls.signUp(fresh());
    const handle = await calls.startSession(id);
    await calls.primary(id);
    expect(await calls.alive(handle)).toEqual([true]);
  });

  test('one who is linked cannot', async () => {
    const [primaryUserId, member = ''] = await calls.group(fresh(), fresh());
    const error = {
      status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_PRIMARY_USER_ID_ERROR',
      primaryUserId,
      description: 'This user ID is already linked to another user ID',
    };
    expect((await calls.primary(member)).body).toEqual(error);
    expect((await calls.canBePrimary(member)).body).toEqual(error);
  });

  test.each([
    ['an email', 'email', "This user's email is already associated with another user ID"],
    ['a phone number', 'phone', "This user's phone number is already associated with another user ID"],
    ['a third-party account', 'tparty', "This user's third party login is already associated with another user ID"],
  ])('%s of another primary user stands in the way', async (_, kind, description) => {
    const email = fresh();
    const phoneNumber = `+1202555${1000 + number}`;
    const account = `account-${number}`;
    await calls.addTenant('t1');
    const infos =
      kind === 'email' ? { email } : kind === 'phone' ? { phoneNumber } : { thirdPartyId: 'google', thirdPartyUserId: account, email };
    // Two of one recipe in two tenants; then the first joins the tenant of the second without a login method that is in both.
    const recipe = kind === 'tparty' ? 'thirdparty' : 'passwordless';
    const first = await calls.add({ recipe, ...infos });
    const second = await calls.add({ recipe, ...infos }, 't1');
    const helper = await calls.add({ recipe: 'emailpassword', email: fresh(), passwordHash: 'x' }, 't1');
    await calls.link(first, helper);
    const error = { status: ACCOUNT_INFO_TAKEN, primaryUserId: first, description };
    expect((await calls.canBePrimary(second)).body).toEqual(error);
    expect((await calls.primary(second)).body).toEqual(error);
    expect(await calls.user(second)).toMatchObject({ isPrimaryUser: false });
  });

  test('an email that only another user holds who is not primary does not', async () => {
    const email = fresh();
    await calls.signUp(email);
    const other = await calls.thirdParty(email, email);
    expect((await calls.primary(other)).body['status']).toBe('OK');
  });

  test('ids are external where mapped, in users and in errors', async () => {
    const email = fresh();
    const [primary = '', member = ''] = await calls.group(email, fresh());
    await calls.mapTo(primary, `outer-${primary}`);
    await calls.mapTo(member, `outer-${member}`);
    const again = await calls.primary(`outer-${primary}`);
    const ids = [`outer-${primary}`, `outer-${member}`];
    expect(again.body).toMatchObject({
      wasAlreadyAPrimaryUser: true,
      user: { id: ids[0], loginMethods: ids.map((id) => ({ recipeUserId: id })) },
    });
    expect((await calls.primary(`outer-${member}`)).body['primaryUserId']).toBe(ids[0]);
    const rival = await calls.thirdParty(email, email);
    expect((await calls.primary(rival)).body).toMatchObject({ status: ACCOUNT_INFO_TAKEN, primaryUserId: ids[0] });
    expect((await calls.canBePrimary(rival)).body).toMatchObject({ status: ACCOUNT_INFO_TAKEN, primaryUserId: ids[0] });
  });

  test('a primary id whose own login method is gone is primary already; the check does not know it', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.unlink(primary);
    expect((await calls.primary(primary)).body).toMatchObject({ wasAlreadyAPrimaryUser: true, user: { id: primary } });
    expect(await calls.members(primary)).toEqual([member]);
    expect(await calls.canBePrimary(primary)).toMatchObject(UNKNOWN_ID);
  });
});

describe('what is refused', () => {
  test('unknown ids', async () => {
    const id = await calls.signUp(fresh());
    await calls.primary(id);
    expect(await calls.primary('nobody')).toMatchObject(UNKNOWN_ID);
    expect(await calls.canBePrimary('nobody')).toMatchObject(UNKNOWN_ID);
    expect(await calls.linkTo('nobody', id)).toMatchObject(UNKNOWN_ID);
    expect(await calls.linkTo(id, 'nobody')).toMatchObject(UNKNOWN_ID);
    expect(await calls.canLink('nobody', id)).toMatchObject(UNKNOWN_ID);
    expect(await calls.canLink(id, 'nobody')).toMatchObject(UNKNOWN_ID);
    expect(await calls.unlink('nobody')).toMatchObject(UNKNOWN_ID);
  });

  test('an id that only other recipes know', async () => {
    await calls.startSession('only-sessions');
    expect(await calls.primary('only-sessions')).toMatchObject(UNKNOWN_ID);
    expect(await calls.unlink('only-sessions')).toMatchObject(UNKNOWN_ID);
  });

  const inBody = (field: string) => ({ status: 400, body: { text: `Field name '${field}' is invalid in JSON input\n` } });
  const inQuery = (field: string) => ({ status: 400, body: { text: `Field name '${field}' is missing in GET request\n` } });

  test('fields that are missing or of a wrong type', async () => {
    for (const wrong of [undefined, 4, null]) {
      expect(await calls.primary(wrong)).toMatchObject(inBody('recipeUserId'));
      expect(await calls.unlink(wrong)).toMatchObject(inBody('recipeUserId'));
      expect(await calls.linkTo(wrong, wrong)).toMatchObject(inBody('recipeUserId'));
      expect(await calls.linkTo('x', wrong)).toMatchObject(inBody('primaryUserId'));
    }
    const path = '/recipe/accountlinking/user';
    expect(await calls.ask('GET', `${path}/primary/check`)).toMatchObject(inQuery('recipeUserId'));
    expect(await calls.ask('GET', `${path}/link/check`)).toMatchObject(inQuery('recipeUserId'));
    expect(await calls.ask('GET', `${path}/link/check?recipeUserId=x`)).toMatchObject(inQuery('primaryUserId'));
  });

  test('a tenant in the path from CDI 5.0 on; before it is ignored', async () => {
    await calls.addTenant('t1');
    const id = await calls.signUp(fresh());
    const refusal = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
    const at = '/t1';
    for (const answer of [
      calls.primary(id, { at }),
      calls.canBePrimary(id, { at }),
      calls.linkTo(id, id, { at }),
      calls.canLink(id, id, { at }),
      calls.unlink(id, { at }),
      calls.removeUser(id, true, { at }),
    ]) {
      expect(await answer).toMatchObject(refusal);
    }
    expect((await calls.primary(id, { at, cdi: '4.0' })).body).toMatchObject({ status: 'OK' });
    expect((await calls.canBePrimary(id, { at: '/no-such-tenant', cdi: '4.0' })).body).toMatchObject({ status: 'OK' });
  });

  test('an app that does not exist', async () => {
    const answer = await calls.ask('POST', '/recipe/accountlinking/user/unlink', { recipeUserId: 'x' }, { at: '/appid-none' });
    expect(answer.status).toBe(400);
    expect(answer.body['text']).toContain('AppId or tenantId not found => Tenant with');
  });
});

describe('CDI versions', () => {
  test('users are whole in all of them; webauthn stands in them from 5.3 on', async () => {
    const id = await calls.signUp(fresh());
    const old = (await calls.primary(id, { cdi: '2.21' })).body['user'];
    expect(old).toMatchObject({ id, loginMethods: [{ recipeUserId: id }] });
    expect(old).not.toHaveProperty('webauthn');
    expect((await calls.primary(id, { cdi: '5.2' })).body['user']).toEqual(old);
    expect((await calls.primary(id, { cdi: '5.3' })).body['user']).toMatchObject({ webauthn: { credentialIds: [] } });
  });
});
