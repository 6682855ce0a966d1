import { generateRsaKeyPairHere, type KeyMaker } from '../src/crypto/rsa-keys.ts';
import { performs } from '../src/lanes/perform.ts';

/** Makes pairs of RSA keys on this thread, at its priority. */
export default performs<KeyMaker>({ makeKeyPair: generateRsaKeyPairHere });
