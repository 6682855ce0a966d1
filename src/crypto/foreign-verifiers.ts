import { createHash, createHmac, pbkdf2Sync, scryptSync } from 'node:crypto';
import { secretBytesEqual, secretsEqual } from './constant-time.ts';
import { md5Crypt, shaCrypt } from './crypt-digests.ts';
import { type ForeignFamily, type ForeignHashes, parseForeign, type SaltPlace } from './foreign-hashes.ts';
import { scryptBytes } from './hash-limits.ts';

/** Bytes of a password that crypt(3) takes (that of libxcrypt): its work grows with them in every round. */
const CRYPT_MOST_BYTES = 512;

type Verifiers = { readonly [F in ForeignFamily]: (password: Buffer, hash: ForeignHashes[F]) => boolean };

const VERIFIERS: Verifiers = {
  scrypt: (password, { cost, blockSize, parallelism, salt, digest }) => {
    // It must be more than what the library counts.
    const maxmem = scryptBytes(cost, blockSize, parallelism) + 1024;
    return secretBytesEqual(scryptSync(password, salt, digest.length, { N: cost, r: blockSize, p: parallelism, maxmem }), digest);
  },
  pbkdf2: (password, { sha, iterations, salt, digest }) =>
    secretBytesEqual(pbkdf2Sync(password, salt, iterations, digest.length, sha), digest),
  shaCrypt: (password, { sha, rounds, salt, digest }) =>
    password.length <= CRYPT_MOST_BYTES && secretsEqual(shaCrypt(sha, password, salt, rounds), digest),
  md5Crypt: (password, { salt, digest }) => password.length <= CRYPT_MOST_BYTES && secretsEqual(md5Crypt(password, salt), digest),
  saltedSha: (password, { sha, place, salt, digest }) =>
    secretBytesEqual(
      createHash(sha)
        .update(salted(password, salt, place))
        .digest(),
      digest,
    ),
  hmac: (password, { sha, place, key, salt, digest }) =>
    secretBytesEqual(
      createHmac(sha, key)
        .update(salted(password, salt, place))
        .digest(),
      digest,
    ),
};

/** True when the password belongs to a hash of this kind; none belongs to a malformed one or one above the limits. */
export function verifyForeign<F extends ForeignFamily>(family: F, password: string, hash: string): boolean {
  const verify: Verifiers[F] = VERIFIERS[family];
  const parsed = parseForeign(family, hash);
  return parsed !== undefined && verify(Buffer.from(password), parsed);
}

const salted = (password: Buffer, salt: Buffer, place: SaltPlace): Buffer =>
  Buffer.concat(place === 'prefix' ? [salt, password] : [password, salt]);
