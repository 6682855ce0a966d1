import type { Scenario } from './scenario.ts';

const linking = '/recipe/accountlinking/user';
const mapping = '/recipe/userid';

/** The endpoints of account linking, user-id mapping and the removal of users. */
export const LINKING_ROUNDS: readonly Scenario[] = [
  {
    endpoint: `GET ${linking}/primary/check`,
    budget: 2,
    play: (core, made) => core.call('GET', `${linking}/primary/check?recipeUserId=${made.userId}`),
  },
  {
    endpoint: `GET ${linking}/link/check`,
    budget: 2,
    play: (core, made) => core.call('GET', `${linking}/link/check?recipeUserId=${made.userId}&primaryUserId=${made.userId}`),
  },
  {
    endpoint: `POST ${linking}/link`,
    budget: 2,
    play: (core, made) => core.call('POST', `${linking}/link`, { recipeUserId: made.userId, primaryUserId: made.userId }),
  },
  {
    endpoint: `POST ${linking}/primary`,
    budget: 6,
    play: (core, made) => core.call('POST', `${linking}/primary`, { recipeUserId: made.userId }),
  },
  {
    endpoint: `POST ${linking}/unlink`,
    budget: 12,
    play: (core, made) => core.call('POST', `${linking}/unlink`, { recipeUserId: made.userId }),
  },
  {
    endpoint: `POST ${mapping}/map`,
    budget: 12,
    play: (core, made) => core.call('POST', `${mapping}/map`, { superTokensUserId: made.userId, externalUserId: 'outside', force: true }),
  },
  { endpoint: `GET ${mapping}/map`, budget: 2, play: (core, made) => core.call('GET', `${mapping}/map?userId=${made.userId}`) },
  {
    endpoint: `PUT ${mapping}/external-user-id-info`,
    budget: 4,
    play: (core) => core.call('PUT', `${mapping}/external-user-id-info`, { userId: 'outside', externalUserIdInfo: 'info' }),
  },
  {
    endpoint: `POST ${mapping}/map/remove`,
    budget: 12,
    play: (core) => core.call('POST', `${mapping}/map/remove`, { userId: 'outside', force: true }),
  },
  { endpoint: 'POST /user/remove', budget: 24, play: (core, made) => core.call('POST', '/user/remove', { userId: made.userId }) },
];
