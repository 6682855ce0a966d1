import { beforeAll, describe, expect, test } from 'vitest';
import { type AnswerBody, openInProcessCore } from '../../in-process-core.ts';
import { LinkingCalls } from '../account-linking/calls.ts';

/* Whom a session belongs to, where users are linked or have ids of the application (contract 02 section 1.9). */

interface Started extends AnswerBody {
  readonly session: { readonly handle: string; readonly userId: string; readonly recipeUserId: string };
  readonly accessToken: { readonly token: string };
  readonly refreshToken: { readonly token: string };
}

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `session-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
  await calls.addTenant('t1');
});

async function start(userId: string, at = ''): Promise<Started> {
  const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, useDynamicSigningKey: true };
  return (await calls.ask('POST', '/recipe/session', body, { at })).body as Started;
}

async function verify(token: string): Promise<{ readonly userId: string; readonly recipeUserId: string }> {
  const body = { accessToken: token, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: true };
  return ((await calls.ask('POST', '/recipe/session/verify', body)).body as Started).session;
}

async function refresh(token: string): Promise<Started & { readonly status: string }> {
  const body = { refreshToken: token, enableAntiCsrf: false, useDynamicSigningKey: true };
  return (await calls.ask('POST', '/recipe/session/refresh', body)).body as Started & { readonly status: string };
}

const claimsOf = (token: string): { sub?: string; rsub?: string } =>
  JSON.parse(Buffer.from(String(token.split('.')[1]), 'base64url').toString());
const plainUser = async (handle: string): Promise<unknown> =>
  (await calls.ask('GET', `/recipe/session?sessionHandle=${handle}`)).body['userId'];
const handlesOf = async (userId: string, more = ''): Promise<readonly string[]> =>
  ((await calls.ask('GET', `/recipe/session/user?userId=${userId}${more}`)).body['sessionHandles'] as string[]).toSorted();

/** Takes a lineage one step further and then presents its first token again. */
async function steal(victim: Started): Promise<string> {
  const child = await refresh(victim.refreshToken.token);
  await refresh(child.refreshToken.token);
  return (await refresh(victim.refreshToken.token)).status;
}

describe('whom a session shows', () => {
  test('a linked user: the primary id, and its own as that of the recipe user', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const started = await start(member);
    expect(started.session).toMatchObject({ userId: primary, recipeUserId: member });
    expect(claimsOf(started.accessToken.token)).toMatchObject({ sub: primary, rsub: member });
    expect(await verify(started.accessToken.token)).toMatchObject({ userId: primary, recipeUserId: member });
    expect((await refresh(started.refreshToken.token)).session).toMatchObject({ userId: primary, recipeUserId: member });
    expect(await plainUser(started.session.handle)).toBe(primary);
  });

  test('a mapped user: the external id, whichever was given', async () => {
    const id = await calls.signUp(fresh());
    const outer = `outer-${id}`;
    await calls.mapTo(id, outer);
    for (const given of [id, outer]) {
      const started = await start(given);
      expect(started.session).toMatchObject({ userId: outer, recipeUserId: outer });
      expect((await refresh(started.refreshToken.token)).session).toMatchObject({ userId: outer, recipeUserId: outer });
      expect(await plainUser(started.session.handle)).toBe(outer);
    }
  });

  test('linked and mapped users: each id by its own mapping; the plain read knows internal ids alone', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.mapTo(primary, `outer-${primary}`);
    const before = await start(member);
    expect(before.session).toMatchObject({ userId: `outer-${primary}`, recipeUserId: member });
    expect(await plainUser(before.session.handle)).toBe(primary);
    await calls.mapTo(member, `outer-${member}`, true);
    const after = await start(member);
    expect(after.session).toMatchObject({ userId: `outer-${primary}`, recipeUserId: `outer-${member}` });
    expect(await plainUser(after.session.handle)).toBe(`outer-${member}`);
    expect((await refresh(after.refreshToken.token)).session).toMatchObject({
      userId: `outer-${primary}`,
      recipeUserId: `outer-${member}`,
    });
  });

  test('a primary id whose own login method is gone', async () => {
    const [primary = ''] = await calls.group(fresh(), fresh());
    await calls.mapTo(primary, `outer-${primary}`);
    await calls.unlink(primary);
    for (const given of [primary, `outer-${primary}`]) {
      expect((await start(given)).session).toMatchObject({ userId: `outer-${primary}`, recipeUserId: `outer-${primary}` });
    }
  });

  test('a link shows at the next refresh, never before it and never in the recipe user', async () => {
    const [primary = ''] = await calls.group(fresh());
    const joining = await calls.signUp(fresh());
    await calls.linkTo(joining, primary);
    const started = await start(joining);
    await calls.mapTo(primary, `outer-${primary}`, true);
    expect(await verify(started.accessToken.token)).toMatchObject({ userId: primary, recipeUserId: joining });
    const refreshed = await refresh(started.refreshToken.token);
    expect(refreshed.session).toMatchObject({ userId: `outer-${primary}`, recipeUserId: joining });
    expect(claimsOf(refreshed.accessToken.token)).toMatchObject({ sub: `outer-${primary}`, rsub: joining });
  });
});

describe('listing and revoking', () => {
  test('take the sessions of all linked users, or of one', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const [ofPrimary, ofMember] = [(await start(primary)).session.handle, (await start(member)).session.handle];
    const both = [ofPrimary, ofMember].toSorted();
    for (const id of [primary, member]) expect(await handlesOf(id)).toEqual(both);
    expect(await handlesOf(member, '&fetchSessionsForAllLinkedAccounts=false')).toEqual([ofMember]);
    const alone = { userId: primary, revokeSessionsForLinkedAccounts: false };
    expect((await calls.ask('POST', '/recipe/session/remove', alone)).body['sessionHandlesRevoked']).toEqual([ofPrimary]);
    expect(await calls.alive(ofPrimary, ofMember)).toEqual([false, true]);
    expect((await calls.ask('POST', '/recipe/session/remove', { userId: primary })).body['sessionHandlesRevoked']).toEqual([ofMember]);
  });

  test('by a primary id whose own login method is gone', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.unlink(primary);
    const handles = [(await start(primary)).session.handle, (await start(member)).session.handle].toSorted();
    expect(await handlesOf(primary)).toEqual(handles);
    expect(await handlesOf(member)).toHaveLength(1);
  });

  test('of one tenant, or of all', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const [here, there] = [(await start(member)).session.handle, (await start(member, '/t1')).session.handle];
    expect(await handlesOf(primary)).toEqual([here, there].toSorted());
    expect(await handlesOf(primary, '&fetchAcrossAllTenants=false')).toEqual([here]);
    const body = { userId: primary, revokeAcrossAllTenants: false };
    const revoked = await calls.ask('POST', '/recipe/session/remove', body, { at: '/t1' });
    expect(revoked.body['sessionHandlesRevoked']).toEqual([there]);
    expect(await calls.alive(here, there)).toEqual([true, false]);
  });

  test('compare ids as they stand in the rows: mapped users by the external one', async () => {
    const id = await calls.signUp(fresh());
    await calls.mapTo(id, `outer-${id}`);
    const { handle } = (await start(id)).session;
    expect([await handlesOf(id), await handlesOf(`outer-${id}`)]).toEqual([[], [handle]]);
  });
});

describe('theft', () => {
  test('ends the sessions of all linked users, mapped or not, in all tenants, and of nobody else', async () => {
    const [primary = '', member = '', third = ''] = await calls.group(fresh(), fresh(), fresh());
    await calls.mapTo(third, `outer-${third}`);
    const stranger = (await start(await calls.signUp(fresh()))).session.handle;
    const victim = await start(member);
    const others = [await start(primary), await start(member, '/t1'), await start(third), await start(third, '/t1')];
    const handles = others.map(({ session }) => session.handle);
    expect(await steal(victim)).toBe('TOKEN_THEFT_DETECTED');
    expect(await calls.alive(victim.session.handle, ...handles)).toEqual([false, false, false, false, false]);
    expect(await calls.alive(stranger)).toEqual([true]);
  });

  test('from a mapped user, and under a primary id whose own login method is gone', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.mapTo(primary, `outer-${primary}`);
    await calls.unlink(primary);
    await calls.mapTo(member, `outer-${member}`);
    const victim = await start(member);
    const under = await start(primary);
    expect(await steal(victim)).toBe('TOKEN_THEFT_DETECTED');
    expect(await calls.alive(victim.session.handle, under.session.handle)).toEqual([false, false]);
  });
});
