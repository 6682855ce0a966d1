import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { signedInView, userView } from '../users/views.ts';
import { checkGetUser, getUser } from './get-user.ts';
import { checkSignInUp, signInUp } from './sign-in-up.ts';
import { usersByEmail } from './users-by-email.ts';

/** Why somebody is not let in. SDKs compare the first text, and hand others on. */
const REASONS = { 'email-taken': 'Email already associated with another primary user.', disabled: 'This user is disabled.' } as const;

export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/recipe/signinup',
    scope: 'tenant',
    input: 'third-party/sign-in-up',
    summary: 'Sign in with an account at a third party, signing up at the first time',
    tells: ['user.created', 'user.email-changed', 'email.verified'],
    silence: 'sign-in',
    early: checkSignInUp,
    run: signInUp,
    tallies: 'third-party',
    counts: (result) => (result.status !== 'OK' ? 'signInFailures' : result.createdNewUser ? 'signUps' : 'signIns'),
    view: (result, { traits }) => ({
      json:
        result.status === 'OK'
          ? { status: 'OK', createdNewUser: result.createdNewUser, ...signedInView(result, traits) }
          : { status: result.status, reason: REASONS[result.cause] },
    }),
  }),
  route({
    method: 'GET',
    path: '/recipe/users/by-email',
    scope: 'tenant',
    input: 'third-party/users-by-email',
    summary: 'Users who have a third-party login with an email',
    run: usersByEmail,
    view: (users, { traits }) => ({ json: { status: 'OK', users: users.map((user) => userView(user, traits)) } }),
  }),
  route({
    method: 'GET',
    path: '/recipe/user',
    rid: 'thirdparty',
    scope: 'verb',
    input: 'third-party/get-user',
    summary: 'A user by the id of a third-party login, or by the account there',
    early: checkGetUser,
    run: getUser,
    view: (result, { traits }) => ({
      json: result.status === 'OK' ? { status: 'OK', user: userView(result.user, traits) } : { status: result.status },
    }),
  }),
];
