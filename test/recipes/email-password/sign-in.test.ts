import { pbkdf2Sync } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { hashPassword } from '../../../src/crypto/passwords.ts';
import { hashFamily } from '../../../src/crypto/password-hashes.ts';
import { lastActive } from '../../../src/recipes/active-users/records.ts';
import { ActivityRecorder } from '../../../src/recipes/active-users/touch.ts';
import { loginMethods } from '../../../src/recipes/accounts/records.ts';
import type { Store } from '../../../src/store/store.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { asInternal } from '../../../src/recipes/accounts/ids.ts';
import { Calls, TWENTY } from './calls.ts';
import { appNumber } from '../../numbers.ts';

const WRONG = { status: 'WRONG_CREDENTIALS_ERROR' };
const WEAK = { algorithm: 'BCRYPT', rounds: 4 } as const;
const STRONGER = ['--password-rehash-on-sign-in', 'true', '--bcrypt-log-rounds', '5'];
/** More than a hash takes that nobody waits for, on a machine under load. */
const PATIENCE_MS = 20_000;
const ARGON2_FLAGS = ['--password-rehash-on-sign-in', 'true', '--password-hashing-alg', 'ARGON2', '--argon2-memory-kb', '64'];

const open = async (flags: readonly string[] = []): Promise<Calls> => new Calls(await openInProcessCore('5.4', flags));

async function hashOf(calls: Calls, userId: string): Promise<string> {
  const { app } = await calls.tenant();
  const method = await calls.core.services.store.read((reader) => reader.get(loginMethods, [app, asInternal(userId)]));
  return String(method?.passwordHash);
}

/** A user with a hash that was made elsewhere. */
async function userWith(calls: Calls, passwordHash: string): Promise<string> {
  const { user } = await calls.post('/recipe/user/passwordhash/import', { email: 'a@x', passwordHash });
  return (user as { readonly id: string }).id;
}

describe('who is in', () => {
  test('twins with one email in one group: the one that is in the tenant', async () => {
    const calls = await open();
    await calls.addTenant('t1');
    const [here, there] = [await calls.signUp('a@x', 'secret-1'), await calls.signUp('a@x', 'secret-2', '/t1')];
    await calls.link(here, there);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK', user: { id: here }, recipeUserId: here });
    expect(await calls.signIn('a@x', 'secret-2', { at: '/t1' })).toMatchObject({ status: 'OK', user: { id: here }, recipeUserId: there });
    expect(await calls.signIn('a@x', 'secret-2')).toEqual(WRONG);
    await calls.map(there, 'external');
    expect(await calls.signIn('a@x', 'secret-2', { at: '/t1' })).toMatchObject({ user: { id: here }, recipeUserId: 'external' });
  });

  test('a group lets nobody in where its email/password login is not', async () => {
    const calls = await open();
    await calls.addTenant('t1');
    const [here, there] = [await calls.signUp('a@x'), await calls.add({ recipe: 'passwordless', email: 'a@x' }, 't1')];
    await calls.link(here, there);
    expect(await calls.signIn('a@x', 'secret-1', { at: '/t1' })).toEqual(WRONG);
  });

  test('who is removed while the password is looked at leaves nothing', async () => {
    const calls = await open();
    const userId = await calls.signUp('a@x');
    const { app } = await calls.tenant();
    const { crypto, store } = calls.core.services;
    calls.core.clock.now += 600_000;
    const { verifyPassword } = crypto;
    const verifying = vi.spyOn(crypto, 'verifyPassword').mockImplementationOnce(async (...asked) => {
      expect(await calls.post('/user/remove', { userId })).toEqual({ status: 'OK' });
      return verifyPassword(...asked);
    });
    await calls.signIn('a@x', 'secret-1');
    verifying.mockRestore();
    expect(await store.read((reader) => reader.get(lastActive, [app, asInternal(userId)]))).toBeUndefined();
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
  });

  test('of twenty sign-ups at once, one is', async () => {
    const calls = await open();
    const answers = await Promise.all(TWENTY.map((at) => calls.post('/recipe/signup', { email: 'a@x', password: `secret-${at}` })));
    expect(answers.filter(({ status }) => status === 'OK')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'EMAIL_ALREADY_EXISTS_ERROR')).toHaveLength(19);
  });

  test.each(['2.7', '2.21', '3.0', '4.0', '5.3'])('at CDI %s it sees its own shape', async (cdi) => {
    const calls = await open();
    const made = await calls.post('/recipe/signup', { email: 'a@stfakeemail.supertokens.com', password: 'secret-1' }, { cdi });
    const entered = await calls.signIn('a@stfakeemail.supertokens.com', 'secret-1', { cdi });
    expect(entered).toEqual(made);
    const isNew = cdi >= '4.0';
    expect(Object.keys(made)).toEqual(isNew ? ['status', 'user', 'recipeUserId'] : ['status', 'user']);
    const user = Object(made['user']);
    if (isNew) expect(user.loginMethods[0].verified).toBe(true);
    expect('tenantIds' in user).toBe(cdi >= '3.0');
    expect('webauthn' in user).toBe(cdi >= '5.3');
  });
});

describe('hashing again', () => {
  test('is not done unless it is asked for', async () => {
    const calls = await open(['--bcrypt-log-rounds', '5']);
    const stored = await hashPassword('secret-1', WEAK);
    const userId = await userWith(calls, stored);
    const hashing = vi.spyOn(calls.core.services.crypto, 'hashPassword');
    await calls.signIn('a@x', 'secret-1');
    expect(hashing).not.toHaveBeenCalled();
    expect(await hashOf(calls, userId)).toBe(stored);
  });

  test('replaces a weaker hash once the password was right, in the lane of work nobody waits for', async () => {
    const calls = await open(STRONGER);
    const userId = await userWith(calls, await hashPassword('secret-1', WEAK));
    const hashing = vi.spyOn(calls.core.services.crypto, 'hashPassword');
    await calls.signIn('a@x', 'wrong');
    expect(hashing).not.toHaveBeenCalled();
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    expect(hashing).toHaveBeenCalledExactlyOnceWith('secret-1', { algorithm: 'BCRYPT', rounds: 5 }, { lane: 'import' });
    await vi.waitFor(async () => expect(await hashOf(calls, userId)).toMatch(/^\$2a\$05\$/), PATIENCE_MS);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    expect(hashing).toHaveBeenCalledOnce();
  });

  test('the answer does not wait for it, and does not mind its failing', async () => {
    const calls = await open(STRONGER);
    await userWith(calls, await hashPassword('secret-1', WEAK));
    const hashing = vi.spyOn(calls.core.services.crypto, 'hashPassword');
    hashing.mockReturnValueOnce(new Promise(() => {}));
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    const dropped = vi.spyOn(calls.core.services, 'dropped').mockReturnValue();
    const full = new Error('the lane is full');
    hashing.mockRejectedValueOnce(full);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    await vi.waitFor(() => expect(dropped).toHaveBeenCalledExactlyOnceWith(full, 'renewing a password hash failed'));
  });

  test('what of the activity of users cannot be kept is told of, and tried again', async () => {
    const faults: unknown[] = [];
    const calls = await open();
    const { store } = calls.core.services;
    const recorder = new ActivityRecorder(false, calls.core.services.statistics, (error) => faults.push(error));
    const away = new Error('away');
    const lost: Store = Object.assign(Object.create(store), { transact: () => Promise.reject(away) });
    await recorder.touch(lost, appNumber(1), 'u', 5);
    expect(faults).toEqual([away]);
    await recorder.touch(store, appNumber(1), 'u', 6);
    expect(await store.read((reader) => reader.get(lastActive, [appNumber(1), 'u']))).toEqual({ app: 1, userId: 'u', at: 6 });
  });

  test('keeps a password that was changed meanwhile', async () => {
    const calls = await open(STRONGER);
    const userId = await userWith(calls, await hashPassword('secret-1', WEAK));
    const { crypto } = calls.core.services;
    let finish = (): void => {};
    const original = crypto.hashPassword;
    const hashing = vi.spyOn(crypto, 'hashPassword').mockImplementationOnce(async (...given) => {
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return original(...given);
    });
    await calls.signIn('a@x', 'secret-1');
    await calls.core.call('PUT', '/recipe/user', { recipeUserId: userId, password: 'changed-1' });
    const changed = await hashOf(calls, userId);
    finish();
    await hashing.mock.results[0]?.value;
    // The transaction after the hash needs some turns more.
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await hashOf(calls, userId)).toBe(changed);
    expect(await calls.signIn('a@x', 'secret-1')).toEqual(WRONG);
  });

  test('turns bcrypt into argon2, but not what bcrypt may have cut', async () => {
    const calls = await open(ARGON2_FLAGS);
    const long = 'x'.repeat(72);
    const userId = await userWith(calls, await hashPassword(long, WEAK));
    const hashing = vi.spyOn(calls.core.services.crypto, 'hashPassword');
    expect(await calls.signIn('a@x', `${long}and more`)).toMatchObject({ status: 'OK' });
    expect(hashing).not.toHaveBeenCalled();
    await userWith(calls, await hashPassword('secret-1', WEAK));
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    await vi.waitFor(async () => expect(hashFamily(await hashOf(calls, userId))).toBe('argon2'), PATIENCE_MS);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
  });
});

describe('a hash of another system', () => {
  /** PBKDF2 with one round, of "secret-1": nothing that one could wait for. */
  const FOREIGN = `$pbkdf2-sha256$1$c2FsdA$${pbkdf2Sync('secret-1', 'salt', 1, 32, 'sha256').toString('base64')}`;

  async function openWithUser(flags: readonly string[] = []): Promise<{ readonly calls: Calls; readonly userId: string }> {
    const calls = await open(['--bcrypt-log-rounds', '4', ...flags]);
    const loginMethods = [{ recipeId: 'emailpassword', email: 'a@x', passwordHash: FOREIGN, hashingAlgorithm: 'pbkdf2' }];
    const { user } = await calls.post('/bulk-import/import', { loginMethods });
    return { calls, userId: (user as { readonly id: string }).id };
  }

  test('is hashed anew at the first sign-in, whatever is configured', async () => {
    const { calls, userId } = await openWithUser();
    expect(await hashOf(calls, userId)).toBe(FOREIGN);
    expect(await calls.signIn('a@x', 'secret-2')).toEqual(WRONG);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    await vi.waitFor(async () => expect(hashFamily(await hashOf(calls, userId))).toBe('bcrypt'), PATIENCE_MS);
    expect(await calls.signIn('a@x', 'secret-1')).toMatchObject({ status: 'OK' });
    expect(await calls.signIn('a@x', 'secret-2')).toEqual(WRONG);
  });

  test('costs what an unknown user costs besides', async () => {
    const { calls } = await openWithUser();
    const { crypto } = calls.core.services;
    const checked = vi.spyOn(crypto, 'verifyPassword');
    expect(await calls.signIn('a@x', 'secret-2')).toEqual(WRONG);
    const unknown = await crypto.unknownUserHash(WEAK);
    expect(checked.mock.calls.map(([, hash]) => hash)).toEqual([unknown, FOREIGN]);
    checked.mockClear();
    expect(await calls.signIn('nobody@x', 'secret-2')).toEqual(WRONG);
    expect(checked.mock.calls.map(([, hash]) => hash)).toEqual([unknown]);
  });

  test('is none for the import of one hash, which knows the kinds of the contract', async () => {
    const { calls } = await openWithUser();
    const send = (body: object) =>
      calls.core.call('POST', '/recipe/user/passwordhash/import', { email: 'b@x', passwordHash: FOREIGN, ...body });
    expect(await send({})).toMatchObject({ status: 400, body: { text: 'Password hash is in invalid format\n' } });
    const text = 'Unsupported password hashing algorithm\n';
    expect(await send({ hashingAlgorithm: 'pbkdf2' })).toMatchObject({ status: 400, body: { text } });
  });
});
