import { describe, expect, test } from 'vitest';
import { LIMITS } from '../../../src/config/limits.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { cbor, KINDS, SoftwareAuthenticator } from '../../software-authenticator.ts';
import { checkedCall } from '../checked-answers.ts';
import { PasskeyCalls } from '../webauthn/calls.ts';

const open = async (): Promise<PasskeyCalls> => new PasskeyCalls(await openInProcessCore('5.4'));

function publicKey(): string {
  const kind = KINDS['-7'];
  return cbor(kind?.coseOf(kind.make().publicKey.export({ format: 'jwk' }))).toString('base64url');
}

const passkey = (more: object = {}) => ({ id: 'Zmlyc3Q', relyingPartyId: 'example.com', publicKey: publicKey(), ...more });
const method = (credentials: unknown, more: object = {}) => ({ recipeId: 'webauthn', email: 'A@x', credentials, ...more });

const bring = ({ core }: PasskeyCalls, ...loginMethods: readonly object[]) =>
  checkedCall(core, 'POST', '/bulk-import/import', { loginMethods });
async function errorsOf(calls: PasskeyCalls, loginMethod: object): Promise<readonly string[]> {
  const { status, body } = await bring(calls, loginMethod);
  expect(status).toBe(400);
  return JSON.parse(String(body['text'])).errors;
}

describe('an import of passkeys', () => {
  test('makes a login method that shows and lists them', async () => {
    const calls = await open();
    const { body } = await bring(calls, method([passkey(), passkey({ id: 'c2Vjb25k', counter: 9, createdAt: 5, updatedAt: 6 })]));
    const user = body['user'] as { readonly id: string };
    expect(user).toMatchObject({ emails: ['a@x'], webauthn: { credentialIds: ['Zmlyc3Q', 'c2Vjb25k'] } });
    const query = { recipeUserId: user.id, webauthnCredentialId: 'c2Vjb25k' };
    expect(await calls.get('/user/credential', query)).toMatchObject({ status: 'OK', createdAt: 5, updatedAt: 6 });
  });

  test('lets their owners sign in, after a removal too, and whoever has the email or the passkey is in the way', async () => {
    const calls = await open();
    const key = new SoftwareAuthenticator();
    const { recipeUserId } = await calls.join('a@x', key);
    const { body } = await calls.core.call('GET', `/manage/v1/user?userId=${recipeUserId}`);
    expect(body['passkeys']).toHaveLength(1);
    const taken = await errorsOf(calls, method([passkey()]));
    expect(taken).toEqual(['E071: A user with email a@x already exists in webauthn loginMethod.']);
    const owned = await errorsOf(calls, method([passkey({ id: key.id })], { email: 'b@x' }));
    expect(owned).toEqual(['E072: a passkey of the user is registered already']);
    const twice = await errorsOf(calls, method([passkey(), passkey()], { email: 'b@x' }));
    expect(twice).toEqual(['E072: a passkey of the user is registered already']);
    expect((await bring(calls, method([passkey(), passkey({ relyingPartyId: 'other.com' })], { email: 'b@x' }))).status).toBe(200);
  });

  test.each([
    [{ id: undefined }, 'id is required for a credential.'],
    [{ id: 'a+b' }, 'id should be base64url of at most 1364 characters for a credential.'],
    [{ id: 'A'.repeat(1365) }, 'id should be base64url of at most 1364 characters for a credential.'],
    [{ relyingPartyId: 'x'.repeat(257) }, 'relyingPartyId is too long for a credential. Max length is 256.'],
    [{ publicKey: 'AAAA' }, 'publicKey should be a COSE key in base64url for a credential.'],
    [{ counter: -1 }, 'counter should be between 0 and 4294967295 for a credential.'],
    [{ counter: 2 ** 32 }, 'counter should be between 0 and 4294967295 for a credential.'],
    [{ aaguid: 'x' }, 'aaguid should be a UUID in lower case for a credential.'],
    [{ createdAt: 7, updatedAt: 6 }, 'createdAt should not be after updatedAt for a credential.'],
    [{ transports: ['usb', 1] }, 'transports should be of type array of string for a credential.'],
    [{ isBackedUp: 1 }, 'isBackedUp should be of type boolean for a credential.'],
  ])('refuses %j', async (more, error) => {
    expect(await errorsOf(await open(), method([passkey(more)]))).toEqual([error]);
  });

  test('needs an email and a bounded list', async () => {
    const calls = await open();
    expect(await errorsOf(calls, method([], { email: undefined }))).toEqual(['email is required for a webauthn recipe.']);
    expect(await errorsOf(calls, method('x'))).toEqual(['credentials should be of type array of object for a webauthn recipe.']);
    const many = Array.from({ length: LIMITS.credentialsOfMethod + 1 }, () => ({}));
    expect(await errorsOf(calls, method(many))).toEqual([`A loginMethod can have at most ${LIMITS.credentialsOfMethod} credentials.`]);
  });
});
