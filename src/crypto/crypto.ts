import type { KeyPairs } from './rsa-keys.ts';
import type { SamlXml, SpCredential } from './saml/saml.ts';
import type { CoseKey } from './webauthn/cose-key.ts';

/** Hashes passwords on other threads. A full lane rejects with `LaneFullError`: answered 503 with `Retry-After`. */
export interface Passwords {
  /** Makes a password hash with the given algorithm and cost (contract 03 section 1.3). */
  hashPassword(password: string, parameters: HashParameters, options?: HashOptions): Promise<string>;
  /** False also for malformed hashes. Firebase hashes need the signer key (standard base64). */
  verifyPassword(password: string, hash: string, firebaseSignerKey: string | null): Promise<boolean>;
}

/** What the verbs are given: promises only, nothing of threads. Full lanes reject as those of `Passwords` do. */
export interface Crypto extends Passwords, SamlXml, KeyPairs {
  /** A fixed hash that no password matches; verifying against it costs what a known user costs. Kept per parameters. */
  unknownUserHash(parameters: HashParameters): Promise<string>;
  /** RSASSA-PKCS1-v1_5, SHA-256, over the UTF-8 of `input`; key: base64 PKCS#8 DER; answer: the raw signature. */
  signRs256(input: string, privateKey: string): Promise<Uint8Array>;
  /** Checks a passkey's signature (ECDSA: DER) over `data`: at once where that is quick, else on libuv's threads. */
  verifySignature(key: CoseKey, data: Uint8Array, signature: Uint8Array): boolean | Promise<boolean>;
  /** A new RSA-2048 key with a self-signed certificate, valid ten years from `now` (ms) (contract 06 section 1.5). */
  newSpCredential(now: number): Promise<SpCredential>;
}

export interface HashOptions {
  /** `import`: work nobody waits for, on a thread of its own with the lowest priority. Default `hash`. */
  readonly lane?: 'hash' | 'import';
}

export type HashParameters =
  | { readonly algorithm: 'BCRYPT'; readonly rounds: number }
  | { readonly algorithm: 'ARGON2'; readonly iterations: number; readonly memoryKb: number; readonly parallelism: number };
