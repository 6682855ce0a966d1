import type { Scenario } from './scenario.ts';

const mt = '/recipe/multitenancy';
const coreConfig = { password_reset_token_lifetime: 1000 };

/** The endpoints of multitenancy. */
export const MULTITENANCY_ROUNDS: readonly Scenario[] = [
  { endpoint: `GET ${mt}/tenant/v2`, budget: 1, play: (core) => core.call('GET', `${mt}/tenant/v2`) },
  { endpoint: `GET ${mt}/tenant`, budget: 1, play: (core) => core.call('GET', `${mt}/tenant`) },
  ...['', '/v2'].flatMap((version): Scenario[] => [
    {
      endpoint: `PUT ${mt}/tenant${version}`,
      budget: 6,
      play: (core) => core.call('PUT', `${mt}/tenant${version}`, { tenantId: 't', coreConfig }),
    },
    { endpoint: `PUT ${mt}/app${version}`, budget: 6, play: (core) => core.call('PUT', `${mt}/app${version}`, { appId: 'a', coreConfig }) },
    {
      endpoint: `PUT ${mt}/connectionuridomain${version}`,
      budget: 6,
      play: (core) => core.call('PUT', `${mt}/connectionuridomain${version}`, { connectionUriDomain: 'x.com', coreConfig }),
    },
    { endpoint: `GET ${mt}/tenant/list${version}`, budget: 1, play: (core) => core.call('GET', `${mt}/tenant/list${version}`) },
    { endpoint: `GET ${mt}/app/list${version}`, budget: 1, play: (core) => core.call('GET', `${mt}/app/list${version}`) },
    {
      endpoint: `GET ${mt}/connectionuridomain/list${version}`,
      budget: 1,
      play: (core) => core.call('GET', `${mt}/connectionuridomain/list${version}`),
    },
  ]),
  { endpoint: `POST ${mt}/tenant/remove`, budget: 3, play: (core) => core.call('POST', `${mt}/tenant/remove`, { tenantId: 'gone' }) },
  { endpoint: `DELETE ${mt}/tenant`, budget: 3, play: (core) => core.call('DELETE', `${mt}/tenant?tenantId=gone`) },
  { endpoint: `POST ${mt}/app/remove`, budget: 3, play: (core) => core.call('POST', `${mt}/app/remove`, { appId: 'gone' }) },
  {
    endpoint: `POST ${mt}/connectionuridomain/remove`,
    budget: 3,
    play: (core) => core.call('POST', `${mt}/connectionuridomain/remove`, { connectionUriDomain: 'gone.com' }),
  },
  {
    endpoint: `PUT ${mt}/config/thirdparty`,
    budget: 2,
    play: (core) => core.call('PUT', `${mt}/config/thirdparty`, { config: { thirdPartyId: 'google' } }),
  },
  {
    endpoint: `POST ${mt}/config/thirdparty/remove`,
    budget: 2,
    play: (core) => core.call('POST', `${mt}/config/thirdparty/remove`, { thirdPartyId: 'google' }),
  },
  {
    endpoint: `POST ${mt}/tenant/user`,
    budget: 1,
    play: (core, made) => core.call('POST', `${mt}/tenant/user`, { recipeUserId: made.userId }),
  },
  {
    endpoint: `POST ${mt}/tenant/user/remove`,
    budget: 8,
    play: (core, made) => core.call('POST', `${mt}/tenant/user/remove`, { recipeUserId: made.userId }),
  },
];
