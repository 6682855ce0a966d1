import { HASH_LIMITS, scryptBytes } from './hash-limits.ts';

/*
 * Password hashes of other systems: kinds that the contract does not know and only an import brings. docs/import.md
 * holds the grammar of their strings.
 */

/** The kinds, each with a verifier of its own. */
export type ForeignFamily = 'scrypt' | 'pbkdf2' | 'shaCrypt' | 'md5Crypt' | 'saltedSha' | 'hmac';

/** A SHA as Node names it. */
export type Sha = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** Whether the salt stands before or behind the password. */
export type SaltPlace = 'prefix' | 'suffix';

/** What the strings hold. `digest` is what a right password comes to. */
export interface ForeignHashes {
  readonly scrypt: {
    readonly cost: number;
    readonly blockSize: number;
    readonly parallelism: number;
    readonly salt: Buffer;
    readonly digest: Buffer;
  };
  readonly pbkdf2: { readonly sha: Sha; readonly iterations: number; readonly salt: Buffer; readonly digest: Buffer };
  readonly shaCrypt: { readonly sha: 'sha256' | 'sha512'; readonly rounds: number; readonly salt: Buffer; readonly digest: string };
  readonly md5Crypt: { readonly salt: Buffer; readonly digest: string };
  readonly saltedSha: { readonly sha: Sha; readonly place: SaltPlace; readonly salt: Buffer; readonly digest: Buffer };
  readonly hmac: { readonly sha: Sha; readonly place: SaltPlace; readonly key: Buffer; readonly salt: Buffer; readonly digest: Buffer };
}

/** How the strings of a kind are recognised, read and bounded. */
interface Kind<F extends ForeignFamily> {
  readonly prefix: RegExp;
  /** Undefined where the string is malformed. */
  readonly read: (hash: string) => ForeignHashes[F] | undefined;
  /** Whether verifying it stays within `HASH_LIMITS`. */
  readonly isCheap: (hash: ForeignHashes[F]) => boolean;
}

const always = (): boolean => true;

const KINDS: { readonly [F in ForeignFamily]: Kind<F> } = {
  scrypt: { prefix: /^\$scrypt\$/, read: readScrypt, isCheap: isCheapScrypt },
  pbkdf2: { prefix: /^\$pbkdf2(?:-sha(?:1|256|384|512))?\$/, read: readPbkdf2, isCheap: isCheapPbkdf2 },
  shaCrypt: { prefix: /^\$[56]\$/, read: readShaCrypt, isCheap: ({ rounds }) => rounds <= HASH_LIMITS.shaCryptRounds },
  md5Crypt: { prefix: /^\$1\$/, read: readMd5Crypt, isCheap: always },
  saltedSha: { prefix: /^\$salted-/, read: readSaltedSha, isCheap: always },
  hmac: { prefix: /^\$hmac-/, read: readHmac, isCheap: always },
};

const FAMILIES = Object.keys(KINDS) as readonly ForeignFamily[];

/** The kind whose string begins like this one. */
export function foreignFamily(hash: string): ForeignFamily | undefined {
  return FAMILIES.find((family) => KINDS[family].prefix.test(hash));
}

export function isForeign(family: string): family is ForeignFamily {
  return Object.hasOwn(KINDS, family);
}

/** Reads a hash of any cost; undefined where it is malformed. */
export function readForeign<F extends ForeignFamily>(family: F, hash: string): ForeignHashes[F] | undefined {
  return KINDS[family].read(hash);
}

/** The same within `HASH_LIMITS`; undefined also where it costs more. */
export function parseForeign<F extends ForeignFamily>(family: F, hash: string): ForeignHashes[F] | undefined {
  const kind: Kind<F> = KINDS[family];
  const read = kind.read(hash);
  return read && kind.isCheap(read) ? read : undefined;
}

const SCRYPT = /^\$scrypt\$ln=([0-9]{1,2}),r=([0-9]{1,7}),p=([0-9]{1,7})\$([A-Za-z0-9+/.]*=*)\$([A-Za-z0-9+/.]+=*)$/;
/** RFC 7914 section 2: N < 2^(128 * r / 8), and p at most this by r. */
const SCRYPT_COST_BITS = 16;
const SCRYPT_MOST_LANES = 2 ** 30 - 1;

function readScrypt(hash: string): ForeignHashes['scrypt'] | undefined {
  const [, ln, r, p, saltText, digestText] = SCRYPT.exec(hash) ?? [];
  const [bits, blockSize, parallelism] = [Number(ln), Number(r), Number(p)];
  const [salt, digest] = [bytesOf(saltText), bytesOf(digestText)];
  if (!salt || !digest || digest.length < LEAST_DIGEST_BYTES || bits < 1 || blockSize < 1 || parallelism < 1) return undefined;
  if (bits >= SCRYPT_COST_BITS * blockSize || blockSize * parallelism > SCRYPT_MOST_LANES) return undefined;
  return { cost: 2 ** bits, blockSize, parallelism, salt, digest };
}

function isCheapScrypt({ cost, blockSize, parallelism, salt }: ForeignHashes['scrypt']): boolean {
  const { scryptBytes: most, scryptWorkBytes, scryptSaltBytes } = HASH_LIMITS;
  const work = 128 * cost * blockSize * parallelism;
  return scryptBytes(cost, blockSize, parallelism) <= most && work <= scryptWorkBytes && salt.length <= scryptSaltBytes;
}

/** Without a length (`l=`) the digest says it. */
const PBKDF2 =
  /^\$pbkdf2(?:-(sha1|sha256|sha384|sha512))?\$(?:i=)?([0-9]{1,10})(?:,l=([0-9]{1,4}))?\$([A-Za-z0-9+/.]*=*)\$([A-Za-z0-9+/.]+=*)$/;
/** Bytes of digests. */
const SHA_BYTES: Readonly<Record<Sha, number>> = { sha1: 20, sha256: 32, sha384: 48, sha512: 64 };
/** A shorter one would be matched by chance. */
const LEAST_DIGEST_BYTES = 16;

function readPbkdf2(hash: string): ForeignHashes['pbkdf2'] | undefined {
  const [, sha = 'sha1', i, length, saltText, digestText] = PBKDF2.exec(hash) ?? [];
  const [salt, digest, iterations] = [bytesOf(saltText), bytesOf(digestText), Number(i)];
  if (!salt || !digest || digest.length < LEAST_DIGEST_BYTES || iterations < 1) return undefined;
  if (length !== undefined && Number(length) !== digest.length) return undefined;
  return { sha: sha as Sha, iterations, salt, digest };
}

function isCheapPbkdf2({ sha, iterations, digest }: ForeignHashes['pbkdf2']): boolean {
  return iterations * Math.ceil(digest.length / SHA_BYTES[sha]) <= HASH_LIMITS.pbkdf2Work;
}

const SHA_CRYPT = /^\$([56])\$(?:rounds=([1-9][0-9]{3,8})\$)?([^$\n:]{0,16})\$([./A-Za-z0-9]+)$/;
const SHA_CRYPT_ROUNDS = 5000;
const SHA_CRYPT_HASHES = { 5: { sha: 'sha256', letters: 43 }, 6: { sha: 'sha512', letters: 86 } } as const;

function readShaCrypt(hash: string): ForeignHashes['shaCrypt'] | undefined {
  const [, id, rounds = SHA_CRYPT_ROUNDS, salt, digest] = SHA_CRYPT.exec(hash) ?? [];
  if (id === undefined || salt === undefined || digest === undefined) return undefined;
  const { sha, letters } = SHA_CRYPT_HASHES[id as '5' | '6'];
  return digest.length === letters ? { sha, rounds: Number(rounds), salt: Buffer.from(salt), digest } : undefined;
}

const MD5_CRYPT = /^\$1\$([^$\n:]{0,8})\$([./A-Za-z0-9]{22})$/;

function readMd5Crypt(hash: string): ForeignHashes['md5Crypt'] | undefined {
  const [, salt, digest] = MD5_CRYPT.exec(hash) ?? [];
  return salt === undefined || digest === undefined ? undefined : { salt: Buffer.from(salt), digest };
}

const SALTED_SHA = /^\$salted-(sha1|sha256|sha384|sha512)\$(prefix|suffix)\$([A-Za-z0-9+/.]*=*)\$([A-Za-z0-9+/.]+=*)$/;

function readSaltedSha(hash: string): ForeignHashes['saltedSha'] | undefined {
  const [, sha, place, saltText, digestText] = SALTED_SHA.exec(hash) ?? [];
  const [salt, digest] = [bytesOf(saltText), bytesOf(digestText)];
  if (!salt || !digest || digest.length !== SHA_BYTES[sha as Sha]) return undefined;
  return { sha: sha as Sha, place: place as SaltPlace, salt, digest };
}

const HMAC = /^\$hmac-(sha1|sha256|sha384|sha512)\$(prefix|suffix)\$([A-Za-z0-9+/.]+=*)\$([A-Za-z0-9+/.]*=*)\$([A-Za-z0-9+/.]+=*)$/;

function readHmac(hash: string): ForeignHashes['hmac'] | undefined {
  const [, sha, place, keyText, saltText, digestText] = HMAC.exec(hash) ?? [];
  const [key, salt, digest] = [bytesOf(keyText), bytesOf(saltText), bytesOf(digestText)];
  if (!key || !salt || !digest || digest.length !== SHA_BYTES[sha as Sha]) return undefined;
  return { sha: sha as Sha, place: place as SaltPlace, key, salt, digest };
}

/** Base64 with or without padding, and with `.` for `+`, as passlib writes it; undefined where it is none. */
function bytesOf(text: string | undefined): Buffer | undefined {
  if (text === undefined) return undefined;
  const plain = text.replaceAll('.', '+').replace(/=+$/, '');
  const bytes = Buffer.from(plain, 'base64');
  // What has bits in its unused end, or a length that none can have, was cut or mistyped.
  return bytes.toString('base64').replace(/=+$/, '') === plain ? bytes : undefined;
}
