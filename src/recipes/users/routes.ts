import type { Route } from '../route.ts';
import { route } from '../route.ts';
import { countActiveUsers } from './count-active-users.ts';
import { countUsers } from './count-users.ts';
import { getUser } from './get-user.ts';
import { listUsers } from './list-users.ts';
import { checkRecipeIds } from './recipe-filter.ts';
import { removeUser } from './remove-user.ts';
import { TAG_NAMES } from './search-tags.ts';
import { checkAccountInfoQuery, usersByAccountInfo } from './users-by-account-info.ts';
import { fullUserView, isShown, listedUserView } from './views.ts';

export const ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: '/user/id',
    scope: 'app-existing-first',
    input: 'users/get-user',
    summary: 'The user of an id',
    run: getUser,
    view: (user, { traits }) => ({
      json:
        user && isShown(user, traits)
          ? { status: 'OK', user: fullUserView(user, traits.webauthnInUsers) }
          : { status: 'UNKNOWN_USER_ID_ERROR' },
    }),
  }),
  route({
    method: 'POST',
    path: '/user/remove',
    scope: 'app-by-itself',
    input: 'users/remove-user',
    response: 'service/status-ok',
    summary: 'Remove a user, or one of its login methods',
    tells: ['user.removed'],
    run: removeUser,
    view: () => ({ json: { status: 'OK' } }),
  }),
  route({
    method: 'GET',
    path: '/users',
    scope: 'tenant',
    input: 'users/list-users',
    summary: 'Users of a tenant, page by page or by search',
    early: checkRecipeIds,
    run: listUsers,
    view: ({ users, nextPaginationToken }, { traits }) => ({
      json: {
        status: 'OK',
        users: users.filter((user) => isShown(user, traits)).map((user) => listedUserView(user, traits)),
        nextPaginationToken,
      },
    }),
  }),
  route({
    method: 'GET',
    path: '/users/count',
    scope: 'verb',
    input: 'users/count-users',
    summary: 'How many users a tenant or an app has',
    early: checkRecipeIds,
    run: countUsers,
    view: ({ count, asOf }) => ({ json: { status: 'OK', count, ...(asOf !== undefined && { approximate: false, asOf }) } }),
  }),
  route({
    method: 'GET',
    path: '/users/count/active',
    scope: 'app',
    input: 'users/count-active-users',
    summary: 'How many users were active lately',
    run: countActiveUsers,
    view: (count) => ({ json: { status: 'OK', count } }),
  }),
  route({
    method: 'GET',
    path: '/user/search/tags',
    scope: 'none',
    response: 'users/search-tags',
    summary: 'What users can be searched by',
    run: () => TAG_NAMES,
    view: (tags) => ({ json: { status: 'OK', tags } }),
  }),
  route({
    method: 'GET',
    path: '/users/by-accountinfo',
    scope: 'tenant',
    input: 'users/users-by-account-info',
    summary: 'Users with an email, phone number or third-party account',
    early: checkAccountInfoQuery,
    run: usersByAccountInfo,
    view: (users, { traits }) => {
      const shown = users.filter((user) => isShown(user, traits));
      return { json: { status: 'OK', users: shown.map((user) => fullUserView(user, traits.webauthnInUsers)) } };
    },
  }),
];
