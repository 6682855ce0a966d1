import { totpCode } from '../totp-code.ts';
import type { Memory } from './memory.ts';

/** A request, relative to the tenant that makes it. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly rid?: string;
}

/** What was drawn for one request: small numbers that choose among the same few names for everybody. */
export interface Draw {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

type Make = (draw: Draw, memory: Memory, now: number) => Request;

const PASSWORDS = ['a good password 1', 'another password 2'];
const PERIOD = 30;
const pick = <T>(items: readonly T[], at: number): T | undefined => items[at % Math.max(1, items.length)];
const email = (at: number): string => `same${at % 3}@example.com`;
const phone = (at: number): string => `+4930123450${at % 3}`;
const account = (at: number): string => `account${at % 3}`;
const role = (at: number): string => `role${at % 3}`;
/** Some of their own, and some that only name data. */
const ownUser = ({ a }: Draw, { users, nobody }: Memory): string => pick(users, a) ?? nobody;
/** Of few, so that devices are met again. */
const deviceOwner = ({ a, b }: Draw, { users, holders }: Memory): string => (b === 0 ? pick(users, a) : pick(holders, a)) ?? 'x';
const userId = (draw: Draw, memory: Memory): string => (draw.b % 4 === 0 ? `shared${draw.a % 2}` : ownUser(draw, memory));
const query = (values: Readonly<Record<string, string>>): string => `?${new URLSearchParams(values).toString()}`;
const get = (path: string, values: Readonly<Record<string, string>> = {}): Request => ({ method: 'GET', path: path + query(values) });
const post = (path: string, body: object, rid?: string): Request => ({ method: 'POST', path, body, ...(rid !== undefined && { rid }) });
const put = (path: string, body: object, rid?: string): Request => ({ method: 'PUT', path, body, ...(rid !== undefined && { rid }) });
/** Of the devices that everybody imports. */
export const SECRET = 'GEZDGNBV';
const oneTimeCode = ({ a, c }: Draw, { secrets }: Memory, now: number): string => {
  if (c === 0) return '000000';
  const secret = c === 3 ? (pick(secrets, a) ?? SECRET) : SECRET;
  return totpCode({ secret, period: PERIOD, skew: 1 }, now) ?? '';
};

const LOGIN: Readonly<Record<string, Make>> = {
  signUp: ({ a, b }) => post('/recipe/signup', { email: email(a), password: PASSWORDS[b % 2] }),
  signIn: ({ a, b }) => post('/recipe/signin', { email: email(a), password: PASSWORDS[b % 2] }),
  thirdParty: ({ a, b }) =>
    post('/recipe/signinup', { thirdPartyId: 'google', thirdPartyUserId: account(a), email: { id: email(b), isVerified: b % 2 === 0 } }),
  createCode: ({ a, b }) => post('/recipe/signinup/code', b % 2 === 0 ? { email: email(a) } : { phoneNumber: phone(a) }),
  consumeLink: ({ a }, { codes }) => {
    const { preAuthSessionId = 'x', linkCode = 'x' } = pick(codes, a) ?? {};
    return post('/recipe/signinup/code/consume', { preAuthSessionId, linkCode });
  },
  consumeInput: ({ a, b }, { codes }) => {
    const { preAuthSessionId = 'x', deviceId = 'x', userInputCode = 'x' } = pick(codes, a) ?? {};
    const code = b % 2 === 0 ? userInputCode : 'wrong';
    return post('/recipe/signinup/code/consume', { preAuthSessionId, deviceId, userInputCode: code });
  },
  listCodes: ({ a, b }) => get('/recipe/signinup/codes', b % 2 === 0 ? { email: email(a) } : { phoneNumber: phone(a) }),
  removeCodes: ({ a }) => post('/recipe/signinup/codes/remove', { email: email(a) }),
  resetToken: (draw, memory) => post('/recipe/user/password/reset/token', { userId: ownUser(draw, memory), email: email(draw.b) }),
  consumeResetToken: ({ a }, { tokens }) =>
    post('/recipe/user/password/reset/token/consume', { method: 'token', token: pick(tokens, a) ?? 'x' }),
  verifyToken: (draw, memory) => post('/recipe/user/email/verify/token', { userId: ownUser(draw, memory), email: email(draw.b) }),
  verifyEmail: ({ a }, { tokens }) => post('/recipe/user/email/verify', { method: 'token', token: pick(tokens, a) ?? 'x' }),
  removeVerifyTokens: (draw, memory) =>
    post('/recipe/user/email/verify/token/remove', { userId: ownUser(draw, memory), email: email(draw.b) }),
};

const SESSIONS: Readonly<Record<string, Make>> = {
  createSession: (draw, memory) =>
    post('/recipe/session', {
      userId: ownUser(draw, memory),
      userDataInJWT: { a: draw.c },
      userDataInDatabase: { b: draw.b },
      enableAntiCsrf: false,
    }),
  refresh: ({ a }, { refreshTokens }) =>
    post('/recipe/session/refresh', { refreshToken: pick(refreshTokens, a) ?? 'x', enableAntiCsrf: false, useDynamicSigningKey: true }),
  verify: ({ a, b }, { accessTokens }) =>
    post('/recipe/session/verify', {
      accessToken: pick(accessTokens, a) ?? 'x',
      enableAntiCsrf: false,
      doAntiCsrfCheck: false,
      checkDatabase: b % 2 === 0,
    }),
};

const IN_TENANT: Readonly<Record<string, Make>> = {
  ...LOGIN,
  ...SESSIONS,
  sessionsOfUser: (draw, memory) => get('/recipe/session/user', { userId: ownUser(draw, memory), fetchAcrossAllTenants: 'false' }),
  removeSessions: (draw, memory) => post('/recipe/session/remove', { userId: ownUser(draw, memory), revokeAcrossAllTenants: false }),
  users: ({ a, b }) => get('/users', { limit: String(1 + (a % 3)), timeJoinedOrder: b % 2 === 0 ? 'ASC' : 'DESC' }),
  search: ({ a }) => get('/users', { email: email(a).slice(0, 5) }),
  count: () => get('/users/count'),
  usersByAccount: ({ a }) => get('/users/by-accountinfo', { email: email(a), doUnionOfAccountInfo: 'true' }),
  usersByEmail: ({ a }) => get('/recipe/users/by-email', { email: email(a) }),
  addRole: (draw, memory) => put('/recipe/user/role', { userId: userId(draw, memory), role: role(draw.c) }),
  dropRole: (draw, memory) => post('/recipe/user/role/remove', { userId: userId(draw, memory), role: role(draw.c) }),
  rolesOfUser: (draw, memory) => get('/recipe/user/roles', { userId: userId(draw, memory) }),
  usersWithRole: ({ c }) => get('/recipe/role/users', { role: role(c) }),
  verifyTotp: (draw, memory, now) =>
    post('/recipe/totp/verify', { userId: deviceOwner(draw, memory), totp: oneTimeCode(draw, memory, now) }),
  leaveTenant: (draw, memory) => post('/recipe/multitenancy/tenant/user/remove', { recipeUserId: ownUser(draw, memory) }),
  joinTenant: (draw, memory) => post('/recipe/multitenancy/tenant/user', { recipeUserId: ownUser(draw, memory) }),
  tenant: () => get('/recipe/multitenancy/tenant/v2'),
  putProvider: ({ a, b }) =>
    put('/recipe/multitenancy/config/thirdparty', { config: { thirdPartyId: account(a), clients: [{ clientId: `client${b}` }] } }),
  removeProvider: ({ a }) => post('/recipe/multitenancy/config/thirdparty/remove', { thirdPartyId: account(a) }),
  coreConfig: () => get('/recipe/dashboard/tenant/core-config'),
};

const OF_APP: Readonly<Record<string, Make>> = {
  getUser: (draw, memory) => get('/user/id', { userId: ownUser(draw, memory) }),
  removeUser: (draw, memory) => post('/user/remove', { userId: ownUser(draw, memory), removeAllLinkedAccounts: draw.b % 2 === 0 }),
  updateUser: (draw, memory) =>
    put('/recipe/user', { recipeUserId: ownUser(draw, memory), email: email(draw.b), password: PASSWORDS[draw.c % 2] }, 'emailpassword'),
  makePrimary: (draw, memory) => post('/recipe/accountlinking/user/primary', { recipeUserId: ownUser(draw, memory) }),
  link: ({ a, b }, { users }) =>
    post('/recipe/accountlinking/user/link', { recipeUserId: pick(users, a) ?? 'x', primaryUserId: pick(users, b) ?? 'x' }),
  unlink: (draw, memory) => post('/recipe/accountlinking/user/unlink', { recipeUserId: ownUser(draw, memory) }),
  map: (draw, memory) =>
    post('/recipe/userid/map', { superTokensUserId: ownUser(draw, memory), externalUserId: `external${draw.b % 2}`, force: true }),
  mapping: ({ b }) => get('/recipe/userid/map', { userId: `external${b % 2}`, userIdType: 'ANY' }),
  unmap: ({ b }) => post('/recipe/userid/map/remove', { userId: `external${b % 2}`, userIdType: 'ANY', force: true }),
  session: ({ a }, { handles }) => get('/recipe/session', { sessionHandle: pick(handles, a) ?? 'x' }),
  sessionData: ({ a, b }, { handles }) =>
    put('/recipe/session/data', { sessionHandle: pick(handles, a) ?? 'x', userDataInDatabase: { b } }),
  removeHandle: ({ a }, { handles }) => post('/recipe/session/remove', { sessionHandles: [pick(handles, a) ?? 'x'] }),
  isVerified: (draw, memory) => get('/recipe/user/email/verify', { userId: ownUser(draw, memory), email: email(draw.b) }),
  unverify: (draw, memory) => post('/recipe/user/email/verify/remove', { userId: ownUser(draw, memory), email: email(draw.b) }),
  putRole: ({ b, c }) => put('/recipe/role', { role: role(c), permissions: [`permission${b % 2}`] }),
  removeRole: ({ c }) => post('/recipe/role/remove', { role: role(c) }),
  roles: () => get('/recipe/roles'),
  permissions: ({ c }) => get('/recipe/role/permissions', { role: role(c) }),
  putMetadata: (draw, memory) =>
    put('/recipe/user/metadata', { userId: userId(draw, memory), metadataUpdate: { [`key${draw.c % 3}`]: draw.c } }),
  metadata: (draw, memory) => get('/recipe/user/metadata', { userId: userId(draw, memory) }),
  removeMetadata: (draw, memory) => post('/recipe/user/metadata/remove', { userId: userId(draw, memory) }),
  addDevice: (draw, memory) =>
    post('/recipe/totp/device', { userId: deviceOwner(draw, memory), skew: 1, period: PERIOD, deviceName: `device${draw.c % 2}` }),
  importDevice: (draw, memory) =>
    post('/recipe/totp/device/import', {
      userId: deviceOwner(draw, memory),
      skew: 1,
      period: PERIOD,
      deviceName: `device${draw.c % 2}`,
      secretKey: SECRET,
    }),
  devices: (draw, memory) => get('/recipe/totp/device/list', { userId: deviceOwner(draw, memory) }),
  removeDevice: (draw, memory) =>
    post('/recipe/totp/device/remove', { userId: deviceOwner(draw, memory), deviceName: `device${draw.c % 2}` }),
  proveDevice: (draw, memory, now) =>
    post('/recipe/totp/device/verify', {
      userId: deviceOwner(draw, memory),
      deviceName: `device${draw.c % 2}`,
      totp: oneTimeCode(draw, memory, now),
    }),
  verifySharedTotp: (draw, memory, now) =>
    post('/recipe/totp/verify', { userId: deviceOwner(draw, memory), totp: oneTimeCode(draw, memory, now) }),
  addAdmin: ({ a, b }) => post('/recipe/dashboard/user', { email: email(a), password: PASSWORDS[b % 2] }),
  signAdminIn: ({ a, b }) => post('/recipe/dashboard/signin', { email: email(a), password: PASSWORDS[b % 2] }),
  admin: ({ a }, { dashboardSessions }) => post('/recipe/dashboard/session/verify', { sessionId: pick(dashboardSessions, a) ?? 'x' }),
  admins: () => get('/recipe/dashboard/users'),
  removeAdmin: ({ a }) => ({ method: 'DELETE', path: `/recipe/dashboard/user${query({ email: email(a) })}` }),
  importUser: ({ a, b, c }) =>
    post('/bulk-import/import', {
      userMetadata: { imported: c },
      loginMethods: [{ recipeId: 'emailpassword', email: email(a), plainTextPassword: PASSWORDS[b % 2], isPrimary: c === 0 }],
    }),
  putTenant: ({ a, b }) =>
    put('/recipe/multitenancy/tenant/v2', {
      tenantId: `t${a % 2}`,
      firstFactors: b % 2 === 0 ? null : ['emailpassword'],
      coreConfig: { totp_max_attempts: 1 + b },
    }),
  removeTenant: ({ a }) => post('/recipe/multitenancy/tenant/remove', { tenantId: `t${a % 2}` }),
  tenants: () => get('/recipe/multitenancy/tenant/list/v2'),
  license: ({ a }) => (a % 2 === 0 ? get('/ee/license') : put('/ee/license', { licenseKey: `key${a}` })),
  activeUsers: () => get('/users/count/active', { since: '0' }),
};

/** Everything that a tenant may do without a trace in its app that another tenant could see. */
export const TENANT_OPERATIONS: Readonly<Record<string, Make>> = IN_TENANT;

/** Everything that an app may do. */
export const APP_OPERATIONS: Readonly<Record<string, Make>> = { ...IN_TENANT, ...OF_APP };
