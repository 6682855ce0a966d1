import type { AccessTokenVersion } from '../cdi/traits.ts';
import { LIMITS } from '../config/limits.ts';
import { quote } from '../json/answer.ts';
import { EMPTY_OBJECT, isJsonObject, type JsonObject, type JsonText, type JsonTree, parseJson, toJsonText } from '../json/free-form.ts';
import { hasMoreParts } from '../json/parts.ts';

export type { AccessTokenVersion };

/** What an access token says, in either direction. Times are ms since epoch. */
export interface AccessTokenClaims {
  readonly version: AccessTokenVersion;
  readonly sessionHandle: string;
  /** The primary user. */
  readonly userId: string;
  /** V1 to V4 cannot express it: reading gives `userId`. */
  readonly recipeUserId: string;
  /** V1 to V3 cannot express it: reading gives `public`. */
  readonly tenantId: string;
  readonly refreshTokenHash1: string;
  readonly parentRefreshTokenHash1: string | null;
  readonly antiCsrfToken: string | null;
  /** The custom claims: a JSON object without protected members (V3 and later). */
  readonly claims: JsonText;
  readonly expiryMs: number;
  readonly createdMs: number;
}

/** What is to be signed. `expiryMs` and `createdMs` are what the token will say: whole seconds from V3 on. */
export type AccessTokenInput =
  | { readonly status: 'OK'; readonly input: string; readonly expiryMs: number; readonly createdMs: number }
  /** A custom claim has a protected name: text `The user payload contains protected field`. */
  | { readonly status: 'PROTECTED_FIELD' }
  /** It would not be read again: its claims or ids are too large. */
  | { readonly status: 'TOO_LARGE' };

type FlatVersion = Exclude<AccessTokenVersion, '1' | '2'>;

const NESTED_MEMBERS = ['userId', 'expiryTime', 'timeCreated', 'sessionHandle', 'refreshTokenHash1'] as const;
const V3_MEMBERS = ['sub', 'exp', 'iat', 'sessionHandle', 'refreshTokenHash1', 'parentRefreshTokenHash1', 'antiCsrfToken'] as const;

/** Each version's protected claim names, in the order of the check of their presence (contract 02 section 1.7). */
export const PROTECTED_CLAIMS: Readonly<Record<AccessTokenVersion, readonly string[]>> = {
  1: NESTED_MEMBERS,
  2: NESTED_MEMBERS,
  3: V3_MEMBERS,
  4: [...V3_MEMBERS, 'tId'],
  5: [...V3_MEMBERS, 'tId', 'rsub'],
};

/** The text for a collision of custom claims with `PROTECTED_CLAIMS`. */
export const PROTECTED_FIELD_MESSAGE = 'The user payload contains protected field';

const PROTECTED_SETS: Readonly<Record<AccessTokenVersion, ReadonlySet<string>>> = {
  1: new Set(PROTECTED_CLAIMS[1]),
  2: new Set(PROTECTED_CLAIMS[2]),
  3: new Set(PROTECTED_CLAIMS[3]),
  4: new Set(PROTECTED_CLAIMS[4]),
  5: new Set(PROTECTED_CLAIMS[5]),
};

/** The exact first part of V1 and V2 tokens. */
export const NESTED_HEADERS = {
  1: Buffer.from('{"alg":"RS256","typ":"JWT","version":"1"}').toString('base64'),
  2: Buffer.from('{"alg":"RS256","typ":"JWT","version":"2"}').toString('base64'),
} as const;

const MS_PER_SECOND = 1000;

/** True when the top level of the custom claims has a member that tokens of this version keep for themselves. */
export function hasProtectedClaim(version: AccessTokenVersion, claims: JsonText): boolean {
  if (claims === EMPTY_OBJECT) return false;
  const names = PROTECTED_SETS[version];
  // Only names are looked at here, so numbers may be read carelessly.
  return Object.keys(JSON.parse(claims) as object).some((name) => names.has(name));
}

/** The signing input of a new token; V1 and V2 have no key id and nest claims unchecked. @param kid signing key's id */
export function accessTokenInput(token: AccessTokenClaims, kid: string): AccessTokenInput {
  const { version } = token;
  if (version === '1' || version === '2') {
    const payload = nestedPayload(token);
    if (isTooLarge(payload)) return { status: 'TOO_LARGE' };
    const input = `${NESTED_HEADERS[version]}.${Buffer.from(payload).toString('base64')}`;
    return { status: 'OK', input, expiryMs: token.expiryMs, createdMs: token.createdMs };
  }
  if (hasProtectedClaim(version, token.claims)) return { status: 'PROTECTED_FIELD' };
  const exp = Math.floor(token.expiryMs / MS_PER_SECOND);
  const iat = Math.floor(token.createdMs / MS_PER_SECOND);
  const payload = flatPayload(token, version, iat, exp);
  if (isTooLarge(payload)) return { status: 'TOO_LARGE' };
  const input = `${flatHeader(version, kid)}.${Buffer.from(payload).toString('base64url')}`;
  return { status: 'OK', input, expiryMs: exp * MS_PER_SECOND, createdMs: iat * MS_PER_SECOND };
}

/** True for a payload that costs too much to read; none is made either, so every token made can be read. */
export function isTooLarge(payload: string): boolean {
  return Buffer.byteLength(payload) > LIMITS.accessTokenBytes || hasMoreParts(payload, LIMITS.accessTokenParts);
}

/** The finished token: signing input and signature in the encoding of its version. */
export function joinAccessToken(version: AccessTokenVersion, input: string, signature: Uint8Array): string {
  const bytes = Buffer.from(signature.buffer, signature.byteOffset, signature.byteLength);
  return `${input}.${bytes.toString(version === '1' || version === '2' ? 'base64' : 'base64url')}`;
}

/**
 * The custom claims as a V3 or later token shows them: like the reference, `aud` keeps only its strings (one left: that
 * string; none left: no claim). Compare a token's claims with this, never with the claims themselves.
 */
export function claimsAsSigned(version: AccessTokenVersion, claims: JsonText): JsonText {
  if (version === '1' || version === '2' || !claims.includes('"aud"')) return claims;
  const tree = parseJson(claims);
  return isJsonObject(tree) && Object.hasOwn(tree, 'aud') ? toJsonText(membersAsSigned(tree)) : claims;
}

/** The same for claims that are parsed. */
export function membersAsSigned(claims: JsonObject): JsonObject {
  if (!Object.hasOwn(claims, 'aud')) return claims;
  const { aud, ...rest } = claims;
  const audience = audienceOf(aud);
  return audience === undefined ? rest : { ...claims, aud: audience };
}

function audienceOf(aud: JsonTree | undefined): JsonTree | undefined {
  if (!Array.isArray(aud)) return typeof aud === 'string' ? aud : undefined;
  const strings = aud.filter((item) => typeof item === 'string');
  return strings.length > 1 ? strings : strings[0];
}

let lastHeader = { version: '' as string, kid: '', text: '' };

/** Headers repeat for as long as a key signs, so the last one is remembered. */
function flatHeader(version: FlatVersion, kid: string): string {
  if (lastHeader.kid !== kid || lastHeader.version !== version) {
    const header = `{"kid":${quote(kid)},"typ":"JWT","version":"${version}","alg":"RS256"}`;
    lastHeader = { version, kid, text: Buffer.from(header).toString('base64url') };
  }
  return lastHeader.text;
}

const quoteOrNull = (text: string | null): string => (text === null ? 'null' : quote(text));

function flatPayload(token: AccessTokenClaims, version: FlatVersion, iat: number, exp: number): string {
  const tenant = version === '3' ? '' : `,"tId":${quote(token.tenantId)}`;
  const recipeUser = version === '5' ? `,"rsub":${quote(token.recipeUserId)}` : '';
  const claims = claimsAsSigned(version, token.claims);
  return (
    `{"iat":${iat},"exp":${exp},"sub":${quote(token.userId)}${tenant}${recipeUser},"sessionHandle":${quote(token.sessionHandle)}` +
    `,"refreshTokenHash1":${quote(token.refreshTokenHash1)},"parentRefreshTokenHash1":${quoteOrNull(token.parentRefreshTokenHash1)}` +
    `,"antiCsrfToken":${quoteOrNull(token.antiCsrfToken)}${claims === EMPTY_OBJECT ? '' : `,${claims.slice(1, -1)}`}}`
  );
}

function nestedPayload(token: AccessTokenClaims): string {
  const { parentRefreshTokenHash1: parent, antiCsrfToken } = token;
  return (
    `{"userId":${quote(token.userId)},"expiryTime":${token.expiryMs},"timeCreated":${token.createdMs}` +
    `,"sessionHandle":${quote(token.sessionHandle)},"refreshTokenHash1":${quote(token.refreshTokenHash1)}` +
    `${parent === null ? '' : `,"parentRefreshTokenHash1":${quote(parent)}`}` +
    `${antiCsrfToken === null ? '' : `,"antiCsrfToken":${quote(antiCsrfToken)}`},"userData":${token.claims}}`
  );
}
