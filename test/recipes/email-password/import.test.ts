import { beforeEach, describe, expect, test, vi } from 'vitest';
import { loginMethods } from '../../../src/recipes/accounts/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { Calls, TWENTY } from './calls.ts';

const PATH = '/recipe/user/passwordhash/import';
const BCRYPT = '$2a$10$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm';
const ARGON2 = '$argon2id$v=19$m=16,t=2,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A';
const SIGNER_KEY = 'gRhC3eDeQOdyEn4bMd9c6kxguWVmcIVq/SKa0JDPFeM6TcEevkaW56sIWfx88OHbJKnCXdWscZx0l2WbCJ1wbg==';
const FIREBASE =
  '$f_scrypt$qZM035es5AXYqavsKD6/rhtxg7t5PhcyRgv5blc3doYbChX8keMfQLq1ra96O2Pf2TP/eZrR5xtPCYN6mX3ESA==$/cj0jC1br5o4+w==$m=14$r=8$s=Bw==';
const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };

let calls: Calls;
beforeEach(async () => {
  calls = new Calls(await openInProcessCore('5.4'));
});

const send = (body: object, at = '', cdi = '5.4') => calls.core.call('POST', `${at}${PATH}`, body, { cdi });
const importHash = async (email: string, passwordHash: string, hashingAlgorithm?: string, at = '') =>
  (await send({ email, passwordHash, ...(hashingAlgorithm === undefined ? {} : { hashingAlgorithm }) }, at)).body;
const bad = (text: string, status = 400) => ({ status, body: { text: `${text}\n` } });
const NO_KEY = bad("'firebase_password_hashing_signer_key' cannot be null", 500);

describe('a new user', () => {
  test.each([
    ['bcrypt', BCRYPT],
    [' BCrypt ', ` ${BCRYPT}\n`],
    [undefined, BCRYPT.replace('$2a', '$2y')],
    ['argon2', ARGON2],
    [undefined, ARGON2],
  ])('signs in with a hash of %s', async (algorithm, hash) => {
    const made = await importHash(' New@x ', hash, algorithm);
    expect(made).toEqual({ status: 'OK', user: expect.objectContaining({ emails: ['new@x'] }), didUserAlreadyExist: false });
    expect(await calls.signIn('new@x', 'testPass123')).toMatchObject({ status: 'OK', user: made['user'] });
    expect(await calls.signIn('new@x', 'testPass124')).toEqual(WRONG);
  });

  test('is shown as its CDI version wants, never with recipeUserId', async () => {
    const shown = async (cdi: string) => (await send({ email: `u${cdi}@x`, passwordHash: BCRYPT }, '', cdi)).body;
    const old = { id: expect.any(String), email: 'u2.16@x', timeJoined: expect.any(Number) };
    expect(await shown('2.16')).toEqual({ status: 'OK', user: old, didUserAlreadyExist: false });
    expect(Object.keys(await shown('5.4'))).toEqual(['status', 'user', 'didUserAlreadyExist']);
  });

  test('is not verified, not active, whatever its email', async () => {
    const made = await importHash('a@stfakeemail.supertokens.com', BCRYPT);
    expect(made).toMatchObject({ user: { loginMethods: [{ verified: false }] } });
  });

  test('of twenty at once, all find one user', async () => {
    const answers = await Promise.all(TWENTY.map(() => importHash('a@x', BCRYPT)));
    expect(new Set(answers.map(({ user }) => (user as { readonly id: string }).id)).size).toBe(1);
    expect(answers.filter(({ didUserAlreadyExist }) => didUserAlreadyExist === false)).toHaveLength(1);
  });
});

describe('a known user', () => {
  test('has its hash replaced, and nothing else', async () => {
    const [first, second] = [await calls.signUp('a@x'), await calls.signUp('b@x')];
    await calls.link(first, second);
    const { status, user, didUserAlreadyExist } = await importHash('B@x', BCRYPT);
    expect({ status, didUserAlreadyExist }).toEqual({ status: 'OK', didUserAlreadyExist: true });
    expect(user).toMatchObject({ id: first, emails: expect.arrayContaining(['a@x', 'b@x']) });
    expect(await calls.signIn('b@x', 'testPass123')).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('b@x', 'secret-1')).toEqual(WRONG);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });

  test('is one who has the email in this tenant', async () => {
    await calls.addTenant('t1');
    const userId = await calls.signUp('a@x');
    const made = await importHash('a@x', BCRYPT, undefined, '/t1');
    expect(made).toMatchObject({ didUserAlreadyExist: false, user: { tenantIds: ['t1'] } });
    expect(made['user']).not.toMatchObject({ id: userId });
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });
});

describe('hashes of firebase', () => {
  test('need the signer key, at import and at sign-in', async () => {
    for (const hashingAlgorithm of ['firebase_scrypt', undefined]) {
      expect(await send({ email: 'a@x', passwordHash: FIREBASE, ...(hashingAlgorithm && { hashingAlgorithm }) })).toEqual(NO_KEY);
    }
    // The key is asked for before the format, where the algorithm is named.
    expect(await send({ email: 'a@x', passwordHash: 'nonsense', hashingAlgorithm: 'FIREBASE_SCRYPT' })).toEqual(NO_KEY);
    await keepHash(calls, 'a@x', FIREBASE);
    expect(await calls.core.call('POST', '/recipe/signin', { email: 'a@x', password: 'testPass123' })).toEqual(NO_KEY);
  });

  test('are verified with the key of their app', async () => {
    const keyed = new Calls(await openInProcessCore('5.4', { FIREBASE_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY }));
    for (const algorithm of ['FIREBASE_SCRYPT', undefined]) {
      const email = `${algorithm}@x`;
      await keyed.post(PATH, { email, passwordHash: FIREBASE, ...(algorithm && { hashingAlgorithm: algorithm }) });
      expect(await keyed.signIn(email, 'testPass123')).toMatchObject({ status: 'OK' });
      expect(await keyed.signIn(email, 'testPass124')).toEqual(WRONG);
    }
    for (const passwordHash of [BCRYPT, FIREBASE.replace('$m=14', ''), FIREBASE.replace('m=14', 'm=99999999999')]) {
      expect(await keyed.core.call('POST', PATH, { email: 'a@x', passwordHash, hashingAlgorithm: 'FIREBASE_SCRYPT' })).toEqual(
        bad('Password hash is in invalid Firebase SCrypt format'),
      );
    }
  });
});

/** Puts a hash where an import would, whatever it is. */
async function keepHash(to: Calls, email: string, passwordHash: string): Promise<void> {
  const userId = await to.signUp(email);
  const { app } = await to.tenant();
  await to.transact(async (tx) => {
    const method = await tx.get(loginMethods, [app, asInternal(userId)]);
    if (method) await tx.put(loginMethods, { ...method, passwordHash });
  });
}

describe('hashes that cannot be verified', () => {
  const COSTLY = [
    '$2a$31$GzEm3vKoAqnJCTWesRARCe/ovjt/07qjvcH9jbLUg44Fn77gMZkmm',
    '$argon2id$v=19$m=4194304,t=1000,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A',
    '$argon2id$v=19$m=16,t=999999999,p=1$VG1Oa1lMbzZLbzk5azQ2Qg$kjcNNtZ/b0t/8HgXUiQ76A',
    FIREBASE.replace('m=14$r=8', 'm=1$r=2097151'),
    FIREBASE.replace('m=14', 'm=30'),
  ];
  const keyed = async (): Promise<Calls> => new Calls(await openInProcessCore('5.4', { FIREBASE_PASSWORD_HASHING_SIGNER_KEY: SIGNER_KEY }));

  test.each(COSTLY)('%s is refused', async (passwordHash) => {
    const { core } = await keyed();
    const text = 'Password hash costs too much to be verified';
    expect(await core.call('POST', PATH, { email: 'a@x', passwordHash })).toEqual(bad(text));
    const hashingAlgorithm = passwordHash.startsWith('$2') ? 'bcrypt' : passwordHash.startsWith('$a') ? 'argon2' : 'firebase_scrypt';
    const user = { loginMethods: [{ recipeId: 'emailpassword', email: 'a@x.co', passwordHash, hashingAlgorithm }] };
    const imported = await core.call('POST', '/bulk-import/import', user);
    expect(imported).toMatchObject({ status: 400, body: { text: expect.stringContaining(text) as string } });
    expect((await core.call('POST', '/bulk-import/users', { users: [user] })).body['text']).toContain(text);
  });

  test('so is what is longer than any', async () => {
    expect(await send({ email: 'a@x', passwordHash: BCRYPT.padEnd(257, 'x') })).toEqual(
      bad('passwordHash is too long. Max length is 256.'),
    );
  });

  test.each(['$2aZZ', ...COSTLY])('%s, however it came to be kept, fails at once at every sign-in', async (hash) => {
    calls = await keyed();
    await keepHash(calls, 'a@x', hash);
    const checking = vi.spyOn(calls.core.services.crypto, 'verifyPassword');
    expect(await calls.signIn('a@x', 'testPass123')).toEqual(WRONG);
    // In its place stands a hash of the usual cost, so that nobody pays for what it asks, or learns that it is there.
    expect(checking.mock.calls.map(([, checked]) => checked)).toEqual([expect.stringMatching(/^\$2a\$04\$.{53}$/)]);
  });
});

test.each([
  [{}, "Field name 'email' is invalid in JSON input"],
  [{ email: 'a@x' }, "Field name 'passwordHash' is invalid in JSON input"],
  [{ email: 'a@x', passwordHash: ' \t' }, 'Password hash cannot be an empty string'],
  [{ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: null }, "Field name 'hashingAlgorithm' is invalid in JSON input"],
  [{ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: ' ' }, 'Hashing Algorithm cannot be an empty string'],
  [{ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: 'md5' }, 'Unsupported password hashing algorithm'],
  [{ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: 'toString' }, 'Unsupported password hashing algorithm'],
  [{ email: 'a@x', passwordHash: 'nonsense' }, 'Password hash is in invalid format'],
  [{ email: 'a@x', passwordHash: ARGON2, hashingAlgorithm: 'BCRYPT' }, 'Password hash is in invalid BCrypt format'],
  [{ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: 'ARGON2' }, 'Password hash is in invalid Argon2 format'],
])('%j is refused', async (body, text) => {
  expect(await send(body)).toEqual(bad(text));
});

test('tenant and recipe come before the format', async () => {
  await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 'other', firstFactors: ['thirdparty'] });
  expect(await send({ email: 'a@x', passwordHash: 'nonsense' }, '/other', '4.0')).toEqual(
    bad('Email password login not enabled for tenant', 403),
  );
  expect((await send({ email: 'a@x', passwordHash: 'nonsense' }, '/none')).body['text']).toMatch(/^AppId or tenantId not found => /);
  expect(await send({ email: 'a@x', passwordHash: BCRYPT, hashingAlgorithm: 'md5' }, '/none')).toEqual(
    bad('Unsupported password hashing algorithm'),
  );
});
