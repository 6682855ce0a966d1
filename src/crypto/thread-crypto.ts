import type { Crypto, Passwords } from './lanes.ts';
import { generateRsaKeyPair } from './rsa-keys.ts';
import type { SigningLane } from './signing-lane.ts';

/** Where the crypto of one HTTP thread is done. */
export interface ThreadCryptoParts {
  /** Usually the port to the process's pool. */
  readonly passwords: Passwords;
  /** The thread's own. */
  readonly signing: SigningLane;
}

/** What the verbs of one HTTP thread are given. Key pairs are made on libuv's threads, as signatures are; they are too rare for a lane. */
export function openThreadCrypto({ passwords, signing }: ThreadCryptoParts): Crypto {
  return {
    hashPassword: (password, parameters, options) => passwords.hashPassword(password, parameters, options),
    verifyPassword: (password, hash, signerKey, options) => passwords.verifyPassword(password, hash, signerKey, options),
    unknownUserHash: (parameters) => passwords.unknownUserHash(parameters),
    signRs256: (input, privateKey) => signing.sign(input, privateKey),
    generateRsaKeyPair,
  };
}
