import { generateKeyPair, generateKeyPairSync, type RSAKeyPairOptions } from 'node:crypto';
import { promisify } from 'node:util';

/** Base64 SPKI DER and base64 PKCS#8 DER. */
export interface RsaKeyPair {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Where signing keys of apps come from. */
export interface KeyPairs {
  /**
   * A new RSA-2048 pair. All who ask for one purpose get the same pair, so that several threads that find a key due
   * make one. Rejects with `LaneFullError` where too many wait.
   * @param purpose names the key; no other key has this name
   * @param isWaitedFor whether somebody waits for it: an order placed without is then hurried
   */
  keyPairFor(purpose: string, isWaitedFor: boolean): Promise<RsaKeyPair>;
}

/** Makes pairs one by one, at low priority. */
export interface KeyMaker {
  makeKeyPair(): Promise<RsaKeyPair>;
}

const generate = promisify(generateKeyPair);

const RSA_2048: RSAKeyPairOptions<'der', 'der'> = {
  modulusLength: 2048,
  publicExponent: 65537,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'der' },
};

interface Der {
  readonly publicKey: Buffer;
  readonly privateKey: Buffer;
}

const base64Of = ({ publicKey, privateKey }: Der): RsaKeyPair => ({
  publicKey: publicKey.toString('base64'),
  privateKey: privateKey.toString('base64'),
});

/** A new RSA-2048 pair (e = 65537). Made on Node's own thread pool, in 0.1 to 1 s. */
export async function generateRsaKeyPair(): Promise<RsaKeyPair> {
  return base64Of(await generate('rsa', RSA_2048));
}

/** The same on the calling thread, at its priority. */
export function generateRsaKeyPairHere(): RsaKeyPair {
  return base64Of(generateKeyPairSync('rsa', RSA_2048));
}
