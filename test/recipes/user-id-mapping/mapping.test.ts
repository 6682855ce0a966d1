import { beforeAll, describe, expect, test } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import type { InProcessAnswer, InProcessCallOptions } from '../../in-process-core.ts';
import { LinkingCalls } from '../account-linking/calls.ts';

const MAP = '/recipe/userid/map';
const INFO = '/recipe/userid/external-user-id-info';

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `mapped-${(number += 1)}@example.com`;
const outer = (): string => `outer-${(number += 1)}`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
});

type Options = InProcessCallOptions & { readonly at?: string };

const map = (superTokensUserId: unknown, externalUserId: unknown, more: object = {}, options?: Options): Promise<InProcessAnswer> =>
  calls.ask('POST', MAP, { superTokensUserId, externalUserId, ...more }, options);
const unmap = (userId: unknown, more: object = {}, options?: Options): Promise<InProcessAnswer> =>
  calls.ask('POST', `${MAP}/remove`, { userId, ...more }, options);
const putInfo = (body: object, options?: Options): Promise<InProcessAnswer> => calls.ask('PUT', INFO, body, options);

async function get(userId: string, userIdType?: string): Promise<InProcessAnswer['body']> {
  const type = userIdType === undefined ? '' : `&userIdType=${userIdType}`;
  return (await calls.ask('GET', `${MAP}?userId=${encodeURIComponent(userId)}${type}`)).body;
}

const exists = (doesSuperTokensUserIdExist: boolean, doesExternalUserIdExist: boolean) => ({
  status: 'USER_ID_MAPPING_ALREADY_EXISTS_ERROR',
  doesSuperTokensUserIdExist,
  doesExternalUserIdExist,
});
const UNKNOWN = { status: 'UNKNOWN_MAPPING_ERROR' };
const inUse = (recipe: string) => ({ status: 400, body: { text: `UserId is already in use in ${recipe} recipe\n` } });

describe('create', () => {
  test('and look up from both sides, as each type', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    expect((await map(id, external, { externalUserIdInfo: 'from before' })).body).toEqual({ status: 'OK' });
    const found = { status: 'OK', superTokensUserId: id, externalUserId: external, externalUserIdInfo: 'from before' };
    for (const type of [undefined, 'ANY', 'SUPERTOKENS']) expect(await get(id, type)).toEqual(found);
    for (const type of [undefined, 'ANY', 'EXTERNAL']) expect(await get(external, type)).toEqual(found);
    expect([await get(id, 'EXTERNAL'), await get(external, 'SUPERTOKENS')]).toEqual([UNKNOWN, UNKNOWN]);
  });

  test('info that is null or absent is not shown', async () => {
    for (const more of [{}, { externalUserIdInfo: null }]) {
      const [id, external] = [await calls.signUp(fresh()), outer()];
      await map(id, external, more);
      expect(await get(id)).toEqual({ status: 'OK', superTokensUserId: id, externalUserId: external });
    }
  });

  test('ids and info are trimmed', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    expect((await map(` ${id} `, ` ${external} `, { externalUserIdInfo: ' spaced ' })).body).toEqual({ status: 'OK' });
    expect(await get(` ${id} `, ' ANY ')).toMatchObject({ externalUserId: external, externalUserIdInfo: 'spaced' });
  });

  test('twice', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    const [one, two] = [outer(), outer()];
    await map(a, one);
    for (const more of [{}, { force: true }]) {
      expect((await map(a, one, more)).body).toEqual(exists(true, true));
      expect((await map(a, two, more)).body).toEqual(exists(true, false));
      expect((await map(b, one, more)).body).toEqual(exists(false, true));
      expect((await map('nobody', one, more)).body).toEqual(exists(false, true));
    }
  });

  test('for somebody unknown, forced or not', async () => {
    for (const force of [false, true]) {
      expect((await map('nobody', outer(), { force })).body).toEqual({ status: 'UNKNOWN_SUPERTOKENS_USER_ID_ERROR' });
    }
    await calls.startSession('known-to-sessions-only');
    expect((await map('known-to-sessions-only', outer())).body['status']).toBe('UNKNOWN_SUPERTOKENS_USER_ID_ERROR');
  });

  test('for a primary id whose own login method is gone, which keeps the mapping it has', async () => {
    const [kept = ''] = await calls.group(fresh(), fresh());
    const external = outer();
    await map(kept, external);
    const [bare = ''] = await calls.group(fresh(), fresh());
    await calls.unlink(kept);
    await calls.unlink(bare);
    expect((await map(bare, outer())).body['status']).toBe('UNKNOWN_SUPERTOKENS_USER_ID_ERROR');
    expect(await get(kept)).toMatchObject({ externalUserId: external });
    expect((await calls.user(external))?.id).toBe(external);
  });

  test('to the id of a user only by force', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    const text = 'Cannot create a userId mapping where the externalId is also a SuperTokens userID\n';
    expect(await map(a, b)).toEqual({ status: 400, body: { text } });
    expect((await map(a, b, { force: true })).body).toEqual({ status: 'OK' });
    // The id that is both is the user's own id before it is the other's external id.
    expect((await calls.user(b))?.loginMethods).toMatchObject([{ recipeUserId: b }]);
    expect(await get(b)).toEqual(UNKNOWN);
    expect(await get(b, 'EXTERNAL')).toMatchObject({ superTokensUserId: a });
    await map(b, outer());
    expect(await get(b)).toMatchObject({ superTokensUserId: b });
    expect(await get(b, 'EXTERNAL')).toMatchObject({ superTokensUserId: a });
  });
});

describe('an id that is in use', () => {
  const session = (id: string): Promise<unknown> => calls.startSession(id);
  const metadata = (userId: string): Promise<unknown> => calls.ask('PUT', '/recipe/user/metadata', { userId, metadataUpdate: {} });
  const role = async (userId: string): Promise<void> => {
    await calls.ask('PUT', '/recipe/role', { role: 'reader' });
    await calls.ask('PUT', '/recipe/user/role', { userId, role: 'reader' });
  };
  const verification = (userId: string): Promise<unknown> =>
    calls.ask('POST', '/recipe/user/email/verify/token', { userId, email: 'some@example.com' });
  const totp = (userId: string): Promise<unknown> =>
    calls.ask('POST', '/recipe/totp/device', { userId, deviceName: 'd', skew: 1, period: 30 });
  const uses: readonly (readonly [string, (userId: string) => Promise<unknown>])[] = [
    ['Session', session],
    ['UserMetadata', metadata],
    ['UserRoles', role],
    ['EmailVerification', verification],
    ['TOTP', totp],
  ];

  test.each(uses)('by %s cannot be mapped, except by force; neither can the mapping be removed', async (recipe, use) => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    await use(id);
    expect(await map(id, external, {}, { cdi: '3.1' })).toEqual(inUse(recipe));
    expect((await map(id, external, { force: true })).body).toEqual({ status: 'OK' });
    await use(external);
    expect(await unmap(external)).toEqual(inUse(recipe));
    expect(await unmap(id)).toEqual(inUse(recipe));
    expect((await unmap(id, { force: true })).body).toEqual({ status: 'OK', didMappingExist: true });
  });

  test('by several is refused for the first of them', async () => {
    const id = await calls.signUp(fresh());
    for (const [, use] of uses.toReversed()) await use(id);
    expect(await map(id, outer())).toEqual(inUse('Session'));
    const other = await calls.signUp(fresh());
    for (const [, use] of uses.slice(3)) await use(other);
    expect(await map(other, outer())).toEqual(inUse('EmailVerification'));
  });

  test('by a session that has expired is not in use', async () => {
    const id = await calls.signUp(fresh());
    await session(id);
    const before = calls.core.clock.now;
    calls.core.clock.now += 1000 * 24 * 3_600_000;
    expect((await map(id, outer())).body).toEqual({ status: 'OK' });
    calls.core.clock.now = before;
  });

  test('by email verification alone moves it to the external id, from CDI 4.0 on', async () => {
    const [email, external] = [fresh(), outer()];
    const id = await calls.signUp(email);
    const first = await calls.ask('POST', '/recipe/user/email/verify/token', { userId: id, email });
    await calls.ask('POST', '/recipe/user/email/verify', { method: 'token', token: first.body['token'] });
    const pending = await calls.ask('POST', '/recipe/user/email/verify/token', { userId: id, email: 'other@example.com' });
    expect(await map(id, external, {}, { cdi: '3.1' })).toEqual(inUse('EmailVerification'));
    expect((await map(id, external)).body).toEqual({ status: 'OK' });
    expect((await calls.user(id))?.loginMethods).toMatchObject([{ recipeUserId: external, verified: true }]);
    const verified = await calls.ask('POST', '/recipe/user/email/verify', { method: 'token', token: pending.body['token'] });
    expect(verified.body).toMatchObject({ status: 'OK', userId: external });
    expect(await unmap(id)).toEqual(inUse('EmailVerification'));
  });

  test('is not moved when the mapping is refused', async () => {
    const id = await calls.signUp(fresh());
    await map(id, outer());
    await verification(id);
    expect((await map(id, outer())).body).toEqual(exists(true, false));
    expect((await calls.ask('POST', '/recipe/user/email/verify/token/remove', { userId: id, email: 'some@example.com' })).status).toBe(200);
  });
});

describe('remove', () => {
  test('by either id and type; then it can be made again', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    const removals: readonly (readonly [string, string | undefined, boolean])[] = [
      [external, 'SUPERTOKENS', false],
      [id, 'EXTERNAL', false],
      [id, 'SUPERTOKENS', true],
      [external, 'EXTERNAL', true],
      [id, undefined, true],
      [external, 'ANY', true],
    ];
    for (const [userId, userIdType, didMappingExist] of removals) {
      await map(id, external);
      expect((await unmap(userId, userIdType === undefined ? {} : { userIdType })).body).toEqual({ status: 'OK', didMappingExist });
      expect(await get(id)).toEqual(didMappingExist ? UNKNOWN : expect.objectContaining({ externalUserId: external }));
    }
  });

  test('where there is none', async () => {
    for (const userId of ['nobody', await calls.signUp(fresh())]) {
      expect((await unmap(userId)).body).toEqual({ status: 'OK', didMappingExist: false });
    }
  });

  test('a forced one to the id of a user, whatever is kept under it', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    await map(a, b, { force: true });
    await calls.startSession(b);
    expect((await unmap(a)).body).toEqual({ status: 'OK', didMappingExist: true });
    expect((await calls.user(b))?.id).toBe(b);
  });

  test('goes with its user', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    await map(id, external);
    await calls.removeUser(external);
    expect([await get(id), await get(external)]).toEqual([UNKNOWN, UNKNOWN]);
    expect((await map(await calls.signUp(fresh()), external)).body).toEqual({ status: 'OK' });
  });
});

describe('change what is noted', () => {
  test('set, replace and clear it', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    await map(id, external, { externalUserIdInfo: 'one' });
    expect((await putInfo({ userId: id, userIdType: 'SUPERTOKENS', externalUserIdInfo: ' two ' })).body).toEqual({ status: 'OK' });
    expect([await get(id), await get(external)]).toMatchObject([{ externalUserIdInfo: 'two' }, { externalUserIdInfo: 'two' }]);
    expect((await putInfo({ userId: external, externalUserIdInfo: 'two' })).body).toEqual({ status: 'OK' });
    expect((await putInfo({ userId: external, userIdType: 'EXTERNAL', externalUserIdInfo: null })).body).toEqual({ status: 'OK' });
    expect(await get(id)).not.toHaveProperty('externalUserIdInfo');
  });

  test('where there is no such mapping', async () => {
    const [id, external] = [await calls.signUp(fresh()), outer()];
    await map(id, external);
    const bodies = [{ userId: 'nobody' }, { userId: id, userIdType: 'EXTERNAL' }, { userId: external, userIdType: 'SUPERTOKENS' }];
    for (const body of bodies) expect((await putInfo({ ...body, externalUserIdInfo: 'x' })).body).toEqual(UNKNOWN);
  });

  test('of an id that is a user and an external id: that of the user', async () => {
    const [a, b] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    await map(a, b, { force: true });
    expect((await putInfo({ userId: b, externalUserIdInfo: 'x' })).body).toEqual(UNKNOWN);
    expect((await putInfo({ userId: b, userIdType: 'EXTERNAL', externalUserIdInfo: 'x' })).body).toEqual({ status: 'OK' });
  });
});

describe('what is refused', () => {
  const invalid = (field: string) => ({ status: 400, body: { text: `Field name '${field}' is invalid in JSON input\n` } });
  const empty = (field: string) => ({ status: 400, body: { text: `Field name '${field}' cannot be an empty String\n` } });
  const wrongType = { status: 400, body: { text: "Field name 'userIdType' should be one of 'SUPERTOKENS', 'EXTERNAL' or 'ANY'\n" } };

  test('create: fields in their order', async () => {
    expect(await calls.ask('POST', MAP, {})).toEqual(invalid('superTokensUserId'));
    expect(await map(' ', undefined)).toEqual(empty('superTokensUserId'));
    expect(await map('a', undefined)).toEqual(invalid('externalUserId'));
    expect(await map('a', 5)).toEqual(invalid('externalUserId'));
    expect(await map('a', ' ')).toEqual(empty('externalUserId'));
    expect(await map('a', 'b', { externalUserIdInfo: 3 })).toEqual(invalid('externalUserIdInfo'));
    expect(await map('a', 'b', { externalUserIdInfo: ' ', force: 'x' })).toEqual(empty('externalUserIdInfo'));
    expect(await map('a', 'b', { force: 'x' })).toEqual(invalid('force'));
    expect(await map('a', 'b', { force: null })).toEqual(invalid('force'));
  });

  test('look up', async () => {
    const missing = { status: 400, body: { text: "Field name 'userId' is missing in GET request\n" } };
    expect(await calls.ask('GET', MAP)).toEqual(missing);
    expect(await calls.ask('GET', `${MAP}?userId=%20`)).toEqual(empty('userId'));
    for (const type of ['other', 'any', '']) expect(await calls.ask('GET', `${MAP}?userId=a&userIdType=${type}`)).toEqual(wrongType);
  });

  test('remove', async () => {
    expect(await calls.ask('POST', `${MAP}/remove`, {})).toEqual(invalid('userId'));
    expect(await unmap(7)).toEqual(invalid('userId'));
    expect(await unmap(' ')).toEqual(empty('userId'));
    expect(await unmap('a', { userIdType: 7 })).toEqual(invalid('userIdType'));
    expect(await unmap('a', { userIdType: 'none', force: 'x' })).toEqual(wrongType);
    expect(await unmap('a', { userIdType: '' })).toEqual(wrongType);
    expect(await unmap('a', { force: 'x' })).toEqual(invalid('force'));
  });

  test('change what is noted', async () => {
    expect(await putInfo({})).toEqual(invalid('userId'));
    expect(await putInfo({ userId: ' ', externalUserIdInfo: 'x' })).toEqual(empty('userId'));
    expect(await putInfo({ userId: 'a', userIdType: 'q' })).toEqual(wrongType);
    expect(await putInfo({ userId: 'a' })).toEqual(invalid('externalUserIdInfo'));
    expect(await putInfo({ userId: 'a', externalUserIdInfo: ' ' })).toEqual(empty('externalUserIdInfo'));
    expect(await putInfo({ userId: 'a', externalUserIdInfo: 6 })).toEqual(invalid('externalUserIdInfo'));
  });

  test('a tenant in the path from CDI 5.0 on, and apps that do not exist', async () => {
    await calls.addTenant('t1');
    const refusal = { status: 403, body: { text: 'Only public tenantId can call this app specific API\n' } };
    const at = '/t1';
    const info = { userId: 'a', externalUserIdInfo: null };
    expect(await map('a', 'b', {}, { at })).toEqual(refusal);
    expect(await calls.ask('GET', `${MAP}?userId=a`, undefined, { at })).toEqual(refusal);
    expect(await unmap('a', {}, { at })).toEqual(refusal);
    expect(await putInfo(info, { at })).toEqual(refusal);
    expect((await putInfo(info, { at, cdi: '4.0' })).body).toEqual(UNKNOWN);
    const nowhere = '/appid-none';
    const prefix = 'AppId or tenantId not found =>';
    const withTenant = `${prefix} Tenant with the following connectionURIDomain, appId and tenantId combination not found: (, none, public)\n`;
    const withoutTenant = `${prefix} App with the following connectionURIDomain and appId combination not found: (, none)\n`;
    expect(await map('a', 'b', {}, { at: nowhere })).toEqual({ status: 400, body: { text: withTenant } });
    for (const answer of [unmap('a', {}, { at: nowhere }), putInfo(info, { at: nowhere }), calls.removeUser('a', true, { at: nowhere })]) {
      expect(await answer).toEqual({ status: 400, body: { text: withoutTenant } });
    }
  });
});
