import type { Scenario } from './scenario.ts';

/** The endpoints of users. */
export const USERS_ROUNDS: readonly Scenario[] = [
  { endpoint: 'GET /users', budget: 3, play: (core) => core.call('GET', '/users?limit=100') },
  { endpoint: 'GET /users of one recipe', budget: 3, play: (core) => core.call('GET', '/users?includeRecipeIds=emailpassword') },
  { endpoint: 'GET /users by search', budget: 6, play: (core, made) => core.call('GET', `/users?email=${made.email}`) },
  { endpoint: 'GET /users/count', budget: 1, play: (core) => core.call('GET', '/users/count') },
  { endpoint: 'GET /users/count of one recipe', budget: 1, play: (core) => core.call('GET', '/users/count?includeRecipeIds=thirdparty') },
  { endpoint: 'GET /users/count/active', budget: 1, play: (core) => core.call('GET', '/users/count/active?since=0') },
  { endpoint: 'GET /user/search/tags', budget: 0, play: (core) => core.call('GET', '/user/search/tags') },
  { endpoint: 'GET /user/id', budget: 2, play: (core, made) => core.call('GET', `/user/id?userId=${made.userId}`) },
  {
    endpoint: 'GET /users/by-accountinfo',
    budget: 2,
    play: (core, made) => core.call('GET', `/users/by-accountinfo?doUnionOfAccountInfo=true&email=${made.email}`),
  },
];
