import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { getUser } from './get-user.ts';
import { checkAccountInfoQuery, usersByAccountInfo } from './users-by-account-info.ts';
import { fullUserView } from './views.ts';

export const USER_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user/id',
    scope: 'app-existing-first',
    since: '4.0',
    input: 'users/get-user',
    response: 'users/get-user',
    summary: 'The user of an id',
    run: getUser,
    view: (user, { traits }) => ({
      json: user ? { status: 'OK', user: fullUserView(user, traits.webauthnInUsers) } : { status: 'UNKNOWN_USER_ID_ERROR' },
    }),
  }),
  route({
    method: 'GET',
    path: '/users/by-accountinfo',
    scope: 'tenant',
    since: '4.0',
    input: 'users/users-by-account-info',
    response: 'users/users-by-account-info',
    summary: 'Users with an email, phone number or third-party account',
    early: checkAccountInfoQuery,
    run: usersByAccountInfo,
    view: (users, { traits }) => ({ json: { status: 'OK', users: users.map((user) => fullUserView(user, traits.webauthnInUsers)) } }),
  }),
];
