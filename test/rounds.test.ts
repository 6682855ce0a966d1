import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../src/recipes/routes.ts';
import { type InProcessCore, openInProcessCore } from './in-process-core.ts';

/*
 * On a database over the network every sequential round of reads costs a round trip, so each endpoint has a budget. What a thread
 * remembers anyway (tenants, keys, tokens seen before, recent activity) is warm here, as it is on a server that is in use.
 */

interface Scenario {
  readonly endpoint: string;
  readonly budget: number;
  readonly play: (core: InProcessCore, made: Made) => Promise<{ readonly status: number }>;
}

/** What stands in the store before a scenario plays. */
interface Made {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly handle: string;
  readonly userId: string;
  readonly email: string;
}

const PASSWORD = 'a good password';
const verifyBody = (made: Made, checkDatabase: boolean) => ({
  accessToken: made.accessToken,
  doAntiCsrfCheck: false,
  enableAntiCsrf: false,
  checkDatabase,
});
const sessionBody = (userId: string) => ({ userId, userDataInJWT: { a: 1 }, userDataInDatabase: {}, enableAntiCsrf: false });
const coreConfig = { password_reset_token_lifetime: 1000 };
const mt = '/recipe/multitenancy';

const SCENARIOS: readonly Scenario[] = [
  ...['GET', 'POST', 'PUT', 'DELETE'].flatMap((method): Scenario[] => [
    { endpoint: `${method} /hello`, budget: 1, play: (core) => core.call(method, '/hello') },
    { endpoint: `${method} /`, budget: 1, play: (core) => core.call(method, '/') },
  ]),
  { endpoint: 'GET /apiversion', budget: 0, play: (core) => core.call('GET', '/apiversion') },
  { endpoint: 'GET /config', budget: 0, play: (core) => core.call('GET', '/config?pid=1') },
  { endpoint: 'GET /telemetry', budget: 0, play: (core) => core.call('GET', '/telemetry') },
  { endpoint: 'GET /ee/featureflag', budget: 2, play: (core) => core.call('GET', '/ee/featureflag') },
  { endpoint: 'GET /ee/license', budget: 1, play: (core) => core.call('GET', '/ee/license') },
  { endpoint: 'PUT /ee/license', budget: 1, play: (core) => core.call('PUT', '/ee/license', { licenseKey: 'k' }) },
  { endpoint: 'DELETE /ee/license', budget: 1, play: (core) => core.call('DELETE', '/ee/license') },
  { endpoint: 'POST /recipe/session', budget: 1, play: (core, made) => core.call('POST', '/recipe/session', sessionBody(made.userId)) },
  { endpoint: 'GET /recipe/session', budget: 2, play: (core, made) => core.call('GET', `/recipe/session?sessionHandle=${made.handle}`) },
  {
    endpoint: 'POST /recipe/session/verify',
    budget: 0,
    play: (core, made) => core.call('POST', '/recipe/session/verify', verifyBody(made, false)),
  },
  {
    endpoint: 'POST /recipe/session/verify with checkDatabase',
    budget: 1,
    play: (core, made) => core.call('POST', '/recipe/session/verify', verifyBody(made, true)),
  },
  {
    endpoint: 'POST /recipe/session/refresh',
    budget: 2,
    play: (core, made) =>
      core.call('POST', '/recipe/session/refresh', { refreshToken: made.refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true }),
  },
  {
    endpoint: 'POST /recipe/session/remove',
    budget: 1,
    play: (core, made) => core.call('POST', '/recipe/session/remove', { sessionHandles: [made.handle] }),
  },
  {
    endpoint: 'POST /recipe/session/remove of a user',
    budget: 5,
    play: (core, made) => core.call('POST', '/recipe/session/remove', { userId: made.userId }),
  },
  { endpoint: 'GET /recipe/session/user', budget: 4, play: (core, made) => core.call('GET', `/recipe/session/user?userId=${made.userId}`) },
  {
    endpoint: 'GET /recipe/session/data',
    budget: 1,
    play: (core, made) => core.call('GET', `/recipe/session/data?sessionHandle=${made.handle}`),
  },
  {
    endpoint: 'PUT /recipe/session/data',
    budget: 1,
    play: (core, made) => core.call('PUT', '/recipe/session/data', { sessionHandle: made.handle, userDataInDatabase: { b: 1 } }),
  },
  { endpoint: 'GET /recipe/jwt/data', budget: 1, play: (core, made) => core.call('GET', `/recipe/jwt/data?sessionHandle=${made.handle}`) },
  {
    endpoint: 'PUT /recipe/jwt/data',
    budget: 1,
    play: (core, made) => core.call('PUT', '/recipe/jwt/data', { sessionHandle: made.handle, userDataInJWT: { b: 1 } }),
  },
  {
    endpoint: 'POST /recipe/session/regenerate',
    budget: 2,
    play: (core, made) => core.call('POST', '/recipe/session/regenerate', { accessToken: made.accessToken, userDataInJWT: { c: 1 } }),
  },
  { endpoint: 'GET /.well-known/jwks.json', budget: 0, play: (core) => core.call('GET', '/.well-known/jwks.json') },
  { endpoint: 'GET /recipe/jwt/jwks', budget: 0, play: (core) => core.call('GET', '/recipe/jwt/jwks') },
  {
    endpoint: 'POST /recipe/jwt',
    budget: 0,
    play: (core) => core.call('POST', '/recipe/jwt', { algorithm: 'RS256', jwksDomain: 'https://x', payload: {}, validity: 10 }),
  },
  {
    endpoint: 'POST /recipe/signup',
    budget: 2,
    play: (core) => core.call('POST', '/recipe/signup', { email: 'new@example.com', password: PASSWORD }),
  },
  {
    endpoint: 'POST /recipe/signin',
    budget: 2,
    play: (core, made) => core.call('POST', '/recipe/signin', { email: made.email, password: PASSWORD }),
  },
  { endpoint: 'GET /user/id', budget: 2, play: (core, made) => core.call('GET', `/user/id?userId=${made.userId}`) },
  {
    endpoint: 'GET /users/by-accountinfo',
    budget: 3,
    play: (core, made) => core.call('GET', `/users/by-accountinfo?doUnionOfAccountInfo=true&email=${made.email}`),
  },
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
  { endpoint: `POST ${mt}/app/remove`, budget: 3, play: (core) => core.call('POST', `${mt}/app/remove`, { appId: 'gone' }) },
  {
    endpoint: `POST ${mt}/connectionuridomain/remove`,
    budget: 3,
    play: (core) => core.call('POST', `${mt}/connectionuridomain/remove`, { connectionUriDomain: 'gone.com' }),
  },
];

/** Endpoints that read nothing of the store, or exist only for other CDI versions. */
const WITHOUT_BUDGET = ['GET /requests/stats', 'POST /recipe/handshake'];

let core: InProcessCore;

async function make(): Promise<Made> {
  const email = `user-${Math.random()}@example.com`;
  const { user } = (await core.call('POST', '/recipe/signup', { email, password: PASSWORD })).body as { user: { id: string } };
  const started = (await core.call('POST', '/recipe/session', sessionBody(user.id))).body as {
    accessToken: { token: string };
    refreshToken: { token: string };
    session: { handle: string };
  };
  const made = {
    accessToken: started.accessToken.token,
    refreshToken: started.refreshToken.token,
    handle: started.session.handle,
    userId: user.id,
    email,
  };
  await core.call('POST', '/recipe/session/verify', verifyBody(made, true));
  return made;
}

beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

describe('sequential rounds of reads of each endpoint stay within its budget', () => {
  test.each(SCENARIOS)('$endpoint: at most $budget', async ({ budget, play }) => {
    const made = await make();
    core.takeRounds();
    const { status } = await play(core, made);
    expect(status).toBe(200);
    expect(core.takeRounds()).toBeLessThanOrEqual(budget);
  });

  test('every endpoint has a budget', () => {
    const named = new Set(SCENARIOS.map(({ endpoint }) => endpoint.split(' ').slice(0, 2).join(' ')));
    const missing = ROUTES.map(({ method, path }) => `${method} ${path}`).filter((row) => !named.has(row) && !WITHOUT_BUDGET.includes(row));
    expect(missing).toEqual([]);
  });
});
