import { type Scenario, sessionBody, verifyBody } from './scenario.ts';

/** The endpoints of sessions and JWTs. */
export const SESSION_ROUNDS: readonly Scenario[] = [
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
    budget: 1,
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
    budget: 4,
    play: (core, made) => core.call('POST', '/recipe/session/remove', { userId: made.userId }),
  },
  { endpoint: 'GET /recipe/session/user', budget: 2, play: (core, made) => core.call('GET', `/recipe/session/user?userId=${made.userId}`) },
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
];
