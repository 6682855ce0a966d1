import { beforeAll, describe, expect, test } from 'vitest';
import { COLLECTIONS } from '../../../src/recipes/recipes.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { LinkingCalls } from '../account-linking/calls.ts';

let calls: LinkingCalls;
let number = 0;
const fresh = (): string => `removed-${(number += 1)}@example.com`;

beforeAll(async () => {
  calls = new LinkingCalls(await openInProcessCore('5.4'));
  await calls.addTenant('t1');
  await calls.ask('PUT', '/recipe/role', { role: 'reader' });
});

/** Everything that recipes keep under an id; answers the handles of its two sessions. */
async function fill(userId: string): Promise<readonly string[]> {
  await calls.ask('PUT', '/recipe/user/metadata', { userId, metadataUpdate: { some: 'thing' } });
  for (const at of ['', '/t1']) await calls.ask('PUT', '/recipe/user/role', { userId, role: 'reader' }, { at });
  await calls.ask('POST', '/recipe/totp/device', { userId, deviceName: 'd', skew: 1, period: 30 });
  await calls.ask('POST', '/recipe/totp/device/verify', { userId, deviceName: 'd', totp: '000000' });
  const first = await calls.ask('POST', '/recipe/user/email/verify/token', { userId, email: `of-${userId}` });
  await calls.ask('POST', '/recipe/user/email/verify', { method: 'token', token: first.body['token'] });
  for (const at of ['', '/t1']) await calls.ask('POST', '/recipe/user/email/verify/token', { userId, email: `for-${userId}` }, { at });
  return [await calls.startSession(userId), await calls.startSession(userId, '/t1')];
}

/** The collections that hold a record in which one of these texts stands, but for the audit trail, which is to stay. */
async function traces(...texts: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const collection of COLLECTIONS) {
    const records = await calls.core.services.store.read((reader) => reader.list(collection, undefined, { prefix: [], limit: 100_000 }));
    const lines = records.map((record) => JSON.stringify(record));
    if (!collection.name.startsWith('audit_') && lines.some((each) => texts.some((text) => each.includes(text))))
      found.push(collection.name);
  }
  return found.toSorted();
}

/** Users of the dashboard are others, attempts by tenant were kept by older versions, and passkeys are a login method's. */
const NOT_OF_USERS = ['dashboard_sessions', 'operators', 'operator_sessions', 'totp_attempts', 'webauthn_credentials'];
/** What `fill` leaves traces in. */
const FILLED = ['role_assignments', 'sessions', 'totp_devices', 'user_metadata', 'verification_tokens', 'verified_emails'];
const UNDER_USER_ID = COLLECTIONS.filter(({ name, fields }) => 'userId' in fields && !NOT_OF_USERS.includes(name)).map(({ name }) => name);

const exists = async (id: string): Promise<boolean> => (await calls.user(id)) !== undefined;
const reset = (userId: string): Promise<unknown> => calls.ask('POST', '/recipe/user/password/reset/token', { userId, email: 'any' });

const recover = (userId: string): Promise<unknown> =>
  calls.ask('POST', '/recipe/webauthn/user/recover/token', { userId, email: `of-${userId}` });

describe('a user who stands alone', () => {
  test.each([undefined, true, false])('leaves nothing (removeAllLinkedAccounts %s)', async (withLinked) => {
    const email = fresh();
    const id = await calls.signUp(email);
    await fill(id);
    await reset(id);
    await recover(id);
    await calls.signIn(email, 'secret-1');
    const found = await traces(id);
    const missing = UNDER_USER_ID.filter((name) => !found.includes(name));
    expect(missing, 'of these nothing is kept of the user: fill them in `fill` above').toEqual([]);
    expect((await calls.removeUser(id, withLinked)).body).toEqual({ status: 'OK' });
    expect(await traces(id, email)).toEqual([]);
    expect(await exists(id)).toBe(false);
    expect((await calls.signIn(email, 'secret-1'))['status']).toBe('WRONG_CREDENTIALS_ERROR');
    expect(await calls.signUp(email)).not.toBe(id);
  });

  test.each(['internal', 'external'])('with a mapping, by its %s id', async (which) => {
    const email = fresh();
    const id = await calls.signUp(email);
    const external = `outer-${id.slice(0, 8)}`;
    await calls.mapTo(id, external);
    await fill(external);
    await calls.removeUser(which === 'internal' ? id : external);
    expect(await traces(id, external, email)).toEqual([]);
  });

  test('with a mapping that was forced while data stood under the internal id: no session outlives the user', async () => {
    const email = fresh();
    const id = await calls.signUp(email);
    const external = `outer-${id.slice(0, 8)}`;
    const before = await fill(id);
    await calls.mapTo(id, external, true);
    await calls.removeUser(external);
    expect(await calls.alive(...before)).toEqual([false, false]);
    expect(await traces(id, external, email)).toEqual([]);
  });

  test('takes the passwordless devices of its contacts with it, in its tenants', async () => {
    const [email, phoneNumber] = [fresh(), `+1415555${2000 + number}`];
    const id = await calls.signInWith({ email });
    await calls.at('PUT', '/recipe/user', { recipeUserId: id, phoneNumber });
    await calls.make({ email });
    await calls.make({ phoneNumber });
    await calls.make({ email }, { at: '/t1' });
    await calls.removeUser(id);
    expect(await traces(id, phoneNumber)).toEqual([]);
    expect(await calls.list({ email })).toEqual([]);
    expect(await calls.list({ email }, { at: '/t1' })).toHaveLength(1);
  });

  test('of another recipe keeps the devices of its email', async () => {
    const email = fresh();
    const id = await calls.signUp(email);
    await calls.make({ email });
    await calls.removeUser(id);
    expect(await calls.list({ email })).toHaveLength(1);
  });
});

describe('nobody', () => {
  test('is removed already', async () => {
    expect((await calls.removeUser('nobody')).body).toEqual({ status: 'OK' });
    const id = await calls.signUp(fresh());
    await calls.removeUser(id);
    expect((await calls.removeUser(id)).body).toEqual({ status: 'OK' });
  });

  test('an id that only other recipes know keeps what they have', async () => {
    const before = await fill('only-others-know');
    await calls.removeUser('only-others-know');
    expect(await calls.alive(...before)).toEqual([true, true]);
  });
});

describe('linked users', () => {
  test.each([0, 1])('all go, with the data and mappings of each, by the id of any (number %i)', async (which) => {
    const emails = [fresh(), fresh(), fresh()];
    const ids = await calls.group(...emails);
    const [primary = '', member = ''] = ids;
    const outer = `outer-${member.slice(0, 8)}`;
    await calls.mapTo(member, outer);
    for (const id of [primary, outer, String(ids[2])]) await fill(id);
    for (const id of ids) await reset(id);
    expect((await calls.removeUser(String(ids[which]))).body).toEqual({ status: 'OK' });
    expect(await traces(...ids, outer, ...emails)).toEqual([]);
  });

  test('one member goes with its own data; the user stays', async () => {
    const emails = [fresh(), fresh()];
    const [primary = '', member = ''] = await calls.group(...emails);
    const outer = `outer-${member.slice(0, 8)}`;
    await calls.mapTo(member, outer);
    const kept = await fill(primary);
    await fill(outer);
    await reset(member);
    await calls.removeUser(outer, false);
    expect(await traces(member, outer, String(emails[1]))).toEqual([]);
    expect(await calls.members(primary)).toEqual([primary]);
    expect(await calls.user(primary)).toMatchObject({ isPrimaryUser: true });
    expect(await calls.alive(...kept)).toEqual([true, true]);
    expect(await traces(primary)).toEqual(expect.arrayContaining(FILLED));
  });

  test('the primary login method alone: the user keeps the id, the mapping and what is kept under it', async () => {
    const emails = [fresh(), fresh()];
    const [primary = '', member = ''] = await calls.group(...emails);
    const outer = `outer-${primary.slice(0, 8)}`;
    await calls.mapTo(primary, outer);
    const kept = await fill(outer);
    await reset(primary);
    await calls.removeUser(primary, false);
    for (const id of [primary, outer, member]) {
      expect(await calls.user(id)).toMatchObject({ id: outer, isPrimaryUser: true, loginMethods: [{ recipeUserId: member }] });
    }
    expect(await calls.alive(...kept)).toEqual([true, true]);
    expect(await traces(outer)).toEqual(expect.arrayContaining(FILLED));
    expect(await traces(primary)).not.toContain('password_reset_tokens');
    expect((await calls.signIn(String(emails[0]), 'secret-1'))['status']).toBe('WRONG_CREDENTIALS_ERROR');
    // Of this id there is nothing left to remove; by it everything can be.
    await calls.removeUser(outer, false);
    expect(await calls.members(primary)).toEqual([member]);
  });

  test.each([false, true])('with the last member the id goes too (removeAllLinkedAccounts %s)', async (withLinked) => {
    const emails = [fresh(), fresh()];
    const [primary = '', member = ''] = await calls.group(...emails);
    const outer = `outer-${primary.slice(0, 8)}`;
    await calls.mapTo(primary, outer);
    await fill(outer);
    await fill(member);
    await calls.removeUser(primary, false);
    await reset(outer);
    await calls.removeUser(withLinked ? outer : member, withLinked);
    expect(await traces(primary, outer, member, ...emails)).toEqual([]);
  });

  test('a removed member is no longer counted in the time of the user', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const joined = (await calls.user(member))?.loginMethods.length;
    await calls.removeUser(primary, false);
    expect(joined).toBe(2);
    expect((await calls.user(member))?.timeJoined).toBe(calls.core.clock.now);
  });
});

describe('a mapping that was forced to the id of another user', () => {
  test('keeps what is kept under that id when the mapped user goes', async () => {
    const [mapped, named] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    await calls.mapTo(mapped, named, true);
    const kept = await fill(named);
    await calls.removeUser(mapped);
    expect(await traces(mapped)).toEqual([]);
    expect(await exists(named)).toBe(true);
    expect(await calls.alive(...kept)).toEqual([true, true]);
    expect((await calls.ask('GET', `/recipe/userid/map?userId=${named}`)).body['status']).toBe('UNKNOWN_MAPPING_ERROR');
  });

  test('keeps it when the other user goes, and the mapping too', async () => {
    const [mapped, named] = [await calls.signUp(fresh()), await calls.signUp(fresh())];
    await calls.mapTo(mapped, named, true);
    const kept = await fill(named);
    await calls.removeUser(named);
    expect(await calls.alive(...kept)).toEqual([true, true]);
    // From now on the id means the mapped user alone.
    expect(await calls.user(named)).toMatchObject({ id: named, loginMethods: [{ recipeUserId: named }] });
    await calls.removeUser(named);
    expect(await traces(mapped, named)).toEqual([]);
  });

  test('lets a primary id lose its own login method only, whatever was asked for', async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    const named = await calls.signUp(fresh());
    await calls.mapTo(primary, named, true);
    await calls.removeUser(primary, true);
    expect(await calls.members(member)).toEqual([member]);
  });

  test("between users who go together is nobody else's", async () => {
    const [primary = '', member = ''] = await calls.group(fresh(), fresh());
    await calls.mapTo(primary, member, true);
    await fill(member);
    await calls.removeUser(primary);
    expect(await traces(primary, member)).toEqual([]);
  });
});

describe('what is refused', () => {
  test('fields that are missing or of a wrong type', async () => {
    const invalid = (field: string) => ({ status: 400, body: { text: `Field name '${field}' is invalid in JSON input\n` } });
    expect(await calls.ask('POST', '/user/remove', {})).toEqual(invalid('userId'));
    expect(await calls.ask('POST', '/user/remove', { userId: 4 })).toEqual(invalid('userId'));
    for (const wrong of [null, 'x']) {
      const body = { userId: 'a', removeAllLinkedAccounts: wrong };
      expect(await calls.ask('POST', '/user/remove', body)).toEqual(invalid('removeAllLinkedAccounts'));
    }
  });

  test('ids are not trimmed', async () => {
    const id = await calls.signUp(fresh());
    await calls.removeUser(` ${id}`);
    expect(await exists(id)).toBe(true);
  });
});
