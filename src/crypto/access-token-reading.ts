import { Remembered } from '../caches/remembered.ts';
import { LIMITS } from '../config/limits.ts';
import {
  EMPTY_OBJECT,
  isJsonObject,
  type JsonObject,
  type JsonText,
  type JsonTree,
  parseJsonObject,
  toJsonText,
} from '../json/free-form.ts';
import { type AccessTokenClaims, type AccessTokenVersion, isTooLarge, NESTED_HEADERS, PROTECTED_CLAIMS } from './access-token.ts';

/** A token taken apart; nothing of it is checked beyond its header. */
export interface AccessTokenParts {
  readonly version: AccessTokenVersion;
  /** Id of the key that signed it; null for V1 and V2, where every key is tried. */
  readonly kid: string | null;
  /** The text that was signed. */
  readonly input: string;
  /** The second part, still encoded. */
  readonly payload: string;
  /** Undefined where the third part is not canonical base64: no key verifies it. */
  readonly signature: Buffer | undefined;
}

/** Messages as in contract 02 section 2.3. `MALFORMED`: no such token; `INCOMPLETE`: lacks a required member. */
export type Unreadable = { readonly status: 'MALFORMED' | 'INCOMPLETE'; readonly message: string };

const JWT_ERROR = 'io.supertokens.session.jwt.JWT$JWTException: ';
/** Also the prefix of the message for a required member that is missing. */
export const INCOMPLETE_MESSAGE = 'Access token does not contain all the information. Maybe the structure has changed?';
export const BAD_SIGNATURE_MESSAGE = `${JWT_ERROR}JWT verification failed`;
export const UNKNOWN_KEY_MESSAGE = 'Key not found';
export const EXPIRED_MESSAGE = 'Access token expired';

const BASE64_EITHER = /^[A-Za-z0-9+/_-]*={0,2}$/;
const FLAT_VERSIONS: readonly unknown[] = ['3', '4', '5'] satisfies AccessTokenVersion[];
const PUBLIC_TENANT = 'public';
const MS_PER_SECOND = 1000;
const PARTS = 3;

const malformed = (text: string): Unreadable => ({ status: 'MALFORMED', message: `${JWT_ERROR}${text}` });
const incomplete = (name: string): Unreadable => ({ status: 'INCOMPLETE', message: `${INCOMPLETE_MESSAGE} ${name}` });

const INVALID = malformed('Invalid JWT');

/** Splits a token and checks its header: step 1 of contract 02 section 1.7. A dot at the end makes a fourth part. */
export function parseAccessToken(token: string): { readonly status: 'OK'; readonly parts: AccessTokenParts } | Unreadable {
  if (token.length > LIMITS.tokenChars) return INVALID;
  const [header, payload, signature, ...more] = token.split('.', PARTS + 1);
  if (header === undefined || payload === undefined || signature === undefined || more.length > 0) return INVALID;
  const nested: '1' | '2' | undefined = header === NESTED_HEADERS[2] ? '2' : header === NESTED_HEADERS[1] ? '1' : undefined;
  const read = nested === undefined ? knownHeader(header) : { status: 'OK' as const, version: nested, kid: null };
  if (read.status !== 'OK') return read;
  const input = `${header}.${payload}`;
  const encoding = nested === undefined ? 'base64url' : 'base64';
  return { status: 'OK', parts: { version: read.version, kid: read.kid, input, payload, signature: canonical(signature, encoding) } };
}

/** Reads the payload: step 4 of contract 02 section 1.7. Neither the signature nor the expiry is looked at. */
export function readAccessTokenPayload(parts: AccessTokenParts): { readonly status: 'OK'; readonly token: AccessTokenClaims } | Unreadable {
  const text = decodeText(parts.payload);
  const members = text === undefined || isTooLarge(text) ? undefined : parseJsonObject(text);
  if (members === undefined) return INVALID;
  const missing = PROTECTED_CLAIMS[parts.version].find((name) => !Object.hasOwn(members, name));
  if (missing !== undefined) return incomplete(missing);
  const { version } = parts;
  const shape = version === '1' || version === '2' ? NESTED_SHAPE : FLAT_SHAPE;
  const wrong =
    shape.texts.find((name) => typeof members[name] !== 'string') ?? shape.times.find((name) => typeof members[name] !== 'number');
  if (wrong !== undefined) return incomplete(wrong);
  return { status: 'OK', token: version === '1' || version === '2' ? nestedToken(version, members) : flatToken(version, members) };
}

/** The members that must be strings and numbers; the others may be null. */
const NESTED_SHAPE = { texts: ['userId', 'sessionHandle', 'refreshTokenHash1'], times: ['expiryTime', 'timeCreated'] };
const FLAT_SHAPE = { texts: ['sub', 'sessionHandle', 'refreshTokenHash1'], times: ['exp', 'iat'] };

type FlatHeader = { readonly status: 'OK'; readonly version: AccessTokenVersion; readonly kid: string } | Unreadable;

/** Headers read lately: all tokens of a key and a version have the same one. */
const headers = new Remembered<string, FlatHeader>(256);
/** Headers of our tokens are shorter; what is longer is not worth keeping. */
const KEPT_HEADER_LENGTH = 256;

function knownHeader(encoded: string): FlatHeader {
  const known = headers.get(encoded);
  if (known) return known;
  const read = readFlatHeader(encoded);
  if (read.status === 'OK' && encoded.length <= KEPT_HEADER_LENGTH) headers.set(encoded, read);
  return read;
}

function readFlatHeader(encoded: string): FlatHeader {
  const text = encoded.length > LIMITS.tokenHeaderChars ? undefined : decodeText(encoded);
  const header = text === undefined ? undefined : parseJsonObject(text);
  if (header === undefined) return INVALID;
  for (const [name, value] of [
    ['typ', 'JWT'],
    ['alg', 'RS256'],
  ] as const) {
    if (!isPrimitive(header[name])) return malformed(`JWT header missing - ${name}`);
    if (header[name] !== value) return malformed(`JWT header mismatch - ${name}`);
  }
  // Only session tokens have one: what `POST /recipe/jwt` signs with the same keys is no session, whatever it says.
  if (!Object.hasOwn(header, 'version')) return malformed('JWT header missing - version');
  const version = header['version'];
  if (!isFlatVersion(version)) return malformed('JWT header mismatch - version');
  const kid = header['kid'];
  if (!isPrimitive(kid)) return malformed('JWT header missing - kid');
  return typeof kid === 'string' ? { status: 'OK', version, kid } : malformed('JWT header mismatch - kid');
}

const isFlatVersion = (version: JsonTree | undefined): version is AccessTokenVersion => FLAT_VERSIONS.includes(version);

/** A lossless number is primitive too. */
const isPrimitive = (value: JsonTree | undefined): boolean =>
  value !== undefined && value !== null && !Array.isArray(value) && !isJsonObject(value);

/** Text in base64 of either alphabet. */
function decodeText(encoded: string): string | undefined {
  // Node accepts both alphabets under either name, but it also skips characters of neither.
  return BASE64_EITHER.test(encoded) ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}

/** Only one spelling of a signature is taken, so that nobody can fill a cache of tokens with variants of one. */
function canonical(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}

const stringOf = (value: JsonTree | undefined): string => (typeof value === 'string' ? value : '');
const stringOrNull = (value: JsonTree | undefined): string | null => (typeof value === 'string' ? value : null);
const numberOf = (value: JsonTree | undefined): number => (typeof value === 'number' ? value : 0);

function nestedToken(version: AccessTokenVersion, members: JsonObject): AccessTokenClaims {
  const userId = stringOf(members['userId']);
  return {
    version,
    userId,
    recipeUserId: userId,
    tenantId: PUBLIC_TENANT,
    sessionHandle: stringOf(members['sessionHandle']),
    refreshTokenHash1: stringOf(members['refreshTokenHash1']),
    parentRefreshTokenHash1: stringOrNull(members['parentRefreshTokenHash1']),
    antiCsrfToken: stringOrNull(members['antiCsrfToken']),
    claims: isJsonObject(members['userData']) ? toJsonText(members['userData']) : EMPTY_OBJECT,
    expiryMs: numberOf(members['expiryTime']),
    createdMs: numberOf(members['timeCreated']),
  };
}

function flatToken(version: AccessTokenVersion, members: JsonObject): AccessTokenClaims {
  const userId = stringOf(members['sub']);
  return {
    version,
    userId,
    recipeUserId: version === '5' ? (stringOrNull(members['rsub']) ?? userId) : userId,
    tenantId: version === '3' ? PUBLIC_TENANT : (stringOrNull(members['tId']) ?? PUBLIC_TENANT),
    sessionHandle: stringOf(members['sessionHandle']),
    refreshTokenHash1: stringOf(members['refreshTokenHash1']),
    parentRefreshTokenHash1: stringOrNull(members['parentRefreshTokenHash1']),
    antiCsrfToken: stringOrNull(members['antiCsrfToken']),
    claims: customClaims(version, members),
    expiryMs: numberOf(members['exp']) * MS_PER_SECOND,
    createdMs: numberOf(members['iat']) * MS_PER_SECOND,
  };
}

/** Every member that is not the version's own. */
function customClaims(version: AccessTokenVersion, members: JsonObject): JsonText {
  const own = PROTECTED_CLAIMS[version];
  const names = Object.keys(members).filter((name) => !own.includes(name));
  if (names.length === 0) return EMPTY_OBJECT;
  return toJsonText(Object.fromEntries(names.map((name) => [name, members[name] ?? null])));
}
