import type { Tenant } from '../../../src/recipes/tenants/tenant.ts';
import type { InProcessAnswer, InProcessCallOptions, InProcessCore } from '../../in-process-core.ts';
import { base64Of, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { ACS, answerTo, APP, codeIn, readLogin } from '../../recipes/saml/calls.ts';
import { totpCode } from '../../totp-code.ts';

/** The API key of the core under test. */
export const API_KEY = 'a-key-of-twenty-characters';
export const TOTP_PERIOD = 100_000;
export const PASSWORD = 'validPass123';

/** Everything that a core hands out and somebody may present again, by its kind. */
export const KINDS = [
  'access token V1',
  'access token V2',
  'access token V3',
  'access token V4',
  'access token V5',
  'access token V5, static key',
  'access token with anti-CSRF',
  'refresh token',
  'refresh token with anti-CSRF',
  'idRefreshToken',
  'anti-CSRF token',
  'session handle',
  'JWT',
  'JWT, dynamic key',
  'JWT with a session handle',
  'JWT with all a session says',
  'JWT with all a session says, dynamic key',
  'dashboard session',
  'reset token',
  'verification token',
  'link code',
  'preAuthSessionId',
  'device id',
  'user input code',
  'code id',
  'SAML code',
  'SAML relay state',
  'legacy SAML access token',
  'TOTP secret',
  'TOTP code',
  'API key',
  'bulk import id',
  'user id',
] as const;

export type Kind = (typeof KINDS)[number];

/** One of each kind, and what else the endpoints ask for beside it. */
export interface Holdings {
  readonly tokens: Readonly<Record<Kind, string>>;
  readonly userId: string;
  /** A device with codes of its own, to which others may be presented. */
  readonly device: { readonly preAuthSessionId: string; readonly deviceId: string };
  /** A response of the identity provider to the login of the relay state. */
  readonly samlResponse: string;
}

type Body = InProcessAnswer['body'];

/** Calls one tenant of a core, at one address. */
export class Caller {
  readonly core: InProcessCore;
  readonly #at: string;

  /** @param at '', `/<tenant>` or `/appid-<app>` */
  constructor(core: InProcessCore, at = '') {
    this.core = core;
    this.#at = at;
  }

  call(method: string, path: string, body?: object, options: InProcessCallOptions = {}): Promise<InProcessAnswer> {
    return this.core.call(method, this.#at + path, body, { apiKey: API_KEY, ...options });
  }

  /** A call that must work; `of` in its app, whose endpoints do not know tenants. */
  async must(method: string, path: string, body?: object, options?: InProcessCallOptions, of: 'tenant' | 'app' = 'tenant'): Promise<Body> {
    const at = of === 'app' && !this.#at.startsWith('/appid-') ? '' : this.#at;
    const answer = await this.core.call(method, at + path, body, { apiKey: API_KEY, ...options });
    const { status } = answer.body;
    if (answer.status !== 200 || (status !== undefined && status !== 'OK')) {
      throw new Error(`${method} ${at}${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer.body;
  }

  /** The tenant it calls. */
  async tenant(): Promise<Tenant> {
    const [, app, tenantId] = /^(?:\/appid-([^/]+))?(?:\/(.+))?$/.exec(this.#at) ?? [];
    const address = { cud: '', appId: app ?? 'public', tenantId: tenantId ?? 'public' };
    const found = await this.core.services.directory.find(address);
    if (!found) throw new Error(`no tenant ${JSON.stringify(address)}`);
    return found;
  }
}

/** One of each kind, of the tenant at an address. */
export async function holdingsOf(caller: Caller, idp: TestIdp): Promise<Holdings> {
  const { user } = await caller.must('POST', '/recipe/signup', { email: 'holder@example.com', password: PASSWORD });
  const userId = (user as { readonly id: string }).id;
  const sessions = await sessionTokens(caller, userId);
  const codes = await loginTokens(caller, userId);
  const saml = await samlTokens(caller, idp);
  const tokens: Readonly<Record<Kind, string>> = {
    ...sessions,
    ...(await jwts(caller, sessions)),
    ...codes.tokens,
    ...saml.tokens,
    ...(await otherTokens(caller, userId)),
    'API key': API_KEY,
    'user id': userId,
  };
  return { tokens, userId, device: codes.device, samlResponse: saml.samlResponse };
}

const tokenIn = (body: Body, name: string): string => (body[name] as { readonly token: string }).token;

async function sessionTokens(caller: Caller, userId: string) {
  const create = (more: object = {}, cdi = '5.4'): Promise<Body> => {
    const body = { userId, enableAntiCsrf: false, userDataInJWT: {}, userDataInDatabase: {}, ...more };
    // Below 3.0 only the public tenant has an address.
    return caller.must('POST', '/recipe/session', body, { cdi }, cdi < '3.0' ? 'app' : 'tenant');
  };
  const [second, third, fourth, fifth, withStaticKey, guarded] = await Promise.all([
    create({}, '2.18'),
    create({}, '2.21'),
    create({}, '3.0'),
    create(),
    create({ useDynamicSigningKey: false }),
    create({ enableAntiCsrf: true }),
  ]);
  return {
    'access token V1': await firstVersion(caller, tokenIn(second, 'accessToken')),
    'access token V2': tokenIn(second, 'accessToken'),
    'access token V3': tokenIn(third, 'accessToken'),
    'access token V4': tokenIn(fourth, 'accessToken'),
    'access token V5': tokenIn(fifth, 'accessToken'),
    'access token V5, static key': tokenIn(withStaticKey, 'accessToken'),
    'access token with anti-CSRF': tokenIn(guarded, 'accessToken'),
    'refresh token': tokenIn(fifth, 'refreshToken'),
    'refresh token with anti-CSRF': tokenIn(guarded, 'refreshToken'),
    idRefreshToken: tokenIn(second, 'idRefreshToken'),
    'anti-CSRF token': String(guarded['antiCsrfToken']),
    'session handle': (fifth['session'] as { readonly handle: string }).handle,
  };
}

/** Signs with a key of the app what no endpoint would sign. */
async function signed(caller: Caller, kind: 'static' | 'dynamic', inputOf: (kid: string) => string, encoding: 'base64' | 'base64url') {
  const [key] = (await caller.core.services.keys.current(await caller.tenant()))[kind];
  if (!key) throw new Error('the app has no key');
  const input = inputOf(key.kid);
  const signature = await caller.core.services.crypto.signRs256(input, key.privateKey);
  return `${input}.${Buffer.from(signature).toString(encoding)}`;
}

/** No version of the interface mints V1 any more: it says what V2 says. */
function firstVersion(caller: Caller, second: string): Promise<string> {
  const header = Buffer.from('{"alg":"RS256","typ":"JWT","version":"1"}').toString('base64');
  return signed(caller, 'dynamic', () => `${header}.${second.split('.')[1]}`, 'base64');
}

async function jwts(caller: Caller, { 'access token V5': token }: { readonly 'access token V5': string }) {
  const says: object = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const plain = async (more: object, useStaticSigningKey = true): Promise<string> => {
    const payload = { sub: 'u', ...more };
    const body = { algorithm: 'RS256', jwksDomain: 'https://example.com', payload, validity: 1000, useStaticSigningKey };
    return String((await caller.must('POST', '/recipe/jwt', body, {}, 'app'))['jwt']);
  };
  const forged = (kind: 'static' | 'dynamic'): Promise<string> => {
    const inputOf = (kid: string): string =>
      [{ kid, typ: 'JWT', alg: 'RS256' }, says].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return signed(caller, kind, inputOf, 'base64url');
  };
  return {
    JWT: await plain({}),
    'JWT, dynamic key': await plain({}, false),
    'JWT with a session handle': await plain({ ...says, refreshTokenHash1: undefined }),
    'JWT with all a session says': await forged('static'),
    'JWT with all a session says, dynamic key': await forged('dynamic'),
  };
}

async function loginTokens(caller: Caller, userId: string) {
  const email = 'holder@example.com';
  const reset = await caller.must('POST', '/recipe/user/password/reset/token', { userId, email });
  const proof = await caller.must('POST', '/recipe/user/email/verify/token', { userId, email });
  const code = await caller.must('POST', '/recipe/signinup/code', { email: 'coded@example.com' });
  const device = await caller.must('POST', '/recipe/signinup/code', { email: 'door@example.com' });
  return {
    tokens: {
      'reset token': String(reset['token']),
      'verification token': String(proof['token']),
      'link code': String(code['linkCode']),
      preAuthSessionId: String(code['preAuthSessionId']),
      'device id': String(code['deviceId']),
      'user input code': String(code['userInputCode']),
      'code id': String(code['codeId']),
    },
    device: { preAuthSessionId: String(device['preAuthSessionId']), deviceId: String(device['deviceId']) },
  };
}

async function samlTokens(caller: Caller, idp: TestIdp) {
  const client = { clientId: 'c', clientSecret: 'the-secret', redirectURIs: [APP], defaultRedirectURI: APP, enableRequestSigning: false };
  await caller.must('PUT', '/recipe/saml/clients', { ...client, metadataXML: base64Of(metadataOf(idp)) });
  const login = async (): Promise<{ readonly relayState: string; readonly samlResponse: string }> => {
    const asked = await caller.must('POST', '/recipe/saml/login', { clientId: 'c', redirectURI: APP, acsURL: ACS, state: 's' });
    const to = readLogin(String(asked['ssoRedirectURI']));
    return { relayState: to.relayState, samlResponse: answerTo(idp, to, { now: caller.core.clock.now }) };
  };
  const code = codeIn(await caller.must('POST', '/recipe/saml/callback', await login()));
  const legacy = codeIn(await caller.must('POST', '/recipe/saml/callback', await login()));
  const { relayState, samlResponse } = await login();
  return { tokens: { 'SAML code': code, 'legacy SAML access token': `${legacy}.c`, 'SAML relay state': relayState }, samlResponse };
}

async function otherTokens(caller: Caller, userId: string) {
  const { now } = caller.core.clock;
  const person = { email: 'admin@example.com', password: PASSWORD };
  // Tenants of one app share its dashboard.
  await caller.call('POST', '/recipe/dashboard/user', person);
  const dashboard = await caller.must('POST', '/recipe/dashboard/signin', person, {}, 'app');
  const device = { userId, deviceName: 'd', skew: 0, period: TOTP_PERIOD };
  const totp = await caller.must('POST', '/recipe/totp/device', device, {}, 'app');
  const secret = String(totp['secret']);
  const imported = { loginMethods: [{ recipeId: 'passwordless', email: 'queued@example.com', isPrimary: true }] };
  const queue = await caller.must('POST', '/bulk-import/users', { users: [imported] }, {}, 'app');
  return {
    'dashboard session': String(dashboard['sessionId']),
    'TOTP secret': secret,
    'TOTP code': totpCode({ secret, period: TOTP_PERIOD, skew: 0 }, now) ?? '',
    'bulk import id': (queue['users'] as readonly { readonly id: string }[])[0]?.id ?? '',
  };
}
