import { verify } from 'node:crypto';
import type { Crypto, Passwords } from '../crypto/crypto.ts';
import { unknownUserHash } from '../crypto/password-hashes.ts';
import type { KeyPairs } from '../crypto/rsa-keys.ts';
import type { SamlXml } from '../crypto/saml/saml.ts';
import { isTooLong } from '../crypto/saml/xml-text.ts';
import type { SigningLane } from './signing-lane.ts';
import { SpKeyQueue } from './sp-key-queue.ts';

/**
 * What the verbs of one HTTP thread are given.
 * @param tasks done elsewhere; usually by way of the port to main
 * @param signing the thread's own
 */
export function openThreadCrypto(tasks: Passwords & SamlXml & KeyPairs, signing: SigningLane): Crypto {
  const spKeys = new SpKeyQueue();
  return {
    hashPassword: tasks.hashPassword,
    verifyPassword: tasks.verifyPassword,
    unknownUserHash: (parameters) => Promise.resolve(unknownUserHash(parameters)),
    signRs256: (input, privateKey) => signing.sign(input, privateKey),
    verifySignature: ({ digest, isSlow, key }, data, signature) =>
      isSlow ? signing.verify({ digest, data, key, signature }) : verify(digest, data, key, signature),
    keyPairFor: tasks.keyPairFor,
    newSpCredential: (now) => spKeys.make(now),
    readIdpMetadata: tasks.readIdpMetadata,
    // What is too long is not sent through two threads to hear so.
    checkSamlResponse: async (question) => (isTooLong(question) ? { status: 'MALFORMED' } : tasks.checkSamlResponse(question)),
  };
}
