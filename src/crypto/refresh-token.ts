import { createCipheriv, createDecipheriv, pbkdf2Sync } from 'node:crypto';
import { LIMITS } from '../config/limits.ts';
import { decodeBase64 } from './base64.ts';
import { sha256Hex } from './digests.ts';

/** What a refresh token carries, encrypted (contract 02 section 1.6). */
export interface RefreshTokenPayload {
  readonly sessionHandle: string;
  /** The session row's user id: recipe user, external id if mapped. */
  readonly userId: string;
  /** `hash1` of the token that was exchanged for this one; null in a session's first token. */
  readonly parentRefreshTokenHash1: string | null;
  /** 64 hex characters, also outside the encrypted part. */
  readonly nonce: string;
  readonly antiCsrfToken: string | null;
  /** `public` is left out of the token. */
  readonly tenantId: string;
}

/** Answer of `openRefreshToken`; messages as in contract 02 section 2.4, for UNAUTHORISED. */
export type OpenedRefreshToken =
  | { readonly status: 'OK'; readonly payload: RefreshTokenPayload }
  | { readonly status: 'UNAUTHORISED'; readonly message: string };

/** Random bytes of the given length, as `Context.randomBytes`. */
export type RandomBytes = (size: number) => Buffer;

const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const TOKEN_ITERATIONS = 100;
const MASTER_ITERATIONS = 1000;
const MASTER_RANDOM_BYTES = 64;
const PUBLIC_TENANT = 'public';
const SUFFIX = '.V2';
const TYPES = new Set(['V0', 'V1', 'V2']);

const FORMAT_ERROR = 'io.supertokens.session.refreshToken.RefreshToken$InvalidRefreshTokenFormatException: ';
const UNKNOWN_TYPE = unauthorised(`${FORMAT_ERROR}version of refresh token not recognised`);
const TAMPERED = unauthorised('javax.crypto.AEADBadTagException: Tag mismatch');
const INVALID = unauthorised('Invalid refresh token');

/** A new master key, one per app and never rotated (contract 02 section 1.5). Takes about a millisecond. */
export function newRefreshTokenMasterKey(randomBytes: RandomBytes): string {
  const password = randomBytes(MASTER_RANDOM_BYTES).toString('hex');
  const salt = randomBytes(MASTER_RANDOM_BYTES);
  const derived = pbkdf2Sync(password, salt, MASTER_ITERATIONS, MASTER_RANDOM_BYTES, 'sha512');
  return `${MASTER_ITERATIONS}:${salt.toString('hex')}:${derived.toString('hex')}`;
}

/** The nonce of a new token, from a fresh random id. */
export function refreshTokenNonce(randomId: string): string {
  return sha256Hex(randomId);
}

/** Encrypts a payload into a token of the one format that is minted, "V2". Synchronous, about 0.1 ms. */
export function sealRefreshToken(payload: RefreshTokenPayload, master: string, randomBytes: RandomBytes): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', deriveKey(master, iv), iv);
  const sealed = Buffer.concat([iv, cipher.update(payloadText(payload), 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `${sealed.toString('base64')}.${payload.nonce}${SUFFIX}`;
}

/** Decrypts a token; whatever is wrong with it is an answer, never an exception. Synchronous, about 0.1 ms. */
export function openRefreshToken(token: string, master: string): OpenedRefreshToken {
  if (token.length > LIMITS.tokenChars) return INVALID;
  const pieces = token.split('.');
  const [sealedText, nonce] = pieces;
  if (!TYPES.has(pieces.at(-1)?.toUpperCase() ?? '')) return UNKNOWN_TYPE;
  if (pieces.length !== 3 || sealedText === undefined || nonce === undefined) {
    return unauthorised(`${FORMAT_ERROR}Refresh token split with dot yielded an array of length: ${pieces.length}`);
  }
  const sealed = decodeBase64(sealedText, 'standard');
  if ('error' in sealed) return unauthorised(`java.lang.IllegalArgumentException: ${sealed.error}`);
  const plaintext = decrypt(sealed.bytes, master);
  if (plaintext === undefined) return TAMPERED;
  const payload = readPayload(plaintext);
  return payload === undefined || payload.nonce !== nonce ? INVALID : { status: 'OK', payload };
}

/** `H1` of a refresh token: what access tokens and child tokens carry (contract 02 section 1.3). */
export function hash1(token: string): string {
  return sha256Hex(token);
}

/** `H2` from `H1`: the only thing about a refresh token that is stored. */
export function hash2(tokenHash1: string): string {
  return sha256Hex(tokenHash1);
}

function unauthorised(message: string): { readonly status: 'UNAUTHORISED'; readonly message: string } {
  return { status: 'UNAUTHORISED', message };
}

function deriveKey(master: string, iv: Buffer): Buffer {
  return pbkdf2Sync(master, iv, TOKEN_ITERATIONS, KEY_BYTES, 'sha512');
}

function payloadText(payload: RefreshTokenPayload): string {
  const { sessionHandle, userId, parentRefreshTokenHash1, nonce, antiCsrfToken, tenantId } = payload;
  return JSON.stringify({
    sessionHandle,
    userId,
    parentRefreshTokenHash1: parentRefreshTokenHash1 ?? undefined,
    nonce,
    antiCsrfToken: antiCsrfToken ?? undefined,
    tenantId: tenantId === PUBLIC_TENANT ? undefined : tenantId,
  });
}

function decrypt(sealed: Buffer, master: string): string | undefined {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const iv = sealed.subarray(0, IV_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', deriveKey(master, iv), iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  try {
    const plaintext = decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES));
    decipher.final();
    return plaintext.toString('utf8');
  } catch {
    return undefined;
  }
}

function readPayload(text: string): RefreshTokenPayload | undefined {
  let members: unknown;
  try {
    members = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof members !== 'object' || members === null) return undefined;
  const member = (name: string): string | null => {
    const value: unknown = Object.hasOwn(members, name) ? Reflect.get(members, name) : undefined;
    return typeof value === 'string' ? value : null;
  };
  const sessionHandle = member('sessionHandle');
  const userId = member('userId');
  const nonce = member('nonce');
  if (sessionHandle === null || userId === null || nonce === null) return undefined;
  const parentRefreshTokenHash1 = member('parentRefreshTokenHash1');
  const tenantId = member('tenantId') ?? PUBLIC_TENANT;
  return { sessionHandle, userId, parentRefreshTokenHash1, nonce, antiCsrfToken: member('antiCsrfToken'), tenantId };
}
