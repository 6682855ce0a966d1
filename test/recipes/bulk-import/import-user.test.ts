import { beforeAll, describe, expect, test } from 'vitest';
import { totpCode } from '../../totp-code.ts';
import { MemoryEngine } from '../../../src/store/memory.ts';
import { EngineStore } from '../../../src/store/transactions.ts';
import { type InProcessAnswer, type InProcessCore, openInProcessCore } from '../../in-process-core.ts';
import { readRawStore } from '../multitenancy/raw-store.ts';
import { checkedCall } from '../checked-answers.ts';

const BCRYPT = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

interface UserJson {
  readonly id: string;
  readonly isPrimaryUser: boolean;
  readonly timeJoined: number;
  readonly tenantIds: readonly string[];
  readonly loginMethods: readonly { readonly recipeUserId: string; readonly recipeId: string; readonly verified: boolean }[];
}

let engine: MemoryEngine;
let core: InProcessCore;
let count = 0;
const fresh = (name = 'user'): string => `${name}-${(count += 1)}`;
const mail = (): string => `${fresh()}@example.com`;

const ep = (email: string, more: object = {}) => ({
  recipeId: 'emailpassword',
  email,
  passwordHash: BCRYPT,
  hashingAlgorithm: 'bcrypt',
  ...more,
});
const tp = (account: string, more: object = {}) => ({
  recipeId: 'thirdparty',
  email: `${account}@example.com`,
  thirdPartyId: 'google',
  thirdPartyUserId: account,
  ...more,
});

const send = (user: object, cdi?: string): Promise<InProcessAnswer> =>
  checkedCall(core, 'POST', '/bulk-import/import', user, cdi === undefined ? {} : { cdi });
async function bring(user: object): Promise<UserJson> {
  const { status, body } = await send(user);
  expect(body).toMatchObject({ status: 'OK' });
  expect(status).toBe(200);
  return body['user'] as UserJson;
}
/** The errors of a user that is refused, after which the store is as it was. */
async function refused(user: object): Promise<readonly string[]> {
  const before = await readRawStore(engine);
  const { status, body } = await send(user);
  expect(status).toBe(400);
  expect(await readRawStore(engine)).toEqual(before);
  return JSON.parse(String(body['text'])).errors;
}
const get = async (path: string): Promise<InProcessAnswer['body']> => (await core.call('GET', path)).body;
const post = async (path: string, body: object): Promise<InProcessAnswer['body']> => (await core.call('POST', path, body)).body;
const signIn = (email: string, password = 'testPass123', tenant = '') => post(`${tenant}/recipe/signin`, { email, password });

beforeAll(async () => {
  engine = new MemoryEngine({});
  core = await openInProcessCore('5.4', ['--audit-trail', 'false'], new EngineStore(engine));
  await core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
  await core.call('PUT', '/recipe/role', { role: 'admin' });
});

describe('one user at once', () => {
  test('with a password in plain text', async () => {
    const email = mail();
    const user = await bring({ loginMethods: [{ recipeId: 'emailpassword', email, plainTextPassword: ' pw with blanks ' }] });
    expect(await signIn(email, ' pw with blanks ')).toMatchObject({ status: 'OK', recipeUserId: user.id });
    expect(await signIn(email, 'pw with blanks')).toMatchObject({ status: 'WRONG_CREDENTIALS_ERROR' });
  });

  test('with a hash, which counts more than a password beside it', async () => {
    const email = mail();
    const user = await bring({ loginMethods: [ep(email, { plainTextPassword: 'other', timeJoinedInMSSinceEpoch: 5 })] });
    expect(user).toMatchObject({ timeJoined: 5, isPrimaryUser: false, tenantIds: ['public'] });
    expect(await signIn(email)).toMatchObject({ status: 'OK', recipeUserId: user.id });
    expect(await signIn(email, 'other')).toMatchObject({ status: 'WRONG_CREDENTIALS_ERROR' });
  });

  test('with a password beside a hash of which nobody says how it was made', async () => {
    const email = mail();
    await bring({ loginMethods: [{ recipeId: 'emailpassword', email, passwordHash: 'whatever', plainTextPassword: 'validPass123' }] });
    expect(await signIn(email, 'validPass123')).toMatchObject({ status: 'OK' });
  });

  test('of a third party, and without a password', async () => {
    const account = fresh('account');
    const byAccount = await bring({ loginMethods: [tp(account, { isVerified: true })] });
    const again = { thirdPartyId: 'google', thirdPartyUserId: account, email: { id: `${account}@example.com`, isVerified: false } };
    expect(await post('/recipe/signinup', again)).toMatchObject({ createdNewUser: false, recipeUserId: byAccount.id });
    expect(byAccount.loginMethods[0]?.verified).toBe(true);
    const byPhone = await bring({ loginMethods: [{ recipeId: 'passwordless', phoneNumber: '+442079460958', isVerified: true }] });
    expect(byPhone.loginMethods[0]).toMatchObject({ phoneNumber: '+442079460958', verified: true });
  });

  test('in several tenants', async () => {
    const email = mail();
    const user = await bring({ loginMethods: [ep(email, { tenantIds: ['public', 'T1'] })] });
    expect(user.tenantIds).toEqual(['public', 't1']);
    expect(await signIn(email, 'testPass123', '/t1')).toMatchObject({ status: 'OK', recipeUserId: user.id });
  });

  test('with several login methods, linked to the primary one', async () => {
    const [email, externalUserId] = [mail(), fresh('ext')];
    const user = await bring({
      externalUserId,
      loginMethods: [
        tp(fresh('account'), { timeJoinedInMSSinceEpoch: 1000, isVerified: true }),
        ep(email, { isPrimary: true, isVerified: true, timeJoinedInMSSinceEpoch: 2000, tenantIds: ['t1'] }),
      ],
    });
    expect(user).toMatchObject({ id: externalUserId, isPrimaryUser: true, timeJoined: 1000 });
    expect(user.tenantIds.toSorted()).toEqual(['public', 't1']);
    expect(user.loginMethods.map((method) => [method.recipeId, method.verified, method.recipeUserId === externalUserId])).toEqual([
      ['thirdparty', true, false],
      ['emailpassword', true, true],
    ]);
    expect(await get(`/user/id?userId=${externalUserId}`)).toMatchObject({ status: 'OK', user });
    // Its account infos are its own from now on, in both tenants and for all recipes.
    const rival = await bring({ loginMethods: [{ recipeId: 'passwordless', email }] });
    expect(await post('/recipe/accountlinking/user/primary', { recipeUserId: rival.id })).toMatchObject({
      status: 'ACCOUNT_INFO_ALREADY_ASSOCIATED_WITH_ANOTHER_PRIMARY_USER_ID_ERROR',
      primaryUserId: externalUserId,
    });
  });

  test('with one login method that is primary', async () => {
    const user = await bring({ loginMethods: [ep(mail(), { isPrimary: true })] });
    expect(user.isPrimaryUser).toBe(true);
    expect(await post('/recipe/accountlinking/user/primary', { recipeUserId: user.id })).toMatchObject({ wasAlreadyAPrimaryUser: true });
  });

  test('with several login methods and no primary one: they stay apart, and the oldest has the external id', async () => {
    const [email, externalUserId] = [mail(), fresh('ext')];
    const before = (await get('/users/count'))['count'];
    const user = await bring({
      externalUserId,
      loginMethods: [ep(email, { timeJoinedInMSSinceEpoch: 9 }), tp(fresh('account'), { timeJoinedInMSSinceEpoch: 8, email })],
    });
    expect(user).toMatchObject({ id: externalUserId, isPrimaryUser: false, loginMethods: [{ recipeId: 'thirdparty' }] });
    expect((await get('/users/count'))['count']).toBe(Number(before) + 2);
    expect(await get(`/users/by-accountinfo?email=${email}&doUnionOfAccountInfo=false`)).toMatchObject({
      users: [{ timeJoined: 8 }, { timeJoined: 9 }],
    });
  });

  test('with metadata, roles and devices under the external id, beside what is there', async () => {
    const userId = fresh('ext');
    await core.call('PUT', '/recipe/user/metadata', { userId, metadataUpdate: { old: 1, gone: 1, big: { x: 1 } } });
    await core.call('PUT', '/recipe/user/role', { userId, role: 'admin' });
    await post('/recipe/totp/device/import', { userId, deviceName: 'phone', secretKey: 'MFRGG', skew: 0, period: 30 });
    await bring({
      externalUserId: userId,
      userMetadata: { gone: null, big: { y: null }, n: 1 },
      userRoles: ['admin', { role: 'admin', tenantIds: ['public', 't1'] }],
      totpDevices: [{ secretKey: SECRET, deviceName: 'phone' }, { secretKey: 'MFRGG' }],
      loginMethods: [ep(mail(), { tenantIds: ['public', 't1'] })],
    });
    expect(await get(`/recipe/user/metadata?userId=${userId}`)).toMatchObject({ metadata: { old: 1, big: { y: null }, n: 1 } });
    expect(await get(`/recipe/user/roles?userId=${userId}`)).toMatchObject({ roles: ['admin'] });
    expect(await get(`/t1/recipe/user/roles?userId=${userId}`)).toMatchObject({ roles: ['admin'] });
    const { devices } = await get(`/recipe/totp/device/list?userId=${userId}`);
    expect(devices).toEqual([
      { name: 'TOTP Device 1', period: 30, skew: 1, verified: true },
      { name: 'phone', period: 30, skew: 1, verified: true },
    ]);
    const totp = totpCode({ secret: SECRET, period: 30, skew: 1 }, core.clock.now);
    expect(await post('/recipe/totp/verify', { userId, totp })).toEqual({ status: 'OK' });
  });

  test('with metadata, roles and devices under its own id; what is null in new metadata stays', async () => {
    const { id } = await bring({
      userMetadata: { a: null, n: 1 },
      userRoles: ['admin'],
      totpDevices: [{ secretKey: SECRET }],
      loginMethods: [ep(mail())],
    });
    expect(await get(`/recipe/user/metadata?userId=${id}`)).toMatchObject({ metadata: { a: null, n: 1 } });
    expect(await get(`/recipe/user/roles?userId=${id}`)).toMatchObject({ roles: ['admin'] });
    expect(await get(`/recipe/totp/device/list?userId=${id}`)).toMatchObject({ devices: [{ name: 'TOTP Device 0' }] });
  });

  test('verified emails stand under the external id, where later look-ups find them', async () => {
    const [email, externalUserId] = [mail(), fresh('ext')];
    const user = await bring({ externalUserId, loginMethods: [ep(email, { isVerified: true })] });
    expect(user.loginMethods[0]?.verified).toBe(true);
    const path = `/recipe/user/email/verify?email=${encodeURIComponent(email)}&userId=`;
    expect(await get(`${path}${externalUserId}`)).toMatchObject({ isVerified: true });
  });

  test('is shown with passkeys from CDI 5.3 on', async () => {
    const at = async (cdi: string) => (await send({ loginMethods: [ep(mail())] }, cdi)).body['user'];
    expect(await at('5.3')).toHaveProperty('webauthn', { credentialIds: [] });
    expect(await at('5.2')).not.toHaveProperty('webauthn');
  });

  test('belongs to the app, not to a tenant; the body is looked at first', async () => {
    const body = { loginMethods: [ep(mail())] };
    expect(await core.call('POST', '/t1/bulk-import/import', body)).toMatchObject({ status: 403 });
    expect(await core.call('POST', '/appid-ghost/bulk-import/import', body)).toMatchObject({ status: 400 });
    expect(await core.call('POST', '/t1/bulk-import/import', [])).toMatchObject({ status: 400, body: { text: 'Invalid Json Input\n' } });
  });

  test('leaves nothing behind when it is removed again', async () => {
    const before = await readRawStore(engine);
    const { id } = await bring({
      externalUserId: fresh('ext'),
      userMetadata: { a: 1 },
      userRoles: [{ role: 'admin', tenantIds: ['public', 't1'] }],
      totpDevices: [{ secretKey: SECRET }],
      loginMethods: [
        ep(mail(), { isPrimary: true, isVerified: true, tenantIds: ['public', 't1'] }),
        tp(fresh('account'), { isVerified: true }),
        { recipeId: 'passwordless', email: mail(), phoneNumber: '+442079460000', tenantIds: ['t1'], isVerified: true },
      ],
    });
    expect((await readRawStore(engine)).records.length).toBeGreaterThan(before.records.length + 10);
    expect(await post('/user/remove', { userId: id })).toEqual({ status: 'OK' });
    expect(await readRawStore(engine)).toEqual(before);
  });
});

describe('what cannot be imported is told, and leaves no trace', () => {
  test('a user with many mistakes', async () => {
    expect(await refused({ userRoles: ['ghost'], loginMethods: [ep(mail(), { tenantIds: ['nowhere'] })] })).toEqual([
      'Role ghost does not exist.',
      'Invalid tenantId: nowhere for emailpassword recipe.',
      expect.stringMatching(/^LoginMethod '.*' has no tenantId$/),
    ]);
    expect(await refused({})).toEqual(['loginMethods is required.']);
    expect(await refused({ loginMethods: null })).toEqual(['loginMethods should be of type array of object.']);
  });

  test('an email, an account or a phone number that is taken', async () => {
    const [email, account, phoneNumber] = [mail(), fresh('account'), '+442079461111'];
    const pless = { recipeId: 'passwordless', email, phoneNumber };
    for (const method of [ep(email), tp(account), pless]) await bring({ loginMethods: [method] });
    expect(await refused({ loginMethods: [ep(email)] })).toEqual([
      `E003: A user with email ${email} already exists in emailpassword loginMethod.`,
    ]);
    expect(await refused({ loginMethods: [tp(account)] })).toEqual([
      `E005: A user with thirdPartyId google and thirdPartyUserId ${account} already exists in thirdparty loginMethod.`,
    ]);
    const byEmail = [`E006: A user with email ${email} already exists in passwordless loginMethod.`];
    expect(await refused({ loginMethods: [{ recipeId: 'passwordless', email }] })).toEqual(byEmail);
    expect(await refused({ loginMethods: [pless] })).toEqual(byEmail);
    expect(await refused({ loginMethods: [{ recipeId: 'passwordless', phoneNumber }] })).toEqual([
      `E007: A user with phoneNumber ${phoneNumber} already exists in passwordless loginMethod.`,
    ]);
    // In another tenant they are free, and so is the email for another recipe.
    await bring({ loginMethods: [ep(email, { tenantIds: ['t1'] })] });
  });

  test('the second of two login methods of one user, be it twice the same', async () => {
    const [email, taken] = [mail(), mail()];
    await bring({ loginMethods: [ep(taken)] });
    const errors = (each: string) => [`E003: A user with email ${each} already exists in emailpassword loginMethod.`];
    expect(await refused({ loginMethods: [tp(fresh()), ep(taken)] })).toEqual(errors(taken));
    expect(await refused({ externalUserId: fresh(), loginMethods: [ep(email, { isPrimary: true }), ep(email)] })).toEqual(errors(email));
    await bring({ loginMethods: [ep(email), ep(email, { tenantIds: ['t1'] })] });
  });

  test('what another primary user has, which comes first', async () => {
    const email = mail();
    await bring({ loginMethods: [ep(email, { isPrimary: true })] });
    const text = ['E027: there is a conflicting account info'];
    expect(await refused({ loginMethods: [tp(fresh('account'), { email, isPrimary: true })] })).toEqual(text);
    expect(await refused({ loginMethods: [ep(mail(), { isPrimary: true }), tp(fresh('account'), { email })] })).toEqual(text);
    expect(await refused({ loginMethods: [ep(email, { isPrimary: true })] })).toEqual(text);
    await bring({ loginMethods: [tp(fresh('account'), { email })] });
  });

  test('an external id that is taken, or is the internal one of somebody', async () => {
    const externalUserId = fresh('ext');
    const { id } = await bring({ loginMethods: [ep(mail())] });
    const method = ep(mail());
    await bring({ externalUserId, loginMethods: [method] });
    expect(await refused({ externalUserId, loginMethods: [ep(mail())] })).toEqual([
      `E031: A user with externalId ${externalUserId} already exists`,
    ]);
    expect(await refused({ externalUserId: id, loginMethods: [ep(mail())] })).toEqual([expect.stringMatching(/^E030: /)]);
    expect(await refused({ externalUserId, loginMethods: [method] })).toEqual([expect.stringMatching(/^E003: /)]);
  });

  test('more devices than a user may have', async () => {
    const externalUserId = fresh('ext');
    const totpDevices = (name: string) => Array.from({ length: 60 }, (_, at) => ({ secretKey: SECRET, deviceName: `${name}${at}` }));
    for (const { deviceName, secretKey } of totpDevices('a')) {
      await post('/recipe/totp/device/import', { userId: externalUserId, deviceName, secretKey, skew: 0, period: 30 });
    }
    const user = { externalUserId, loginMethods: [ep(mail())] };
    expect(await refused({ ...user, totpDevices: totpDevices('b') })).toEqual([expect.stringMatching(/^E036: /)]);
    await bring({ ...user, totpDevices: totpDevices('a') });
  });

  test('one of two who come at once', async () => {
    const user = { externalUserId: fresh('ext'), loginMethods: [ep(mail())] };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(user)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });
});
