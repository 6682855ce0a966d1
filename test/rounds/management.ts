import type { InProcessCore } from '../in-process-core.ts';
import { plain, prepared, type Scenario } from './scenario.ts';

const MANAGE = '/manage/v1';

async function retireNewKey(core: InProcessCore) {
  const rotated = await core.call('POST', `${MANAGE}/signing-keys/rotate`, {});
  core.takeRounds();
  return core.call('POST', `${MANAGE}/signing-keys/retire`, { kid: rotated.body['kid'] });
}

/** In an app of its own: with a first API key, the app asks for one. */
async function inNewApp(core: InProcessCore, path: string, body: object) {
  await core.call('PUT', '/recipe/multitenancy/app/v2', { appId: 'keyed' });
  core.takeRounds();
  return core.call('POST', `/appid-keyed${MANAGE}${path}`, body);
}

const allUsers = (core: InProcessCore) => core.call('GET', `${MANAGE}/users`);

/** A call for the user in `Made`. */
function ofUser(method: 'GET' | 'POST', path: string, budget: number): Scenario {
  const named = method === 'GET' ? (userId: string) => `?userId=${userId}` : () => '';
  return {
    endpoint: `${method} ${MANAGE}${path}`,
    budget,
    play: (core, { userId }) => core.call(method, `${MANAGE}${path}${named(userId)}`, method === 'POST' ? { userId } : undefined),
  };
}

/** The management endpoints. A change of keys makes every thread look up the tenant and its keys again. */
export const MANAGEMENT_ROUNDS: readonly Scenario[] = [
  plain(3, `GET ${MANAGE}/api-keys`),
  {
    endpoint: `POST ${MANAGE}/api-keys`,
    budget: 5,
    play: (core) => inNewApp(core, '/api-keys', { name: 'one', scopes: ['cdi'] }),
  },
  { endpoint: `POST ${MANAGE}/api-keys/remove`, budget: 7, play: (core) => inNewApp(core, '/api-keys/remove', { name: 'one' }) },
  plain(4, `GET ${MANAGE}/signing-keys`),
  plain(5, `POST ${MANAGE}/signing-keys/rotate`, {}),
  { endpoint: `POST ${MANAGE}/signing-keys/retire`, budget: 7, play: retireNewKey },
  plain(4, `GET ${MANAGE}/config`),
  plain(2, `POST ${MANAGE}/config/reload`, {}),
  ofUser('GET', '/user', 12),
  // Users of all tenants are there by now, which have to be looked up after a change of keys.
  prepared(`GET ${MANAGE}/users`, 5, allUsers, allUsers),
  { endpoint: `GET ${MANAGE}/users by email`, budget: 3, play: (core, made) => core.call('GET', `${MANAGE}/users?email=${made.email}`) },
  { endpoint: `GET ${MANAGE}/users by id`, budget: 6, play: (core, made) => core.call('GET', `${MANAGE}/users?id=${made.userId}`) },
  plain(9, `GET ${MANAGE}/export/users?limit=1`),
  ofUser('POST', '/user/disable', 9),
  ofUser('POST', '/user/enable', 3),
  ofUser('POST', '/user/unlock', 7),
  ofUser('POST', '/user/sign-out', 7),
  ofUser('POST', '/user/remove', 6),
  {
    endpoint: `POST ${MANAGE}/user/metadata`,
    budget: 1,
    play: (core) => core.call('POST', `${MANAGE}/user/metadata`, { userId: 'nobody', metadata: {}, expected: {} }),
  },
  ofUser('GET', '/user/sessions', 4),
  plain(1, `GET ${MANAGE}/statistics?from=2026-01-01&to=2026-01-31`),
  plain(4, `GET ${MANAGE}/audit`),
  plain(2, `GET ${MANAGE}/tenants`),
  plain(0, `GET ${MANAGE}/backups`),
  plain(5, `GET ${MANAGE}/audit/verify`),
  plain(1, `GET ${MANAGE}/sessions`),
  {
    endpoint: `GET ${MANAGE}/session`,
    budget: 2,
    play: (core, made) => core.call('GET', `${MANAGE}/session?sessionHandle=${made.handle}`),
  },
  {
    endpoint: `POST ${MANAGE}/session/revoke`,
    budget: 1,
    play: (core, made) => core.call('POST', `${MANAGE}/session/revoke`, { sessionHandles: [made.handle] }),
  },
];
