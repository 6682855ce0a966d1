import { createCipheriv, randomBytes, scryptSync } from 'node:crypto';
import { bcrypt } from 'hash-wasm';
import { argon2Engine } from './argon2.ts';
import { secretBytesEqual, secretsEqual } from './constant-time.ts';
import type { HashParameters } from './crypto.ts';
import { isForeign } from './foreign-hashes.ts';
import { verifyForeign } from './foreign-verifiers.ts';
import { scryptBytes } from './hash-limits.ts';
import { type BcryptHash, hashFamily, isVerifiable, parseArgon2, parseBcrypt, parseFirebase } from './password-hashes.ts';
import { signedBcrypt } from './signed-bcrypt.ts';

/* Password hashing by contract 03 section 1.3, bit for bit. It blocks the calling thread: for hash workers only. */

const SALT_BYTES = 16;
const ARGON2_DIGEST_BYTES = 32;
const BCRYPT_MAX_BYTES = 72;
const BCRYPT_SALT_AT = '$2a$00$'.length;
const BCRYPT_ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const FIREBASE_KEY_BYTES = 32;
const FIREBASE_OUTPUT_BYTES = 64;
const FIREBASE_IV = Buffer.alloc(16);
const QUESTION_MARK = 0x3f;

/** A new hash with a random salt: `$2a$…` or `$argon2id$v=19$…`. Throws on costs that verification would refuse. */
export async function hashPassword(password: string, parameters: HashParameters): Promise<string> {
  if (!isVerifiable(parameters)) throw new RangeError('the cost of password hashes is out of bounds');
  const salt = randomBytes(SALT_BYTES);
  if (parameters.algorithm === 'BCRYPT') return bcryptHash(password, salt, parameters.rounds);
  const { iterations, memoryKb, parallelism } = parameters;
  const digest = await argon2Engine()(Buffer.from(password), {
    type: 'argon2id',
    version: 19,
    iterations,
    memoryKb,
    parallelism,
    salt,
    digestBytes: ARGON2_DIGEST_BYTES,
  });
  return `$argon2id$v=19$m=${memoryKb},t=${iterations},p=${parallelism}$${unpadded(salt)}$${unpadded(digest)}`;
}

/**
 * True when the password belongs to the hash: none belongs to a malformed hash, one above `HASH_LIMITS`, or a firebase
 * hash without a signer key.
 * @param firebaseSignerKey standard base64, as configured
 */
export async function verifyPassword(password: string, hash: string, firebaseSignerKey: string | null): Promise<boolean> {
  const family = hashFamily(hash);
  if (family === undefined) return false;
  if (isForeign(family)) return verifyForeign(family, password, hash);
  return VERIFIERS[family](password, hash, firebaseSignerKey);
}

type Verifier = (password: string, hash: string, signerKey: string | null) => Promise<boolean>;

const VERIFIERS = {
  argon2: verifyArgon2,
  bcrypt: verifyBcrypt,
  firebase: async (password, hash, signerKey) => signerKey !== null && verifyFirebase(password, hash, signerKey),
} as const satisfies Readonly<Record<string, Verifier>>;

async function verifyArgon2(password: string, hash: string): Promise<boolean> {
  const parsed = parseArgon2(hash);
  if (parsed === undefined) return false;
  const digest = await argon2Engine()(Buffer.from(password), { ...parsed, digestBytes: parsed.digest.length });
  return secretBytesEqual(digest, parsed.digest);
}

async function verifyBcrypt(password: string, hash: string): Promise<boolean> {
  const parsed = parseBcrypt(hash);
  if (parsed === undefined) return false;
  const { asWritten, rounds, salt } = parsed;
  // The last character of a salt has unused bits, which are rewritten as zeros: the digest alone decides.
  const digestAt = BCRYPT_SALT_AT + salt.length;
  const digest = asWritten.slice(digestAt);
  const made = await bcryptHash(password, bcryptSalt(salt), rounds);
  return secretsEqual(made.slice(digestAt), digest) || (hash.startsWith('$2x') && matchesSigned(password, parsed, digest));
}

/** What `$2x$` really marks; the contract has it read as any other prefix, which is the same for ASCII. */
function matchesSigned(password: string, { salt, rounds }: BcryptHash, digest: string): boolean {
  const key = Buffer.concat([Buffer.from(password), Buffer.alloc(1)]).subarray(0, BCRYPT_MAX_BYTES);
  if (key.every((byte) => byte <= 0x7f)) return false;
  const made = signedBcrypt(key, bcryptSalt(salt), rounds);
  return secretsEqual(
    unpadded(made).replace(/./g, (letter) => BCRYPT_ALPHABET.charAt(STANDARD_ALPHABET.indexOf(letter))),
    digest,
  );
}

function bcryptHash(password: string, salt: Buffer, rounds: number): Promise<string> {
  return bcrypt({ password: bcryptKey(password), salt, costFactor: rounds, outputType: 'encoded' });
}

/**
 * Bcrypt's key is the password with its final NUL, repeated; it uses 72 bytes of that. The library adds the NUL, but
 * accepts 1 to 72 bytes only: for an empty password, one NUL repeats to the same key.
 */
function bcryptKey(password: string): Buffer {
  const bytes = Buffer.from(password);
  return bytes.length === 0 ? Buffer.alloc(1) : bytes.subarray(0, BCRYPT_MAX_BYTES);
}

/** Bcrypt's base64 has the letters of the standard one in another order. */
function bcryptSalt(text: string): Buffer {
  const standard = text.replace(/./g, (letter) => STANDARD_ALPHABET.charAt(BCRYPT_ALPHABET.indexOf(letter)));
  return Buffer.from(standard, 'base64').subarray(0, SALT_BYTES);
}

function verifyFirebase(password: string, hash: string, signerKey: string): boolean {
  const parsed = parseFirebase(hash);
  if (parsed === undefined) return false;
  const { cost, blockSize, salt, digest } = parsed;
  const derived = scryptSync(asciiBytes(password), salt, FIREBASE_OUTPUT_BYTES, {
    N: cost,
    r: blockSize,
    p: 1,
    // It must be more than what the library counts.
    maxmem: scryptBytes(cost, blockSize) + 1024,
  });
  const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, FIREBASE_KEY_BYTES), FIREBASE_IV);
  const encrypted = Buffer.concat([cipher.update(Buffer.from(signerKey, 'base64')), cipher.final()]);
  return secretsEqual(encrypted.toString('base64'), digest);
}

/** US-ASCII, one `?` for each code point beyond. No object per character: a password may be as long as a body. */
function asciiBytes(password: string): Buffer {
  const bytes = Buffer.alloc(password.length);
  let length = 0;
  for (const character of password) bytes[length++] = character.charCodeAt(0) > 0x7f ? QUESTION_MARK : character.charCodeAt(0);
  return bytes.subarray(0, length);
}

const unpadded = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
