import type { Memory } from './memory.ts';
import type { Request } from './operations.ts';

type Body = { readonly [name: string]: unknown };

/** A request with something that belongs to somebody else, and how the answer must look. */
export interface Probe {
  readonly values: (memory: Memory) => readonly string[];
  readonly request: (value: string) => Request;
  readonly isRefused: (body: Body) => boolean;
}

const says =
  (...statuses: readonly string[]) =>
  ({ status }: Body): boolean =>
    statuses.includes(String(status));
const holds =
  (expected: Body) =>
  (body: Body): boolean =>
    Object.entries(expected).every(([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value));
/** Without names that everybody chooses, and alike. */
const users = (memory: Memory): readonly string[] => memory.users.filter((id) => id.length === 36);
const handles = (memory: Memory): readonly string[] => memory.handles;
const tokens = (memory: Memory): readonly string[] => memory.tokens;
const encode = encodeURIComponent;
const PASSWORD = 'a good password 1';
const FLAGS = { enableAntiCsrf: false, doAntiCsrfCheck: false };

const post = (path: string, bodyOf: (value: string) => object) => (value: string) => ({ method: 'POST', path, body: bodyOf(value) });
const get = (path: string) => (value: string) => ({ method: 'GET', path: path + encode(value) });

/** What a tenant must not know of another one of its app. */
export const FOREIGN_IN_TENANT: readonly Probe[] = [
  { values: users, request: get('/recipe/user/roles?userId='), isRefused: holds({ roles: [] }) },
  {
    values: users,
    request: post('/recipe/user/role/remove', (userId) => ({ userId, role: 'role0' })),
    isRefused: (body) => body['didUserHaveRole'] === false || says('UNKNOWN_ROLE_ERROR')(body),
  },
  { values: users, request: get('/recipe/session/user?fetchAcrossAllTenants=false&userId='), isRefused: holds({ sessionHandles: [] }) },
  {
    values: users,
    request: post('/recipe/session/remove', (userId) => ({ userId, revokeAcrossAllTenants: false })),
    isRefused: holds({ sessionHandlesRevoked: [] }),
  },
  {
    values: ({ codes }) => codes.map(({ preAuthSessionId, linkCode }) => JSON.stringify({ preAuthSessionId, linkCode })),
    request: (value) => ({ method: 'POST', path: '/recipe/signinup/code/consume', body: JSON.parse(value) as object }),
    isRefused: says('RESTART_FLOW_ERROR'),
  },
  {
    values: ({ codes }) =>
      codes.map(({ preAuthSessionId, deviceId, userInputCode }) => JSON.stringify({ preAuthSessionId, deviceId, userInputCode })),
    request: (value) => ({ method: 'POST', path: '/recipe/signinup/code/consume', body: JSON.parse(value) as object }),
    isRefused: says('RESTART_FLOW_ERROR'),
  },
  {
    values: ({ codes }) => codes.map(({ preAuthSessionId }) => String(preAuthSessionId)),
    request: get('/recipe/signinup/codes?preAuthSessionId='),
    isRefused: holds({ devices: [] }),
  },
  {
    values: tokens,
    request: post('/recipe/user/email/verify', (token) => ({ method: 'token', token })),
    isRefused: says('EMAIL_VERIFICATION_INVALID_TOKEN_ERROR'),
  },
];

const OF_USERS: readonly Probe[] = [
  { values: users, request: get('/user/id?userId='), isRefused: says('UNKNOWN_USER_ID_ERROR') },
  {
    values: users,
    request: (recipeUserId) => ({ method: 'PUT', path: '/recipe/user', rid: 'emailpassword', body: { recipeUserId, password: PASSWORD } }),
    isRefused: says('UNKNOWN_USER_ID_ERROR'),
  },
  {
    values: users,
    request: post('/recipe/user/password/reset/token', (userId) => ({ userId, email: 'same0@example.com' })),
    isRefused: says('UNKNOWN_USER_ID_ERROR', 'OK'),
  },
  {
    values: users,
    request: post('/recipe/accountlinking/user/primary', (recipeUserId) => ({ recipeUserId })),
    isRefused: (body) => body['status'] !== 'OK',
  },
  {
    values: users,
    request: post('/recipe/multitenancy/tenant/user', (recipeUserId) => ({ recipeUserId })),
    isRefused: says('UNKNOWN_USER_ID_ERROR'),
  },
  {
    values: users,
    request: post('/recipe/userid/map', (superTokensUserId) => ({ superTokensUserId, externalUserId: 'external' })),
    isRefused: says('UNKNOWN_SUPERTOKENS_USER_ID_ERROR'),
  },
  { values: users, request: get('/recipe/user/metadata?userId='), isRefused: holds({ metadata: {} }) },
  { values: users, request: get('/recipe/totp/device/list?userId='), isRefused: holds({ devices: [] }) },
  {
    values: users,
    request: post('/recipe/totp/device/remove', (userId) => ({ userId, deviceName: 'device0' })),
    isRefused: holds({ didDeviceExist: false }),
  },
  {
    values: users,
    request: get('/recipe/user/email/verify?email=same0%40example.com&userId='),
    isRefused: holds({ isVerified: false }),
  },
  { values: users, request: post('/user/remove', (userId) => ({ userId })), isRefused: says('OK') },
];

const OF_SESSIONS: readonly Probe[] = [
  { values: handles, request: get('/recipe/session?sessionHandle='), isRefused: says('UNAUTHORISED') },
  {
    values: handles,
    request: (sessionHandle) => ({ method: 'PUT', path: '/recipe/session/data', body: { sessionHandle, userDataInDatabase: {} } }),
    isRefused: says('UNAUTHORISED'),
  },
  {
    values: handles,
    request: post('/recipe/session/remove', (handle) => ({ sessionHandles: [handle] })),
    isRefused: holds({ sessionHandlesRevoked: [] }),
  },
  {
    values: ({ accessTokens }) => accessTokens,
    request: post('/recipe/session/verify', (accessToken) => ({ accessToken, ...FLAGS, checkDatabase: false })),
    isRefused: says('TRY_REFRESH_TOKEN'),
  },
  {
    values: ({ accessTokens }) => accessTokens,
    request: post('/recipe/session/regenerate', (accessToken) => ({ accessToken, userDataInJWT: {} })),
    isRefused: says('UNAUTHORISED', 'TRY_REFRESH_TOKEN'),
  },
  {
    values: ({ refreshTokens }) => refreshTokens,
    request: post('/recipe/session/refresh', (refreshToken) => ({ refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true })),
    isRefused: says('UNAUTHORISED'),
  },
];

/** What an app must not know of another one. */
export const FOREIGN_IN_APP: readonly Probe[] = [
  ...FOREIGN_IN_TENANT,
  ...OF_SESSIONS,
  ...OF_USERS,
  {
    values: tokens,
    request: post('/recipe/user/password/reset/token/consume', (token) => ({ method: 'token', token })),
    isRefused: says('RESET_PASSWORD_INVALID_TOKEN_ERROR'),
  },
  {
    values: ({ dashboardSessions }) => dashboardSessions,
    request: post('/recipe/dashboard/session/verify', (sessionId) => ({ sessionId })),
    isRefused: says('INVALID_SESSION_ERROR'),
  },
  {
    values: ({ dashboardSessions }) => dashboardSessions,
    request: (sessionId) => ({ method: 'DELETE', path: `/recipe/dashboard/session?sessionId=${encode(sessionId)}` }),
    isRefused: says('OK'),
  },
];
