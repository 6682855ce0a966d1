import type { InProcessCore } from '../in-process-core.ts';
import { plain, type Scenario } from './scenario.ts';

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
];
