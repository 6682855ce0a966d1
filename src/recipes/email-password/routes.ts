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
    since: '2.7',
    input: 'email-password/sign-up',
    response: 'email-password/sign-up',
    summary: 'Sign up with email and password',
    run: signUp,
    view: signedIn,
  }),
  route({
    method: 'POST',
    path: '/recipe/signin',
    scope: 'tenant',
    since: '2.7',
    input: 'email-password/sign-in',
    response: 'email-password/sign-in',
    summary: 'Sign in with email and password',
    run: signIn,
    view: signedIn,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset/token',
    scope: 'verb',
    since: '2.7',
    input: 'email-password/create-reset-token',
    response: 'email-password/create-reset-token',
    summary: 'Make a password reset token',
    run: createResetToken,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset/token/consume',
    scope: 'tenant',
    since: '4.0',
    input: 'email-password/consume-reset-token',
    response: 'email-password/consume-reset-token',
    summary: 'Consume a password reset token',
    run: consumeResetToken,
    view: reset,
  }),
  route({
    method: 'POST',
    path: '/recipe/user/password/reset',
    scope: 'tenant',
    since: '2.7',
    input: 'email-password/reset-password',
    response: 'email-password/reset-password',
    summary: 'Consume a password reset token and set the password (deprecated)',
    early: checkResetPassword,
    run: resetPassword,
    view: resetByOneCall,
  }),
  route({
    method: 'GET',
    path: '/recipe/user',
    rid: 'emailpassword',
    scope: 'verb',
    since: '2.7',
    input: 'email-password/get-user',
    response: 'email-password/get-user',
    summary: 'A user by id or email (deprecated)',
    early: checkGetUser,
    run: getUser,
    view: foundUser,
  }),
  route({
    method: 'PUT',
    path: '/recipe/user',
    rid: 'emailpassword',
    scope: 'app',
    since: '2.8',
    input: 'email-password/update-user',
    response: 'email-password/update-user',
    summary: 'Change the email or password of an email/password login',
    early: checkUpdateUser,
    run: updateUser,
    view: (result) => ({ json: { ...result } }),
  }),
  route({
    method: 'POST',
    path: '/recipe/user/passwordhash/import',
    scope: 'tenant',
    since: '2.16',
    input: 'email-password/import-password-hash',
    response: 'email-password/import-password-hash',
    summary: 'Make a user of an email and a password hash, or replace the hash',
    early: checkImportPasswordHash,
    run: importPasswordHash,
    view: importedUser,
  }),
];
