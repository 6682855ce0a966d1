import { beforeAll, describe, expect, test } from 'vitest';
import { GROUP_LIMIT } from '../../../src/recipes/accounts/login-methods.ts';
import { loginMethods } from '../../../src/recipes/accounts/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { ACCOUNT_INFO_TAKEN, LinkingCalls, UNKNOWN_ID } from './calls.ts';

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `link-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
});

describe('link', () => {
  test('both ids lead to one user, as old as its oldest login method', async () => {
    const oldest = await calls.signUp(fresh());
    const joined = (await calls.user(oldest))?.timeJoined;
    calls.core.clock.now += 1000;
    const primary = await calls.signUp(fresh());
    await calls.primary(primary);
    expect((await calls.canLink(oldest, primary)).body).toEqual({ status: 'OK', accountsAlreadyLinked: false });
    const linked = await calls.linkTo(oldest, primary);
    expect(linked.body).toMatchObject({
      status: 'OK',
      accountsAlreadyLinked: false,
      user: { id: primary, isPrimaryUser: true, timeJoined: joined, loginMethods: [{ recipeUserId: oldest }, { recipeUserId: primary }] },
    });
    expect(await calls.user(oldest)).toEqual(linked.body['user']);
    expect(await calls.user(primary)).toEqual(linked.body['user']);
  });

  test('what is linked already, or is the primary user itself, is fine and changes nothing', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const handle = await calls.startSession(member);
    for (const id of [member, primary]) {
      expect((await calls.linkTo(id, primary)).body).toEqual({
        status: 'OK',
        accountsAlreadyLinked: true,
        user: await calls.user(primary),
      });
      expect((await calls.canLink(id, primary)).body).toEqual({ status: 'OK', accountsAlreadyLinked: true });
    }
    expect(await calls.alive(handle)).toEqual([true]);
  });

  test('a member stands for its primary user', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const third = await calls.signUp(fresh());
    expect((await calls.canLink(third, member)).body['status']).toBe('OK');
    expect((await calls.linkTo(third, member)).body).toMatchObject({ status: 'OK', user: { id: primary } });
    // Last active is set for the id that was sent, as it was sent.
    expect(await calls.activeAt(member)).toBe(calls.core.clock.now);
  });

  test('to one who is not primary', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    expect((await calls.linkTo(a, b)).body).toEqual({ status: 'INPUT_USER_IS_NOT_A_PRIMARY_USER' });
    expect((await calls.canLink(a, b)).body).toEqual({ status: 'INPUT_USER_IS_NOT_A_PRIMARY_USER' });
  });

  test('one who is primary, or linked to another', async () => {
    const [other = '', member = ''] = await calls.group(fresh(), fresh());
    const [target = ''] = await calls.group(fresh());
    const error = {
      status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR',
      primaryUserId: other,
      description: 'The input recipe user ID is already linked to another user ID',
    };
    for (const id of [other, member]) {
      expect((await calls.canLink(id, target)).body).toEqual(error);
      expect((await calls.linkTo(id, target)).body).toEqual({ ...error, user: await calls.user(other) });
    }
    await calls.mapTo(other, `outer-${other}`);
    expect((await calls.linkTo(member, target)).body).toMatchObject({ primaryUserId: `outer-${other}`, user: { id: `outer-${other}` } });
  });

  test('an account info of another primary user stands in the way, and nothing is reserved then', async () => {
    const [owned, free] = [fresh(), fresh()];
    const [owner = ''] = await calls.group(owned);
    const [target = ''] = await calls.group(fresh());
    const candidate = await calls.add({ recipe: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: free, email: owned });
    const description = "This user's email is already associated with another user ID";
    const error = { status: ACCOUNT_INFO_TAKEN, primaryUserId: owner, description };
    expect((await calls.canLink(candidate, target)).body).toEqual(error);
    expect((await calls.linkTo(candidate, target)).body).toEqual(error);
    expect(await calls.members(target)).toEqual([target]);
    expect((await calls.linkTo(candidate, owner)).body['status']).toBe('OK');
  });

  test('a third-party account in the way is named before an email', async () => {
    await calls.addTenant('t1');
    const [emailOwned, account] = [fresh(), fresh()];
    const [emailOwner = ''] = await calls.group(emailOwned);
    const accountOwner = await calls.thirdParty(account, fresh(), '/t1');
    await calls.primary(accountOwner);
    const [target = ''] = await calls.group(fresh());
    await calls.linkTo(await calls.signUp(fresh(), 'secret-1', '/t1'), target);
    // By its email it would belong to the one, by its account in the tenant of the group to the other.
    const candidate = await calls.add({ recipe: 'thirdparty', thirdPartyId: 'google', thirdPartyUserId: account, email: emailOwned });
    const description = "This user's third party login is already associated with another user ID";
    expect((await calls.linkTo(candidate, target)).body).toEqual({ status: ACCOUNT_INFO_TAKEN, primaryUserId: accountOwner, description });
    expect(emailOwner).not.toBe(accountOwner);
  });

  test('sessions of the recipe user end in all tenants, those of others stay', async () => {
    await calls.addTenant('t1');
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const joining = await calls.signUp(fresh());
    const handles = [
      await calls.startSession(joining),
      await calls.startSession(joining, '/t1'),
      await calls.startSession(member),
      await calls.startSession(primary),
    ];
    await calls.linkTo(joining, primary);
    expect(await calls.alive(...handles)).toEqual([false, false, true, true]);
  });

  test('sessions of a mapped recipe user stand under its external id', async () => {
    const [primary = ''] = await calls.group(fresh());
    const joining = await calls.signUp(fresh());
    await calls.mapTo(joining, `outer-${joining}`);
    const handle = await calls.startSession(joining);
    const linked = await calls.linkTo(`outer-${joining}`, primary);
    expect(linked.body).toMatchObject({ status: 'OK', user: { id: primary } });
    expect(await calls.members(joining)).toEqual([primary, `outer-${joining}`].toSorted());
    expect(await calls.alive(handle)).toEqual([false]);
  });

  test('the last activity of the recipe user becomes one of the primary user, however lately that was written', async () => {
    const [primary = ''] = await calls.group(fresh());
    const joining = await calls.signUp(fresh());
    expect(await calls.activeAt(joining)).toBeDefined();
    calls.core.clock.now += 1000;
    await calls.linkTo(joining, primary);
    expect(await calls.activeAt(joining)).toBeUndefined();
    expect(await calls.activeAt(primary)).toBe(calls.core.clock.now);
  });

  test('what other recipes keep under the id stays where it is', async () => {
    const [primary = ''] = await calls.group(fresh());
    const joining = await calls.signUp(fresh());
    await calls.ask('PUT', '/recipe/user/metadata', { userId: joining, metadataUpdate: { of: 'the member' } });
    await calls.linkTo(joining, primary);
    const read = async (id: string) => (await calls.ask('GET', `/recipe/user/metadata?userId=${id}`)).body['metadata'];
    expect([await read(joining), await read(primary)]).toEqual([{ of: 'the member' }, {}]);
  });

  test('a primary id whose own login method is gone takes new members; the check does not know it', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.unlink(primary);
    const third = await calls.signUp(fresh());
    expect(await calls.canLink(third, primary)).toMatchObject(UNKNOWN_ID);
    expect(await calls.canLink(primary, member)).toMatchObject(UNKNOWN_ID);
    expect((await calls.linkTo(third, primary)).body).toMatchObject({ status: 'OK', accountsAlreadyLinked: false, user: { id: primary } });
    expect((await calls.linkTo(primary, member)).body).toMatchObject({ status: 'OK', accountsAlreadyLinked: true });
    const [target = ''] = await calls.group(fresh());
    expect((await calls.linkTo(primary, target)).body).toMatchObject({
      status: 'RECIPE_USER_ID_ALREADY_LINKED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR',
      primaryUserId: primary,
    });
  });

  test('a group takes so many login methods and no more', async () => {
    const [primary = ''] = await calls.group(fresh());
    const ids: string[] = [];
    for (let at = 0; at < GROUP_LIMIT; at += 1) ids.push(await calls.add({ recipe: 'passwordless', email: `many-${at}@example.com` }));
    await calls.transact(async (tx) => {
      const { app } = await calls.tenant();
      for (const id of ids.slice(1)) {
        const method = await tx.get(loginMethods, [app, asInternal(id)]);
        if (method) await tx.put(loginMethods, { ...method, primaryUserId: primary, isPrimary: true });
      }
    });
    const refused = await calls.linkTo(ids[0], primary);
    expect(refused).toEqual({ status: 400, body: { text: `A user can have at most ${GROUP_LIMIT} login methods\n` } });
    expect((await calls.user(String(ids[0])))?.isPrimaryUser).toBe(false);
  });
});

describe('unlink', () => {
  test('one who stands alone', async () => {
    const id = await calls.signUp(fresh());
    const handle = await calls.startSession(id);
    expect((await calls.unlink(id)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: false });
    expect(await calls.alive(handle)).toEqual([true]);
  });

  test('a member stands alone afterwards and keeps its tenants; the user is as old as the rest', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const handles = [await calls.startSession(primary), await calls.startSession(member)];
    expect((await calls.unlink(member)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: true });
    expect(await calls.user(member)).toMatchObject({ id: member, isPrimaryUser: false, tenantIds: ['public'] });
    expect(await calls.user(primary)).toMatchObject({ id: primary, isPrimaryUser: true });
    expect(await calls.members(primary)).toEqual([primary]);
    expect(await calls.alive(...handles)).toEqual([true, false]);
    expect((await calls.unlink(member)).body).toMatchObject({ wasLinked: false });
  });

  test('the time of a user is that of its remaining login methods', async () => {
    const old = await calls.signUp(fresh());
    calls.core.clock.now += 5000;
    const [primary = ''] = await calls.group(fresh());
    await calls.linkTo(old, primary);
    await calls.unlink(old);
    expect((await calls.user(primary))?.timeJoined).toBe(calls.core.clock.now);
  });

  test('a primary user without others is none afterwards', async () => {
    const [id = ''] = await calls.group(fresh());
    expect((await calls.unlink(id)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: true });
    expect(await calls.user(id)).toMatchObject({ id, isPrimaryUser: false });
  });

  test('the primary login method among others is deleted; the user keeps its id and what is kept under it', async () => {
    const email = fresh();
    const [primary = '', member = ''] = await calls.group(email, fresh());
    await calls.mapTo(primary, `outer-${primary}`);
    await calls.ask('PUT', '/recipe/user/metadata', { userId: `outer-${primary}`, metadataUpdate: { kept: true } });
    const handles = [await calls.startSession(primary), await calls.startSession(member)];
    const { body: reset } = await calls.ask('POST', '/recipe/user/password/reset/token', { userId: primary, email });
    expect((await calls.unlink(`outer-${primary}`)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: true, wasLinked: true });
    for (const id of [primary, `outer-${primary}`, member]) {
      expect(await calls.user(id)).toMatchObject({ id: `outer-${primary}`, loginMethods: [{ recipeUserId: member }] });
    }
    expect(await calls.alive(...handles)).toEqual([false, true]);
    expect((await calls.ask('GET', `/recipe/user/metadata?userId=outer-${primary}`)).body['metadata']).toEqual({ kept: true });
    expect((await calls.ask('POST', '/recipe/user/password/reset/token/consume', { token: reset['token'] })).body['status']).toBe(
      'RESET_PASSWORD_INVALID_TOKEN_ERROR',
    );
    expect(await calls.signUp(email)).not.toBe(primary);
  });

  test('a primary id whose own login method is gone', async () => {
    const [primary = '', second = '', third = ''] = await calls.group(fresh(), fresh(), fresh());
    await calls.unlink(primary);
    const handle = await calls.startSession(primary);
    expect((await calls.unlink(primary)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: true, wasLinked: true });
    expect(await calls.members(primary)).toEqual([second, third].toSorted());
    expect(await calls.alive(handle)).toEqual([false]);
    await calls.unlink(second);
    expect((await calls.unlink(primary)).body).toEqual({ status: 'OK', wasRecipeUserDeleted: false, wasLinked: true });
    expect(await calls.members(primary)).toEqual([third]);
    // With its last member the user is gone.
    await calls.unlink(third);
    expect(await calls.user(primary)).toBeUndefined();
    expect(await calls.unlink(primary)).toMatchObject(UNKNOWN_ID);
    expect(await calls.user(third)).toMatchObject({ id: third, isPrimaryUser: false });
  });

  test('sessions of a mapped member stand under its external id', async () => {
    const [, member = ''] = await calls.group(fresh(), fresh());
    await calls.mapTo(member, `outer-${member}`);
    const handle = await calls.startSession(member);
    await calls.unlink(member);
    expect(await calls.alive(handle)).toEqual([false]);
    expect(await calls.user(member)).toMatchObject({ id: `outer-${member}` });
  });
});
