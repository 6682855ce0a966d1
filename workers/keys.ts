import { generateRsaKeyPairHere, type RsaKeyPair } from '../src/crypto/rsa-keys.ts';
import { type Settled, settle } from '../src/crypto/task.ts';

/** Makes a pair of RSA keys on this thread, at its priority. */
export default function runKeysTask(): Promise<Settled<RsaKeyPair>> {
  return settle(generateRsaKeyPairHere);
}
