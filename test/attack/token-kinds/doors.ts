import type { InProcessAnswer, InProcessCallOptions } from '../../in-process-core.ts';
import { API_KEY, type Holdings, type Kind } from './kinds.ts';

/** How a token is presented. */
export interface Presented {
  readonly method: string;
  readonly path: string;
  readonly body?: object | undefined;
  readonly options?: InProcessCallOptions | undefined;
}

/** A member, parameter or header that takes a token or code. */
export interface Door {
  /** What it takes; everything else gets the answer that garbage gets. */
  readonly takes: readonly Kind[];
  /** Whether it takes those of any tenant of its app. */
  readonly ofApp: boolean;
  readonly present: (token: string, own: Holdings) => Presented;
  readonly isRefused: (answer: InProcessAnswer) => boolean;
  /** It answers alike whether it removed something or not. */
  readonly isSilent?: boolean;
}

const ACCESS_TOKENS: readonly Kind[] = [
  'access token V1',
  'access token V2',
  'access token V3',
  'access token V4',
  'access token V5',
  'access token V5, static key',
  'access token with anti-CSRF',
];
const REFRESH_TOKENS: readonly Kind[] = ['refresh token', 'refresh token with anti-CSRF'];
const UNCHECKED = { enableAntiCsrf: false, doAntiCsrfCheck: false, checkDatabase: false };

const says =
  (...statuses: readonly string[]) =>
  ({ status, body }: InProcessAnswer): boolean =>
    statuses.includes(status === 200 ? String(body['status']) : String(status));
const holds =
  (members: object) =>
  ({ body }: InProcessAnswer): boolean =>
    Object.entries(members).every(([name, value]) => JSON.stringify(body[name]) === JSON.stringify(value));

type BodyOf = (token: string, own: Holdings) => object;

const put = (path: string, bodyOf: BodyOf) => (token: string, own: Holdings) => ({ method: 'PUT', path, body: bodyOf(token, own) });
const post =
  (path: string, bodyOf: BodyOf, options: InProcessCallOptions = {}) =>
  (token: string, own: Holdings): Presented => ({ method: 'POST', path, body: bodyOf(token, own), options });
const get =
  (path: string, name: string) =>
  (token: string): Presented => ({ method: 'GET', path: `${path}?${new URLSearchParams({ [name]: token }).toString()}` });

const verify = (more: object, cdi: string): Door => ({
  takes: ACCESS_TOKENS,
  ofApp: true,
  present: post('/recipe/session/verify', (accessToken) => ({ accessToken, ...UNCHECKED, ...more }), { cdi }),
  isRefused: says('TRY_REFRESH_TOKEN'),
});
const regenerate = (cdi: string): Door => ({
  takes: ACCESS_TOKENS,
  ofApp: true,
  present: post('/recipe/session/regenerate', (accessToken) => ({ accessToken }), { cdi }),
  isRefused: says('400', 'UNAUTHORISED'),
});
const refresh = (cdi: string): Door => ({
  takes: REFRESH_TOKENS,
  ofApp: true,
  present: post('/recipe/session/refresh', (refreshToken) => ({ refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true }), {
    cdi,
  }),
  isRefused: says('UNAUTHORISED'),
});
const ofSession = (present: Door['present'], isRefused = says('UNAUTHORISED')): Door => ({
  takes: ['session handle'],
  ofApp: true,
  present,
  isRefused,
});

const SESSIONS: Readonly<Record<string, Door>> = {
  'verify 5.4': verify({}, '5.4'),
  'verify 5.4 with the database': verify({ checkDatabase: true }, '5.4'),
  'verify 5.6': verify({}, '5.6'),
  'verify 5.6 with the database': verify({ checkDatabase: true }, '5.6'),
  'verify 2.18': verify({}, '2.18'),
  'regenerate 5.4': regenerate('5.4'),
  'regenerate 2.18': regenerate('2.18'),
  'refresh 5.4': refresh('5.4'),
  'refresh 5.6': refresh('5.6'),
  'refresh 2.18': refresh('2.18'),
  'anti-CSRF at verify': {
    takes: ['anti-CSRF token'],
    ofApp: false,
    present: post('/recipe/session/verify', (antiCsrfToken, { tokens }) => ({
      accessToken: tokens['access token with anti-CSRF'],
      antiCsrfToken,
      enableAntiCsrf: true,
      doAntiCsrfCheck: true,
      checkDatabase: false,
    })),
    isRefused: says('TRY_REFRESH_TOKEN'),
  },
  'anti-CSRF at refresh': {
    takes: ['anti-CSRF token'],
    ofApp: false,
    present: post('/recipe/session/refresh', (antiCsrfToken, { tokens }) => ({
      refreshToken: tokens['refresh token with anti-CSRF'],
      antiCsrfToken,
      enableAntiCsrf: true,
      useDynamicSigningKey: true,
    })),
    isRefused: says('UNAUTHORISED'),
  },
  session: ofSession(get('/recipe/session', 'sessionHandle'), says('UNAUTHORISED', '400')),
  'session data': ofSession(get('/recipe/session/data', 'sessionHandle'), says('UNAUTHORISED', '400')),
  'session claims': ofSession(get('/recipe/jwt/data', 'sessionHandle'), says('UNAUTHORISED', '400')),
  'change of session data': ofSession(
    put('/recipe/session/data', (sessionHandle) => ({ sessionHandle, userDataInDatabase: {} })),
    says('UNAUTHORISED', '400'),
  ),
  'change of session claims': ofSession(
    put('/recipe/jwt/data', (sessionHandle) => ({ sessionHandle, userDataInJWT: {} })),
    says('UNAUTHORISED', '400'),
  ),
  'end of a session': ofSession(
    post('/recipe/session/remove', (handle) => ({ sessionHandles: [handle] })),
    (answer) => says('400')(answer) || holds({ sessionHandlesRevoked: [] })(answer),
  ),
};

/** Passwords, emails, codes and second factors: tokens of one tenant, but for those of the app. */
const LOGINS: Readonly<Record<string, Door>> = {
  'password reset': {
    takes: ['reset token'],
    ofApp: true,
    present: post('/recipe/user/password/reset', (token) => ({ method: 'token', token, newPassword: 'anotherPass123' })),
    isRefused: says('RESET_PASSWORD_INVALID_TOKEN_ERROR'),
  },
  'use of a reset token': {
    takes: ['reset token'],
    ofApp: true,
    present: post('/recipe/user/password/reset/token/consume', (token) => ({ method: 'token', token })),
    isRefused: says('RESET_PASSWORD_INVALID_TOKEN_ERROR'),
  },
  'email verification': {
    takes: ['verification token'],
    ofApp: false,
    present: post('/recipe/user/email/verify', (token) => ({ method: 'token', token })),
    isRefused: says('EMAIL_VERIFICATION_INVALID_TOKEN_ERROR'),
  },
  'link code': {
    takes: ['link code'],
    ofApp: false,
    present: post('/recipe/signinup/code/consume', (linkCode, { tokens }) => ({ preAuthSessionId: tokens.preAuthSessionId, linkCode })),
    isRefused: says('RESTART_FLOW_ERROR', '400'),
  },
  preAuthSessionId: {
    takes: ['preAuthSessionId'],
    ofApp: false,
    present: post('/recipe/signinup/code/check', (preAuthSessionId, { tokens }) => ({ preAuthSessionId, linkCode: tokens['link code'] })),
    isRefused: says('400'),
  },
  'user input code': {
    takes: ['user input code'],
    ofApp: false,
    present: post('/recipe/signinup/code/check', (userInputCode, { tokens }) => ({
      preAuthSessionId: tokens.preAuthSessionId,
      deviceId: tokens['device id'],
      userInputCode,
    })),
    isRefused: says('INCORRECT_USER_INPUT_CODE_ERROR'),
  },
  'device id': {
    takes: ['device id'],
    ofApp: false,
    present: post('/recipe/signinup/code/check', (deviceId, { tokens }) => ({
      preAuthSessionId: tokens.preAuthSessionId,
      deviceId,
      userInputCode: tokens['user input code'],
    })),
    isRefused: says('RESTART_FLOW_ERROR', '400'),
  },
  'codes of another device': {
    takes: [],
    ofApp: false,
    present: post('/recipe/signinup/code/check', (userInputCode, { device }) => ({ ...device, userInputCode })),
    isRefused: says('INCORRECT_USER_INPUT_CODE_ERROR'),
  },
  'another code for a device': {
    takes: ['device id'],
    ofApp: false,
    present: post('/recipe/signinup/code', (deviceId) => ({ deviceId })),
    isRefused: says('RESTART_FLOW_ERROR', '400'),
  },
  'codes by preAuthSessionId': {
    takes: ['preAuthSessionId'],
    ofApp: false,
    present: get('/recipe/signinup/codes', 'preAuthSessionId'),
    isRefused: holds({ devices: [] }),
  },
  'codes by device': {
    takes: ['device id'],
    ofApp: false,
    present: get('/recipe/signinup/codes', 'deviceId'),
    isRefused: (answer) => says('400')(answer) || holds({ devices: [] })(answer),
  },
  'removal of a code': {
    takes: ['code id'],
    ofApp: false,
    present: post('/recipe/signinup/code/remove', (codeId) => ({ codeId })),
    isRefused: says('OK'),
    isSilent: true,
  },
  // Its device is not verified yet, so that no code is right.
  'TOTP at sign-in': {
    takes: [],
    ofApp: false,
    present: post('/recipe/totp/verify', (totp, { userId }) => ({ userId, totp })),
    isRefused: says('INVALID_TOTP_ERROR', 'UNKNOWN_USER_ID_ERROR'),
  },
  'TOTP code': {
    takes: ['TOTP code'],
    ofApp: false,
    present: post('/recipe/totp/device/verify', (totp, { userId }) => ({ userId, deviceName: 'd', totp })),
    isRefused: says('INVALID_TOTP_ERROR'),
  },
};

const OTHERS: Readonly<Record<string, Door>> = {
  'dashboard session': {
    takes: ['dashboard session'],
    ofApp: true,
    present: post('/recipe/dashboard/session/verify', (sessionId) => ({ sessionId })),
    isRefused: says('INVALID_SESSION_ERROR'),
  },
  'end of a dashboard session': {
    takes: ['dashboard session'],
    ofApp: true,
    present: (token) => ({ ...get('/recipe/dashboard/session', 'sessionId')(token), method: 'DELETE' }),
    isRefused: says('OK'),
    isSilent: true,
  },
  'SAML code': {
    takes: ['SAML code'],
    ofApp: false,
    present: post('/recipe/saml/user', (accessToken) => ({ accessToken, clientId: 'c' })),
    isRefused: says('INVALID_TOKEN_ERROR'),
  },
  'SAML relay state': {
    takes: ['SAML relay state'],
    ofApp: false,
    present: post('/recipe/saml/callback', (relayState, { samlResponse }) => ({ relayState, samlResponse })),
    isRefused: says('INVALID_RELAY_STATE_ERROR'),
  },
  'legacy SAML access token': {
    takes: ['legacy SAML access token'],
    ofApp: false,
    present: (token) => ({ method: 'GET', path: '/recipe/saml/legacy/userinfo', options: { authorization: `Bearer ${token}` } }),
    isRefused: says('400'),
  },
  'API key': {
    takes: ['API key'],
    ofApp: true,
    present: (token) => ({ method: 'GET', path: '/users/count', options: { apiKey: token } }),
    isRefused: says('401'),
  },
  'bulk import id': {
    takes: ['bulk import id'],
    ofApp: true,
    present: post('/bulk-import/users/remove', (id) => ({ ids: [id] })),
    isRefused: (answer) => says('400')(answer) || holds({ deletedIds: [] })(answer),
  },
};

export const DOORS: Readonly<Record<string, Door>> = { ...SESSIONS, ...LOGINS, ...OTHERS };

/** What nobody was given, in the forms of several kinds. */
export const GARBAGE: readonly string[] = [
  'x',
  '00000000-0000-4000-8000-000000000000',
  'a.b.c',
  'eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCIsInZlcnNpb24iOiIyIn0=.e30=.AAAA',
  `${'A'.repeat(120)}.${'0'.repeat(64)}.V2`,
  'A'.repeat(43),
  `${API_KEY}x`,
  '123456',
];
