import { beforeAll, describe, expect, test } from 'vitest';
import { reservations } from '../../../src/recipes/accounts/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { LinkingCalls } from './calls.ts';

/*
 * Who may become primary or be linked, by tenant (contract 03 sections 1.5 and 6.6). Every case has users of its own; an email of a case
 * is asked about with a third-party login, since two of those may share an email in a tenant.
 */

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `reserved-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
  for (const tenant of ['t1', 't2', 't3']) await calls.addTenant(tenant);
});

/** Who is in the way of a primary user with this email in a tenant; `undefined` for nobody. */
async function ownerOf(email: string, at: string): Promise<unknown> {
  const id = await calls.thirdParty(`probe-${(number += 1)}`, email, at);
  const { body } = await calls.canBePrimary(id);
  await calls.removeUser(id);
  return body['primaryUserId'];
}

const ownersOf = (email: string): Promise<unknown[]> => Promise.all(['/t1', '/t2', '/t3'].map((at) => ownerOf(email, at)));
const nobody = undefined;

/** A primary user of t1 and a user of t2 linked to it. */
async function acrossTenants(): Promise<{ readonly primary: string; readonly member: string; readonly emails: readonly [string, string] }> {
  const emails = [fresh(), fresh()] as const;
  const primary = await calls.signUp(emails[0], 'secret-1', '/t1');
  const member = await calls.signUp(emails[1], 'secret-1', '/t2');
  await calls.primary(primary);
  expect(await ownersOf(emails[0])).toEqual([primary, nobody, nobody]);
  expect((await calls.linkTo(member, primary)).body['status']).toBe('OK');
  return { primary, member, emails };
}

describe('a primary user of one tenant with a linked user of another', () => {
  test('holds both emails in both tenants', async () => {
    const { primary, emails } = await acrossTenants();
    for (const email of emails) expect(await ownersOf(email)).toEqual([primary, primary, nobody]);
    expect((await calls.user(primary))?.tenantIds.toSorted()).toEqual(['t1', 't2']);
    expect((await calls.user(primary))?.loginMethods.map((method) => method.tenantIds.length)).toEqual([1, 1]);
  });

  test('unlinking frees what only the one who left had', async () => {
    const { primary, member, emails } = await acrossTenants();
    await calls.unlink(member);
    expect(await ownersOf(emails[0])).toEqual([primary, nobody, nobody]);
    expect(await ownersOf(emails[1])).toEqual([nobody, nobody, nobody]);
  });

  test('unlinking the primary login method leaves what the other has', async () => {
    const { primary, emails } = await acrossTenants();
    await calls.unlink(primary);
    expect(await ownersOf(emails[0])).toEqual([nobody, nobody, nobody]);
    expect(await ownersOf(emails[1])).toEqual([nobody, primary, nobody]);
  });

  test('removing a member frees the same, removing all frees everything', async () => {
    const { primary, member, emails } = await acrossTenants();
    await calls.removeUser(member, false);
    expect(await ownersOf(emails[0])).toEqual([primary, nobody, nobody]);
    expect(await ownersOf(emails[1])).toEqual([nobody, nobody, nobody]);
    await calls.removeUser(primary);
    expect(await ownersOf(emails[0])).toEqual([nobody, nobody, nobody]);
  });

  test('leaving a tenant frees it', async () => {
    const { primary, member, emails } = await acrossTenants();
    await calls.ask('POST', '/recipe/multitenancy/tenant/user/remove', { recipeUserId: member }, { at: '/t2' });
    for (const email of emails) expect(await ownersOf(email)).toEqual([primary, nobody, nobody]);
  });

  test('joining a tenant reserves the infos of all members there, and adds one of them alone', async () => {
    const { primary, emails } = await acrossTenants();
    const joined = await calls.ask('POST', '/recipe/multitenancy/tenant/user', { recipeUserId: primary }, { at: '/t3' });
    expect(joined.body['status']).toBe('OK');
    for (const email of emails) expect(await ownersOf(email)).toEqual([primary, primary, primary]);
    expect((await calls.user(primary))?.loginMethods.map((method) => method.tenantIds.length).toSorted()).toEqual([1, 2]);
  });

  test('a changed email is reserved in the tenants of the one who has it, and the old one is free', async () => {
    const { primary, emails } = await acrossTenants();
    const next = fresh();
    const { body } = await calls.ask('PUT', '/recipe/user', { recipeUserId: primary, email: next }, { rid: 'emailpassword' });
    expect(body['status']).toBe('OK');
    expect(await ownersOf(next)).toEqual([primary, nobody, nobody]);
    expect(await ownersOf(emails[0])).toEqual([nobody, nobody, nobody]);
  });

  test('an old email that another member has too stays reserved', async () => {
    const { primary, emails } = await acrossTenants();
    const twin = await calls.thirdParty(fresh(), emails[0], '/t2');
    expect((await calls.linkTo(twin, primary)).body['status']).toBe('OK');
    await calls.ask('PUT', '/recipe/user', { recipeUserId: primary, email: fresh() }, { rid: 'emailpassword' });
    expect(await ownersOf(emails[0])).toEqual([primary, primary, nobody]);
  });
});

describe('users who are not primary', () => {
  test('may have any email of a primary user, and be linked only to that one', async () => {
    const email = fresh();
    const owner = await calls.signUp(email);
    await calls.primary(owner);
    const twin = await calls.thirdParty(fresh(), email);
    const other = await calls.signUp(fresh());
    await calls.primary(other);
    expect((await calls.linkTo(twin, other)).body).toMatchObject({ primaryUserId: owner });
    expect((await calls.linkTo(twin, owner)).body['status']).toBe('OK');
    expect((await calls.linkTo(twin, owner)).body['accountsAlreadyLinked']).toBe(true);
  });

  test('of different tenants may both become primary with one email, until they meet', async () => {
    const email = fresh();
    const [first, second] = [await calls.signUp(email, 'secret-1', '/t1'), await calls.signUp(email, 'secret-1', '/t2')];
    expect((await calls.primary(first)).body['status']).toBe('OK');
    expect((await calls.primary(second)).body['status']).toBe('OK');
    const bridge = await calls.signUp(fresh(), 'secret-1', '/t2');
    // In t2 the group of the first would have an email that is the second's.
    expect((await calls.linkTo(bridge, first)).body).toMatchObject({ primaryUserId: second });
  });

  test('are primary no more, and free', async () => {
    const email = fresh();
    const first = await calls.signUp(email, 'secret-1', '/t1');
    await calls.primary(first);
    await calls.unlink(first);
    expect(await ownersOf(email)).toEqual([nobody, nobody, nobody]);
  });
});

describe('changes of an email', () => {
  test('of a linked user into one of another primary user are not allowed, in its tenants only', async () => {
    const { member, emails } = await acrossTenants();
    const taken = fresh();
    const other = await calls.thirdParty(fresh(), taken, '/t1');
    await calls.primary(other);
    const change = (recipeUserId: string) => calls.ask('PUT', '/recipe/user', { recipeUserId, email: taken }, { rid: 'emailpassword' });
    // The member is in t2, where nobody has it; that its primary user is in t1 does not matter.
    expect((await change(member)).body['status']).toBe('OK');
    const rival = await calls.thirdParty(fresh(), emails[1], '/t2');
    await calls.primary(rival);
    const back = await calls.ask('PUT', '/recipe/user', { recipeUserId: member, email: emails[1] }, { rid: 'emailpassword' });
    expect(back.body).toEqual({
      status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR',
      reason: 'New email is associated with another primary user ID',
    });
  });
});

test('nothing is left reserved when all are gone', async () => {
  const { app } = await calls.tenant();
  for (const at of ['', '/t1', '/t2', '/t3']) {
    const { body } = await calls.core.call('GET', `${at}/users?limit=500`);
    for (const { id } of body['users'] as { readonly id: string }[]) await calls.removeUser(id);
  }
  const left = await calls.core.services.store.read((reader) => reader.list(reservations, undefined, { prefix: [app], limit: 10 }));
  expect(left).toEqual([]);
});
