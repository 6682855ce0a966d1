import type { Answer, Route } from '../route.ts';
import { route } from '../route.ts';
import type { Context } from '../context.ts';
import { signedInView } from '../users/views.ts';
import { type SignInResult, signIn } from './sign-in.ts';
import { type SignUpResult, signUp } from './sign-up.ts';

function userAnswer(result: SignUpResult | SignInResult, { traits }: Context): Answer {
  if (result.status !== 'OK') return { json: { status: result.status } };
  return { json: { status: 'OK', ...signedInView(result, traits) } };
}

export const EMAIL_PASSWORD_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/signup',
    scope: 'tenant',
    since: '2.7',
    input: 'email-password/sign-up',
    response: 'email-password/sign-up',
    summary: 'Sign up with email and password',
    run: signUp,
    view: userAnswer,
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
    view: userAnswer,
  }),
];
