import type { KeyPairs } from './key-stock.ts';
import type { Crypto, Passwords } from './lanes.ts';
import type { SamlXml } from './saml/saml.ts';
import { SpKeyQueue } from './saml/sp-key-queue.ts';
import { isTooLong } from './saml/xml-text.ts';
import type { SigningLane } from './signing-lane.ts';

/** Where the crypto of one HTTP thread is done. */
export interface ThreadCryptoParts {
  /** Usually the port to the process's pool. */
  readonly passwords: Passwords;
  readonly saml: SamlXml;
  /** The process's. */
  readonly keyPairs: KeyPairs;
  /** The thread's own. */
  readonly signing: SigningLane;
}

/** What the verbs of one HTTP thread are given. */
export function openThreadCrypto({ passwords, saml, keyPairs, signing }: ThreadCryptoParts): Crypto {
  const spKeys = new SpKeyQueue();
  return {
    hashPassword: (password, parameters, options) => passwords.hashPassword(password, parameters, options),
    verifyPassword: (password, hash, signerKey, options) => passwords.verifyPassword(password, hash, signerKey, options),
    unknownUserHash: (parameters) => passwords.unknownUserHash(parameters),
    signRs256: (input, privateKey) => signing.sign(input, privateKey),
    keyPairFor: (purpose, isWaitedFor) => keyPairs.keyPairFor(purpose, isWaitedFor),
    newSpCredential: (now) => spKeys.make(now),
    readIdpMetadata: (metadata) => saml.readIdpMetadata(metadata),
    // What is too long is not sent through two threads to hear so.
    checkSamlResponse: async (question) => (isTooLong(question) ? { status: 'MALFORMED' } : saml.checkSamlResponse(question)),
  };
}
