import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator } from '../../software-authenticator.ts';
import { PasskeyCalls } from './calls.ts';

const open = async (): Promise<PasskeyCalls> => new PasskeyCalls(await openInProcessCore('5.4'));

const NOT_FOUND = { status: 'CREDENTIAL_NOT_FOUND_ERROR' };

describe('a further passkey', () => {
  test('is told with the email of the options, and signs in', async () => {
    const calls = await open();
    const { recipeUserId, key } = await calls.join();
    const second = new SoftwareAuthenticator({ algorithm: -8 });
    const asked = await calls.registerOptions({ email: 'b@x' });
    expect(await calls.register(recipeUserId, asked, second.create(asked))).toEqual({
      status: 'OK',
      webauthnCredentialId: second.id,
      recipeUserId,
      email: 'b@x',
      relyingPartyId: 'example.com',
      relyingPartyName: 'Example',
    });
    for (const each of [key, second])
      expect(await calls.enter(each)).toMatchObject({ recipeUserId, user: { webauthn: { credentialIds: [key.id, second.id] } } });
  });

  test('goes to whom the id names itself, internal or external', async () => {
    const calls = await open();
    const { core } = calls;
    const { recipeUserId } = await calls.join();
    await core.call('POST', '/recipe/userid/map', { superTokensUserId: recipeUserId, externalUserId: 'outer' });
    const asked = await calls.registerOptions();
    expect(await calls.register('outer', asked, new SoftwareAuthenticator().create(asked))).toMatchObject({ recipeUserId: 'outer' });
    const other = await core.call('POST', '/recipe/signup', { email: 'a@x', password: 'a password' });
    for (const id of ['none', String(other.body['recipeUserId'])])
      expect(await calls.register(id, asked, new SoftwareAuthenticator().create(asked))).toEqual({ status: 'UNKNOWN_USER_ID_ERROR' });
    expect((await calls.get('/user/credential/list', { recipeUserId: 'outer' }))['credentials']).toHaveLength(2);
  });

  test('is not taken twice by one relying party, not even by its owner', async () => {
    const calls = await open();
    const { recipeUserId, key } = await calls.join();
    const other = await calls.join('b@x');
    const asked = await calls.registerOptions();
    for (const id of [recipeUserId, other.recipeUserId])
      expect(await calls.register(id, asked, key.create(asked))).toEqual({ status: 'CREDENTIAL_ALREADY_EXISTS_ERROR' });
    const elsewhere = await calls.registerOptions({ relyingPartyId: 'b.com', origin: 'https://b.com' });
    const twist = { relyingPartyId: 'b.com', clientData: { origin: 'https://b.com' } };
    expect((await calls.register(other.recipeUserId, elsewhere, key.create(elsewhere, twist))).status).toBe('OK');
  });

  test('needs options of the tenant, also those of signing in', async () => {
    const calls = await open();
    await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', { tenantId: 't1' });
    const { recipeUserId } = await calls.join();
    const key = new SoftwareAuthenticator();
    const there = await calls.registerOptions({}, { tenant: '/t1' });
    expect(await calls.register(recipeUserId, there, key.create(there))).toEqual({ status: 'OPTIONS_NOT_FOUND_ERROR' });
    const entering = await calls.signInOptions();
    const answer = await calls.register(recipeUserId, entering, key.create(entering));
    expect(answer.status).toBe('OK');
    expect(answer).not.toHaveProperty('email');
    calls.core.clock.now += 60_001;
    expect(await calls.register(recipeUserId, entering, key.create(entering))).toMatchObject({ reason: 'Options expired' });
  });

  test('is one of a bounded number', async () => {
    const calls = await open();
    const { recipeUserId } = await calls.join();
    const asked = await calls.registerOptions();
    const key = new SoftwareAuthenticator();
    const register = (at: number) => {
      const id = Buffer.from(`credential ${String(at).padStart(4, '0')}`).toString('base64url');
      return calls.register(recipeUserId, asked, { ...key.create(asked), id });
    };
    for (let at = 1; at < LIMITS.credentialsOfMethod; at++) expect((await register(at)).status).toBe('OK');
    expect(await register(0)).toEqual({ status: '400', text: `A login method can have at most ${LIMITS.credentialsOfMethod} passkeys\n` });
    expect((await calls.get('/user/credential/list', { recipeUserId }))['credentials']).toHaveLength(LIMITS.credentialsOfMethod);
  });
});

describe('the passkeys of a user', () => {
  test('are shown, listed and removed by their owner, down to none', async () => {
    const calls = await open();
    const { recipeUserId, key } = await calls.join();
    const other = await calls.join('b@x');
    const { now } = calls.core.clock;
    const query = { recipeUserId, webauthnCredentialId: key.id };
    const shown = { webauthnCredentialId: key.id, recipeUserId, relyingPartyId: 'example.com', createdAt: now };
    expect(await calls.get('/user/credential', query)).toEqual({ status: 'OK', ...shown, updatedAt: now });
    expect(await calls.get('/user/credential/list', { recipeUserId })).toEqual({ status: 'OK', credentials: [shown] });
    const foreign = { recipeUserId: other.recipeUserId, webauthnCredentialId: key.id };
    for (const wrong of [foreign, { ...query, recipeUserId: 'none' }, { ...query, webauthnCredentialId: `${key.id}=` }]) {
      expect(await calls.get('/user/credential', wrong)).toEqual(NOT_FOUND);
      expect(await calls.delete('/user/credential/remove', wrong)).toEqual(NOT_FOUND);
    }
    expect(await calls.delete('/user/credential/remove', query)).toEqual({ status: 'OK' });
    expect(await calls.delete('/user/credential/remove', query)).toEqual(NOT_FOUND);
    expect(await calls.get('/user/credential/list', { recipeUserId })).toEqual({ status: 'OK', credentials: [] });
    expect(await calls.get('/user/credential/list', { recipeUserId: 'none' })).toEqual({ status: 'OK', credentials: [] });
    expect(await calls.enter(key)).toEqual(NOT_FOUND);
    expect(await calls.userOf(recipeUserId)).toMatchObject({
      webauthn: { credentialIds: [] },
      loginMethods: [{ webauthn: { credentialIds: [] } }],
    });
  });

  test('are listed oldest first', async () => {
    const calls = await open();
    const { recipeUserId, key } = await calls.join();
    const keys = [key.id];
    for (let at = 0; at < 3; at++) {
      calls.core.clock.now += 10;
      const asked = await calls.registerOptions();
      const more = new SoftwareAuthenticator();
      await calls.register(recipeUserId, asked, more.create(asked));
      keys.push(more.id);
    }
    const { credentials } = await calls.get('/user/credential/list', { recipeUserId });
    expect((credentials as { webauthnCredentialId: string }[]).map((each) => each.webauthnCredentialId)).toEqual(keys);
    expect((await calls.userOf(recipeUserId))?.['webauthn']).toEqual({ credentialIds: keys });
  });
});
