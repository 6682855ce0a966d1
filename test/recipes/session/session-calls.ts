import { createHash } from 'node:crypto';
import type { CallOptions, CdiClient, Reply } from '../../cdi-client.ts';

/** A token with its times in ms since epoch. */
export interface TokenObject {
  readonly token: string;
  readonly expiry: number;
  readonly createdTime: number;
}

/** What session endpoints answer; which members are there depends on the endpoint and the CDI version. */
export interface SessionAnswer {
  readonly status: string;
  readonly message?: string;
  readonly session?: {
    readonly handle: string;
    readonly userId: string;
    readonly recipeUserId?: string;
    readonly userDataInJWT?: Readonly<Record<string, unknown>>;
    readonly tenantId?: string;
  };
  readonly accessToken?: TokenObject;
  readonly refreshToken?: TokenObject;
  readonly antiCsrfToken?: string;
  readonly payloadUpdateAvailable?: boolean;
  readonly recentTokenReuseSubtype?: string;
  readonly sessionHandles?: readonly string[];
  readonly sessionHandlesRevoked?: readonly string[];
  readonly userDataInDatabase?: Readonly<Record<string, unknown>>;
  readonly expiry?: number;
  readonly timeCreated?: number;
}

/** A session as a back end holds it after create or refresh: every part is there. */
export interface Grant {
  readonly handle: string;
  readonly userId: string;
  readonly access: string;
  readonly refresh: string;
  readonly answer: SessionAnswer;
}

type Fields = Readonly<Record<string, unknown>>;

/** The parts of an answer that granted tokens; fails with the whole answer where it did not. */
export function grantOf(reply: Reply<SessionAnswer>): Grant {
  const { session, accessToken, refreshToken } = reply.body;
  if (reply.body.status !== 'OK' || !session || !accessToken || !refreshToken) throw new Error(`no tokens: ${reply.status} ${reply.text}`);
  return { handle: session.handle, userId: session.userId, access: accessToken.token, refresh: refreshToken.token, answer: reply.body };
}

/** Creates a session and answers whatever comes. */
export function tryCreate(core: CdiClient, userId: string, fields: Fields = {}, options?: CallOptions): Promise<Reply<SessionAnswer>> {
  const body = { userId, userDataInJWT: {}, userDataInDatabase: {}, enableAntiCsrf: false, ...fields };
  return core.post<SessionAnswer>('/recipe/session', body, options);
}

/** Creates a session that must come to be. */
export async function create(core: CdiClient, userId: string, fields?: Fields, options?: CallOptions): Promise<Grant> {
  return grantOf(await tryCreate(core, userId, fields, options));
}

/** Exchanges a refresh token and answers whatever comes. */
export function tryRefresh(
  core: CdiClient,
  refreshToken: string,
  fields: Fields = {},
  options?: CallOptions,
): Promise<Reply<SessionAnswer>> {
  const body = { refreshToken, enableAntiCsrf: false, useDynamicSigningKey: true, ...fields };
  return core.post<SessionAnswer>('/recipe/session/refresh', body, options);
}

/** Exchanges a refresh token that must be good. */
export async function refresh(core: CdiClient, refreshToken: string, fields?: Fields, options?: CallOptions): Promise<Grant> {
  return grantOf(await tryRefresh(core, refreshToken, fields, options));
}

/** Verifies an access token, without the database unless the fields ask for it. */
export async function verify(core: CdiClient, accessToken: string, fields: Fields = {}, options?: CallOptions): Promise<SessionAnswer> {
  const body = { accessToken, doAntiCsrfCheck: false, enableAntiCsrf: false, checkDatabase: false, ...fields };
  const reply = await core.post<SessionAnswer>('/recipe/session/verify', body, options);
  if (reply.status !== 200) throw new Error(`verify: ${reply.status} ${reply.text}`);
  return reply.body;
}

/** True while the session's row is there. */
export async function exists(core: CdiClient, handle: string): Promise<boolean> {
  return (await core.get<SessionAnswer>('/recipe/session', { sessionHandle: handle })).body.status === 'OK';
}

/** What a signed token says; its signature is not looked at. */
export interface TokenParts {
  readonly header: Readonly<Record<string, unknown>> & { readonly kid: string };
  readonly claims: Readonly<Record<string, unknown>> & { readonly iat: number; readonly exp: number };
}

/** Reads header and claims of a V3 or later access token. */
export function decode(token: string): TokenParts {
  const [header = '', claims = ''] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header), claims: JSON.parse(claims) };
}

/** The hash by which access tokens name the refresh token they came with (lower-case hex of SHA-256). */
export function hash1(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
