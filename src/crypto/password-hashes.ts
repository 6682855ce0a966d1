import type { HashParameters } from './crypto.ts';
import { type ForeignFamily, foreignFamily, isForeign, parseForeign, readForeign } from './foreign-hashes.ts';
import { HASH_LIMITS, scryptBytes } from './hash-limits.ts';

/** Those of the contract (03 section 1.3). */
type ContractFamily = 'argon2' | 'bcrypt' | 'firebase';

/** The families of stored password hashes. */
export type HashFamily = ContractFamily | ForeignFamily;

const ARGON2 = /^\$argon2(?:id|i|d)/;
const BCRYPT = /^\$2[abxy]/;
const FIREBASE = '$f_scrypt$';

/** The family whose verifier looks at a hash, in the order of the contract; undefined where no password can match. */
export function hashFamily(hash: string): HashFamily | undefined {
  if (ARGON2.test(hash)) return 'argon2';
  if (BCRYPT.test(hash)) return 'bcrypt';
  return hash.startsWith(FIREBASE) ? 'firebase' : foreignFamily(hash);
}

/** True for the kinds that only an import from other systems brings. */
export function isForeignHash(hash: string): boolean {
  const family = hashFamily(hash);
  return family !== undefined && isForeign(family);
}

/** Said of a hash that `isTooCostly`. */
export const TOO_COSTLY_MESSAGE = 'Password hash costs too much to be verified';

const twoDigits = (rounds: number): string => String(rounds).padStart(2, '0');

/**
 * A well-formed hash of these parameters with a chosen digest: no known password matches it, and verifying against it
 * costs what a real hash costs. Sign-in uses it for unknown users.
 */
export function unknownUserHash(parameters: HashParameters): string {
  if (parameters.algorithm === 'BCRYPT') return `$2a$${twoDigits(parameters.rounds)}$${'.'.repeat(22)}${'.'.repeat(31)}`;
  const { memoryKb, iterations, parallelism } = parameters;
  return `$argon2id$v=19$m=${memoryKb},t=${iterations},p=${parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;
}

/** True for a well-formed hash above `HASH_LIMITS`: whoever imports it should learn that nobody can sign in with it. */
export function isTooCostly(hash: string): boolean {
  const family = hashFamily(hash);
  return family !== undefined && readerOf(family)(hash) !== undefined && parserOf(family)(hash) === undefined;
}

/** True when hashes of these parameters can be verified: the algorithm knows the cost, and `HASH_LIMITS` allows it. */
export function isVerifiable(parameters: HashParameters): boolean {
  if (parameters.algorithm === 'ARGON2') return parseArgon2(unknownUserHash(parameters)) !== undefined;
  const { rounds } = parameters;
  return Number.isInteger(rounds) && rounds >= HASH_LIMITS.bcryptMinRounds && rounds <= HASH_LIMITS.bcryptRounds;
}

/** A parsed bcrypt hash. */
export interface BcryptHash {
  /** With the one prefix that is written. */
  readonly asWritten: string;
  readonly rounds: number;
  /** In bcrypt's own base64. */
  readonly salt: string;
}

const BCRYPT_FORM = /^\$2a\$([0-9]{2})\$([./A-Za-z0-9]{22})[./A-Za-z0-9]{31}$/;

/** Of the algorithm itself. */
const BCRYPT_MOST_ROUNDS = 31;

function readBcrypt(hash: string): BcryptHash | undefined {
  const asWritten = `$2a${hash.slice(3)}`;
  const [, rounds, salt] = BCRYPT_FORM.exec(asWritten) ?? [];
  const cost = Number(rounds);
  if (salt === undefined || cost < HASH_LIMITS.bcryptMinRounds || cost > BCRYPT_MOST_ROUNDS) return undefined;
  return { asWritten, rounds: cost, salt };
}

/** Reads a bcrypt hash of any prefix. Undefined where malformed or over `HASH_LIMITS`. */
export function parseBcrypt(hash: string): BcryptHash | undefined {
  const read = readBcrypt(hash);
  return read && read.rounds <= HASH_LIMITS.bcryptRounds ? read : undefined;
}

/** False for hashes that no password matches, told without work: malformed ones and those over `HASH_LIMITS`. */
export function canMatch(hash: string): boolean {
  const family = hashFamily(hash);
  return family !== undefined && parserOf(family)(hash) !== undefined;
}

type Read = (hash: string) => object | undefined;

/** Read hashes of any cost. */
const READERS: Readonly<Record<ContractFamily, Read>> = { argon2: readArgon2, bcrypt: readBcrypt, firebase: readScrypt };
/** Read those within `HASH_LIMITS`. */
const PARSERS: Readonly<Record<ContractFamily, Read>> = { argon2: parseArgon2, bcrypt: parseBcrypt, firebase: parseFirebase };

const readerOf = (family: HashFamily): Read => (isForeign(family) ? (hash) => readForeign(family, hash) : READERS[family]);
const parserOf = (family: HashFamily): Read => (isForeign(family) ? (hash) => parseForeign(family, hash) : PARSERS[family]);

/** True for a hash of this family that is well-formed, whatever its cost. */
export function isWellFormed(family: HashFamily, hash: string): boolean {
  return hashFamily(hash) === family && readerOf(family)(hash) !== undefined;
}

/** Bytes of a password that bcrypt sees; a shorter one is followed by a NUL, so that its end is seen too. */
const BCRYPT_SEEN_BYTES = 72;

/**
 * True when a password that matches a hash ought to be hashed anew with these parameters: the hash is weaker, and
 * certainly made of this very password (bcrypt sees 72 bytes only, firebase's hash ASCII only). Weaker are: for new
 * bcrypt hashes, bcrypt of fewer rounds; for new argon2 hashes, every bcrypt hash, and argon2 of another type or
 * version or of less memory times passes; always firebase's hashes, since they need a key that is not their own, and
 * those that only an import brings (several of them take a password that ends in NULs for the one without).
 */
export function shouldRehash(hash: string, password: string, parameters: HashParameters): boolean {
  const family = hashFamily(hash);
  if (family !== undefined && isForeign(family)) return !password.endsWith('\0');
  if (family === 'firebase') return /^[\0-\x7f]*$/.test(password);
  if (parameters.algorithm === 'BCRYPT') return family === 'bcrypt' && Number(hash.slice(4, 6)) < parameters.rounds;
  if (family === 'bcrypt') return Buffer.byteLength(password) < BCRYPT_SEEN_BYTES;
  const stored = parseArgon2(hash);
  if (!stored) return false;
  const isOld = stored.type !== 'argon2id' || stored.version !== 19;
  return isOld || stored.memoryKb * stored.iterations < parameters.memoryKb * parameters.iterations;
}

/** A parsed argon2 hash. */
export interface Argon2Hash {
  readonly type: 'argon2d' | 'argon2i' | 'argon2id';
  /** 16 (0x10) or 19 (0x13). */
  readonly version: 16 | 19;
  readonly memoryKb: number;
  readonly iterations: number;
  readonly parallelism: number;
  readonly salt: Buffer;
  readonly digest: Buffer;
}

const ARGON2_FORM =
  /^\$(argon2id|argon2i|argon2d)(?:\$v=(16|19))?\$m=([0-9]{1,10}),t=([0-9]{1,10}),p=([0-9]{1,8})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;
const ARGON2_MIN_SALT_BYTES = 8;
const ARGON2_MIN_DIGEST_BYTES = 4;
/** Each lane needs this many blocks (RFC 9106 section 3.1). */
const ARGON2_BLOCKS_PER_LANE = 8;

/** Reads the reference encoding of argon2 (no `v=`: version 16). Undefined where malformed or over `HASH_LIMITS`. */
export function parseArgon2(hash: string): Argon2Hash | undefined {
  const read = readArgon2(hash);
  if (!read) return undefined;
  const { memoryKb, iterations, parallelism, salt, digest } = read;
  if (memoryKb > HASH_LIMITS.argon2MemoryKb || memoryKb * iterations > HASH_LIMITS.argon2WorkKb) return undefined;
  if (parallelism > HASH_LIMITS.argon2Parallelism || Math.max(salt.length, digest.length) > HASH_LIMITS.argon2Bytes) return undefined;
  return read;
}

function readArgon2(hash: string): Argon2Hash | undefined {
  const [, type, version, m, t, p, saltText, digestText] = ARGON2_FORM.exec(hash) ?? [];
  if (type === undefined || saltText === undefined || digestText === undefined) return undefined;
  const [memoryKb, iterations, parallelism] = [Number(m), Number(t), Number(p)];
  const salt = unpadded(saltText);
  const digest = unpadded(digestText);
  if (!salt || !digest || salt.length < ARGON2_MIN_SALT_BYTES || digest.length < ARGON2_MIN_DIGEST_BYTES) return undefined;
  if (iterations < 1 || parallelism < 1 || memoryKb < ARGON2_BLOCKS_PER_LANE * parallelism) return undefined;
  return { type: type as Argon2Hash['type'], version: version === '19' ? 19 : 16, memoryKb, iterations, parallelism, salt, digest };
}

/** Base64 without padding and with nothing in its unused bits, as the reference implementation of argon2 takes it. */
function unpadded(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64').replace(/=+$/, '') === text ? bytes : undefined;
}

/** A parsed firebase hash. */
export interface FirebaseHash {
  /** Standard padded base64 of what the signer key encrypts to. */
  readonly digest: string;
  /** Salt and salt separator. */
  readonly salt: Buffer;
  /** N of scrypt. */
  readonly cost: number;
  /** r of scrypt. */
  readonly blockSize: number;
}

const INT32 = /^[+-]?[0-9]{1,10}$/;
const INT32_LIMIT = 2 ** 31;

/** Reads `$f_scrypt$<hash>$<salt>$m=…$r=…$s=…`, the last three in any order; undefined as `parseArgon2`. */
export function parseFirebase(hash: string): FirebaseHash | undefined {
  const read = readScrypt(hash);
  if (!read || read.salt.length > HASH_LIMITS.scryptSaltBytes) return undefined;
  return scryptBytes(read.cost, read.blockSize) > HASH_LIMITS.scryptBytes ? undefined : read;
}

/** Bits of N for each unit of r (RFC 7914 section 2: N < 2^(128 * r / 8)). */
const SCRYPT_COST_BITS = 16;

/** A firebase hash whose parameters scrypt takes. */
function readScrypt(hash: string): FirebaseHash | undefined {
  const read = readFirebase(hash);
  if (!read || read.cost < 2 || read.blockSize < 1) return undefined;
  return Math.log2(read.cost) < SCRYPT_COST_BITS * read.blockSize ? read : undefined;
}

/** True for what has the form of a firebase hash, whatever its costs. */
export function isFirebaseHash(hash: string): boolean {
  return readFirebase(hash) !== undefined;
}

function readFirebase(hash: string): FirebaseHash | undefined {
  if (!hash.startsWith(FIREBASE)) return undefined;
  const parts = hash.split('$');
  while (parts.at(-1) === '') parts.pop();
  const [, , digest, salt, ...settings] = parts;
  if (parts.length !== 7 || digest === undefined || salt === undefined) return undefined;
  const memory = intSetting(settings, 'm=');
  const blockSize = intSetting(settings, 'r=');
  const separator = setting(settings, 's=');
  if (memory === undefined || blockSize === undefined || separator === undefined) return undefined;
  // Node's decoder is as lenient here as the reference's: both alphabets, padding or none.
  return { digest, salt: Buffer.concat([Buffer.from(salt, 'base64'), Buffer.from(separator, 'base64')]), cost: 2 ** memory, blockSize };
}

/** The text between the prefix and its next occurrence, as the reference cuts it; an empty one is a failure. */
function setting(settings: readonly string[], prefix: string): string | undefined {
  const found = settings.findLast((each) => each.startsWith(prefix));
  return found?.split(prefix)[1] || undefined;
}

function intSetting(settings: readonly string[], prefix: string): number | undefined {
  const text = setting(settings, prefix);
  if (text === undefined || !INT32.test(text)) return undefined;
  const value = Number(text);
  return value < INT32_LIMIT && value >= -INT32_LIMIT ? value : undefined;
}
