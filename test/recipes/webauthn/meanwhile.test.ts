import { expect, test, vi } from 'vitest';
import { openInProcessCore } from '../../in-process-core.ts';
import { SoftwareAuthenticator } from '../../software-authenticator.ts';
import { type Member, type Options, PasskeyCalls } from './calls.ts';

/** What happens while a signature is checked, and what the sign-in answers then. */
const EVENTS: readonly (readonly [string, string, (calls: PasskeyCalls, member: Member, asked: Options) => Promise<unknown>])[] = [
  [
    'the options are removed',
    'OPTIONS_NOT_FOUND_ERROR',
    (calls, _, { webauthnGeneratedOptionsId }) => calls.delete('/options/remove', { webauthnGeneratedOptionsId }),
  ],
  [
    'the passkey is removed',
    'CREDENTIAL_NOT_FOUND_ERROR',
    (calls, { recipeUserId, key }) => calls.delete('/user/credential/remove', { recipeUserId, webauthnCredentialId: key.id }),
  ],
  [
    'another passkey comes under its id',
    'CREDENTIAL_NOT_FOUND_ERROR',
    async (calls, { recipeUserId, key }) => {
      await calls.delete('/user/credential/remove', { recipeUserId, webauthnCredentialId: key.id });
      const asked = await calls.registerOptions();
      const other = new SoftwareAuthenticator({ credentialId: key.credentialId });
      return calls.register(recipeUserId, asked, other.create(asked));
    },
  ],
  [
    'the user leaves the tenant',
    'CREDENTIAL_NOT_FOUND_ERROR',
    ({ core }, { recipeUserId }) => core.call('POST', '/recipe/multitenancy/tenant/user/remove', { recipeUserId }),
  ],
  [
    'the user is removed',
    'CREDENTIAL_NOT_FOUND_ERROR',
    ({ core }, { recipeUserId: userId }) => core.call('POST', '/user/remove', { userId }),
  ],
  [
    'the user is disabled',
    'INVALID_CREDENTIALS_ERROR',
    ({ core }, { recipeUserId: userId }) => core.call('POST', '/manage/v1/user/disable', { userId }),
  ],
  ['the passkey is used', 'INVALID_AUTHENTICATOR_ERROR', (calls, { key }) => calls.enter(key, { twist: { counter: 100 } })],
  ['nothing happens', 'OK', () => Promise.resolve()],
];

test.each(EVENTS)('while a signature is checked, %s: %s', async (_, expected, happen) => {
  const calls = new PasskeyCalls(await openInProcessCore('5.4'));
  const { crypto } = calls.core.services;
  const member = await calls.join();
  const asked = await calls.signInOptions();
  const answer = member.key.get(asked, { counter: 100 });
  const { verifySignature } = crypto;
  vi.spyOn(crypto, 'verifySignature').mockImplementationOnce(async (...check) => {
    await happen(calls, member, asked);
    return verifySignature(...check);
  });
  expect((await calls.signIn(asked, answer)).status).toBe(expected);
});
