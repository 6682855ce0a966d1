import { type Route, route } from '../route.ts';
import { consumeRecoveryToken } from './consume-recovery-token.ts';
import { createRecoveryToken } from './create-recovery-token.ts';
import { getCredential } from './get-credential.ts';
import { getOptions } from './get-options.ts';
import { getRecovery } from './get-recovery.ts';
import { listCredentials } from './list-credentials.ts';
import { registerCredential } from './register-credential.ts';
import { registerOptions } from './register-options.ts';
import { removeCredential } from './remove-credential.ts';
import { removeOptions } from './remove-options.ts';
import { signIn } from './sign-in.ts';
import { signInOptions } from './sign-in-options.ts';
import { signUp } from './sign-up.ts';
import { updateEmail } from './update-email.ts';
import {
  asItIs,
  credentialsView,
  foundCredentialView,
  foundOptionsView,
  registeredView,
  registerOptionsView,
  signedUpView,
  signInOptionsView,
  userView,
} from './views.ts';

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/webauthn/options/register',
    scope: 'tenant',
    input: 'webauthn/register-options',
    summary: 'What a browser needs to make a passkey',
    silence: 'step',
    run: registerOptions,
    view: registerOptionsView,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/options/signin',
    scope: 'tenant',
    input: 'webauthn/sign-in-options',
    summary: 'What a browser needs to sign in with a passkey',
    silence: 'step',
    run: signInOptions,
    view: signInOptionsView,
  }),
  route({
    method: 'GET',
    path: '/recipe/webauthn/options',
    scope: 'tenant',
    input: 'webauthn/options-of-id',
    response: 'webauthn/get-options',
    summary: 'The options of an id',
    run: getOptions,
    view: foundOptionsView,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/webauthn/options/remove',
    scope: 'tenant',
    input: 'webauthn/options-of-id',
    response: 'webauthn/remove-options',
    summary: 'Remove options',
    silence: 'step',
    run: removeOptions,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/signup',
    scope: 'tenant',
    input: 'webauthn/sign-up',
    summary: 'Sign up with a new passkey',
    tells: ['user.created'],
    run: signUp,
    counts: (result) => (result.status === 'OK' ? 'signUps' : undefined),
    view: signedUpView,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/signin',
    scope: 'tenant',
    input: 'webauthn/sign-in',
    summary: 'Sign in with a passkey',
    silence: 'sign-in',
    run: signIn,
    tallies: 'passkey',
    counts: (result) => (result.status === 'OK' ? 'signIns' : 'signInFailures'),
    view: userView,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/user/credential/register',
    scope: 'tenant',
    input: 'webauthn/register-credential',
    summary: 'Give a login method another passkey',
    tells: ['passkey.registered'],
    run: registerCredential,
    view: registeredView,
  }),
  route({
    method: 'GET',
    path: '/recipe/webauthn/user/credential',
    scope: 'tenant',
    input: 'webauthn/credential-of-user',
    response: 'webauthn/get-credential',
    summary: 'A passkey of a login method',
    run: getCredential,
    view: foundCredentialView,
  }),
  route({
    method: 'GET',
    path: '/recipe/webauthn/user/credential/list',
    scope: 'tenant',
    input: 'webauthn/list-credentials',
    summary: 'The passkeys of a login method',
    run: listCredentials,
    view: credentialsView,
  }),
  route({
    method: 'DELETE',
    path: '/recipe/webauthn/user/credential/remove',
    scope: 'tenant',
    input: 'webauthn/credential-of-user',
    response: 'webauthn/remove-credential',
    summary: 'Remove a passkey of a login method',
    tells: ['passkey.removed'],
    run: removeCredential,
    view: asItIs,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/user/recover/token',
    scope: 'tenant',
    input: 'webauthn/create-recovery-token',
    summary: 'Make a token with which a user may register a passkey anew',
    tells: ['passkey.recovery-token-created'],
    run: createRecoveryToken,
    view: asItIs,
  }),
  route({
    method: 'GET',
    path: '/recipe/webauthn/user/recover',
    scope: 'tenant',
    input: 'webauthn/recovery-of-token',
    summary: 'Whose recovery token it is',
    run: getRecovery,
    view: userView,
  }),
  route({
    method: 'POST',
    path: '/recipe/webauthn/user/recover/token/consume',
    scope: 'tenant',
    input: 'webauthn/consume-recovery-token',
    summary: 'Use up a recovery token',
    tells: ['passkey.recovery-token-used'],
    run: consumeRecoveryToken,
    view: asItIs,
  }),
  route({
    method: 'PUT',
    path: '/recipe/webauthn/user/email',
    scope: 'tenant',
    input: 'webauthn/update-email',
    summary: 'Change the email of a login method with passkeys',
    tells: ['user.email-changed'],
    run: updateEmail,
    view: asItIs,
  }),
];
