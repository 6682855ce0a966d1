import type { Context } from '../context.ts';
import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import { signedInView, userView } from '../users/views.ts';
import { type ConsumeResetTokenResult, consumeResetToken } from './consume-reset-token.ts';
import { createResetToken } from './create-reset-token.ts';
import { checkGetUser, type GetUserResult, getUser } from './get-user.ts';
import { checkImportPasswordHash, type ImportPasswordHashResult, importPasswordHash } from './import-password-hash.ts';
import { checkResetPassword, type ResetPasswordResult, resetPassword } from './reset-password.ts';
import { type SignInResult, signIn } from './sign-in.ts';
import { type SignUpResult, signUp } from './sign-up.ts';
import { checkUpdateUser, updateUser } from './update-user.ts';

const signedIn = (result: SignUpResult | SignInResult, { traits }: Context): Answer =>
  result.status === 'OK' ? { json: { status: 'OK', ...signedInView(result, traits) } } : { json: { ...result } };

const reset = (result: ConsumeResetTokenResult | ResetPasswordResult): Answer => ({ json: { ...result } });

const resetByOneCall = (result: ResetPasswordResult, { traits }: Context): Answer =>
  traits.resetTellsUser ? reset(result) : { json: { status: result.status } };

const foundUser = (result: GetUserResult, { traits }: Context): Answer =>
  result.status === 'OK' ? { json: { status: 'OK', user: userView(result.user, traits) } } : { json: { ...result } };

const importedUser = ({ user, didUserAlreadyExist }: ImportPasswordHashResult, { traits }: Context): Answer => ({
  json: { status: 'OK', user: userView(user, traits), didUserAlreadyExist },
});

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/signup',
    scope: 'tenant',
    input: 'email-password/sign-up',
    summary: 'Sign up with email and password',
    tells: ['user.created'],
    run: signUp,
    counts: ({ status }) => (status === 'OK' ? 'signUps' : undefined),
    view: signedIn,
  }),
  route({
    method: 'POST',
    path: '/recipe/signin',
    scope: 'tenant',
    input: 'email-password/sign-in',
    summary: 'Sign in with email and password',
    tells: ['sign-in.blocked'],
    silence: 'sign-in',
    run: signIn,
    tallies: 'password',
    counts: ({ status }) => (status === 'OK' ? 'signIns' : 'signInFailures'),
    view: signedIn,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset/token',
    scope: 'verb',
    input: 'email-password/create-reset-token',
    summary: 'Make a password reset token',
    tells: ['password.reset-token-created'],
    run: createResetToken,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset/token/consume',
    scope: 'tenant',
    input: 'email-password/consume-reset-token',
    summary: 'Consume a password reset token',
    tells: ['password.reset-token-used'],
    run: consumeResetToken,
    view: reset,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset',
    scope: 'tenant',
    input: 'email-password/reset-password',
    summary: 'Consume a password reset token and set the password',
    isDeprecated: true,
    tells: ['password.reset-token-used', 'password.changed'],
    early: checkResetPassword,
    run: resetPassword,
    view: resetByOneCall,
  }),
  route({
    method: 'GET',
    path: '/recipe/user',
    rid: 'emailpassword',
    scope: 'verb',
    input: 'email-password/get-user',
    summary: 'A user by id or email',
    isDeprecated: true,
    early: checkGetUser,
    run: getUser,
    view: foundUser,
  }),
  route({
    method: 'PUT',
    path: '/recipe/user',
    rid: 'emailpassword',
    scope: 'app',
    input: 'email-password/update-user',
    summary: 'Change the email or password of an email/password login',
    tells: ['user.email-changed', 'password.changed'],
    early: checkUpdateUser,
    run: updateUser,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/passwordhash/import',
    scope: 'tenant',
    input: 'email-password/import-password-hash',
    summary: 'Make a user of an email and a password hash, or replace the hash',
    tells: ['user.created', 'password.changed'],
    early: checkImportPasswordHash,
    run: importPasswordHash,
    view: importedUser,
  }),
];
