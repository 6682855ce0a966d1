import type { InProcessCore } from '../in-process-core.ts';
import { done, prepared, type Scenario } from './scenario.ts';

const mt = '/recipe/multitenancy';
const coreConfig = { password_reset_token_lifetime: 1000 };

/** Makes a place that can be removed. */
const place = (kind: string, body: object) => (core: InProcessCore) => done(core.call('PUT', `${mt}/${kind}/v2`, body));
const existed = { didExist: true };

/** The endpoints of multitenancy. */
export const MULTITENANCY_ROUNDS: readonly Scenario[] = [
  { endpoint: `GET ${mt}/tenant/v2`, budget: 1, play: (core) => core.call('GET', `${mt}/tenant/v2`) },
  { endpoint: `GET ${mt}/tenant`, budget: 1, play: (core) => core.call('GET', `${mt}/tenant`) },
  ...['', '/v2'].flatMap((version): Scenario[] => [
    {
      endpoint: `PUT ${mt}/tenant${version}`,
      budget: 4,
      play: (core) => core.call('PUT', `${mt}/tenant${version}`, { tenantId: 't', coreConfig }),
    },
    { endpoint: `PUT ${mt}/app${version}`, budget: 5, play: (core) => core.call('PUT', `${mt}/app${version}`, { appId: 'a', coreConfig }) },
    {
      endpoint: `PUT ${mt}/connectionuridomain${version}`,
      budget: 5,
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
  prepared(`POST ${mt}/tenant/remove`, 5, place('tenant', { tenantId: 'gone' }), (core) =>
    done(core.call('POST', `${mt}/tenant/remove`, { tenantId: 'gone' }), existed),
  ),
  prepared(`DELETE ${mt}/tenant`, 5, place('tenant', { tenantId: 'gone' }), (core) =>
    done(core.call('DELETE', `${mt}/tenant?tenantId=gone`), existed),
  ),
  prepared(`POST ${mt}/app/remove`, 6, place('app', { appId: 'gone' }), (core) =>
    done(core.call('POST', `${mt}/app/remove`, { appId: 'gone' }), existed),
  ),
  prepared(`POST ${mt}/connectionuridomain/remove`, 8, place('connectionuridomain', { connectionUriDomain: 'gone.com' }), (core) =>
    done(core.call('POST', `${mt}/connectionuridomain/remove`, { connectionUriDomain: 'gone.com' }), existed),
  ),
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
  prepared(`POST ${mt}/tenant/user`, 5, place('tenant', { tenantId: 'joined' }), (core, made) =>
    done(core.call('POST', `/joined${mt}/tenant/user`, { recipeUserId: made.userId }), { wasAlreadyAssociated: false }),
  ),
  {
    endpoint: `POST ${mt}/tenant/user/remove`,
    budget: 3,
    play: (core, made) => done(core.call('POST', `${mt}/tenant/user/remove`, { recipeUserId: made.userId }), { wasAssociated: true }),
  },
];
