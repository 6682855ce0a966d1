import type { KeyPairs } from './rsa-keys.ts';
import type { SamlXml, SpCredential } from './saml/saml.ts';

/** The hashing of passwords, done on other threads. A full lane rejects with `LaneFullError`; the HTTP front answers 503 with `Retry-After`. */
export interface Passwords {
  /** Makes a password hash with the given algorithm and cost (contract 03 section 1.3). */
  hashPassword(password: string, parameters: HashParameters, options?: HashOptions): Promise<string>;
  /** True when the password belongs to the hash; false for malformed hashes. Firebase hashes need the signer key (standard base64). */
  verifyPassword(password: string, hash: string, firebaseSignerKey: string | null): Promise<boolean>;
}

/** What the verbs are given: promises only. They know nothing of threads. Full lanes reject as those of `Passwords` do. */
export interface Crypto extends Passwords, SamlXml, KeyPairs {
  /** A fixed hash of these parameters that no password matches; verifying against it costs what a known user costs. Made once per parameters. */
  unknownUserHash(parameters: HashParameters): Promise<string>;
  /** RSASSA-PKCS1-v1_5 with SHA-256 over the UTF-8 bytes of `input`; the private key is base64 PKCS#8 DER. Answers the raw signature. */
  signRs256(input: string, privateKey: string): Promise<Uint8Array>;
  /** A new RSA-2048 key of a SAML service provider with its self-signed certificate, valid for ten years from `now` (ms) on (contract 06 section 1.5). */
  newSpCredential(now: number): Promise<SpCredential>;
}

export interface HashOptions {
  /** `import`: work nobody waits for, on a thread of its own with the lowest priority. Default `hash`. */
  readonly lane?: 'hash' | 'import';
}

export type HashParameters =
  | { readonly algorithm: 'BCRYPT'; readonly rounds: number }
  | { readonly algorithm: 'ARGON2'; readonly iterations: number; readonly memoryKb: number; readonly parallelism: number };
