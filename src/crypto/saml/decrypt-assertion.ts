import { type CipherGCMTypes, constants, createDecipheriv, createPrivateKey, privateDecrypt } from 'node:crypto';
import type { Element } from '@xmldom/xmldom';
import { demand, Unacceptable } from './demand.ts';
import { attributeOf, base64Of, childrenNamed, onlyChild, optionalChild, partsOf } from './elements.ts';
import { NS } from './namespaces.ts';

/** Who decrypts, and what is let in. */
export interface Decryption {
  /** The encryption keys of the tenant, base64 PKCS#8 DER. */
  readonly keys: readonly string[];
  /** AES-CBC does not authenticate its content, so it is read only beneath a valid signature. */
  readonly allowsCbc: boolean;
}

/** How content is encrypted (XML Encryption 1.1 sections 5.2.2 and 5.2.4). */
type ContentMethod = { readonly keyBytes: number } & (
  | { readonly mode: 'gcm'; readonly cipher: CipherGCMTypes }
  | { readonly mode: 'cbc'; readonly cipher: string }
);

const CONTENT_METHODS: ReadonlyMap<string, ContentMethod> = new Map<string, ContentMethod>([
  [`${NS.encryption11}aes128-gcm`, { mode: 'gcm', cipher: 'aes-128-gcm', keyBytes: 16 }],
  [`${NS.encryption11}aes192-gcm`, { mode: 'gcm', cipher: 'aes-192-gcm', keyBytes: 24 }],
  [`${NS.encryption11}aes256-gcm`, { mode: 'gcm', cipher: 'aes-256-gcm', keyBytes: 32 }],
  [`${NS.encryption}aes128-cbc`, { mode: 'cbc', cipher: 'aes-128-cbc', keyBytes: 16 }],
  [`${NS.encryption}aes192-cbc`, { mode: 'cbc', cipher: 'aes-192-cbc', keyBytes: 24 }],
  [`${NS.encryption}aes256-cbc`, { mode: 'cbc', cipher: 'aes-256-cbc', keyBytes: 32 }],
]);

const OAEP = `${NS.encryption11}rsa-oaep`;
/** The older name, whose mask is made with SHA-1 (XML Encryption 1.1 section 5.5.2). */
const OAEP_MGF1P = `${NS.encryption}rsa-oaep-mgf1p`;
const DEFAULT_HASH = 'sha1';
/** SHA-1 is safe here: nothing depends on collisions, and it is what most identity providers use. */
const OAEP_DIGESTS: ReadonlyMap<string, string> = new Map([
  [`${NS.signature}sha1`, 'sha1'],
  [`${NS.encryption}sha256`, 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  [`${NS.encryption}sha384`, 'sha384'],
  [`${NS.encryption}sha512`, 'sha512'],
]);
const OAEP_MASKS: ReadonlyMap<string, string> = new Map(
  ['sha1', 'sha256', 'sha384', 'sha512'].map((hash) => [`${NS.encryption11}mgf1${hash}`, hash]),
);

const GCM_IV_BYTES = 12;
const GCM_TAG_BYTES = 16;
const BLOCK_BYTES = 16;
/** One text for every failure between key and plaintext: an attacker must not learn which step failed. */
const UNREADABLE = 'what is encrypted cannot be read';

/**
 * The unchecked text in an EncryptedAssertion (SAML core section 2.3.4, XML Encryption 1.1): one EncryptedData with one
 * EncryptedKey in its KeyInfo or beside it; `shapeOf` has made sure that there are no others.
 */
export function decryptAssertion(encrypted: Element, { keys, allowsCbc }: Decryption): string {
  demand(keys.length > 0, 'encrypted, while this tenant has no encryption key');
  const data = onlyChild(encrypted, NS.encryption, 'EncryptedData');
  demand((attributeOf(data, 'Type') ?? ELEMENT) === ELEMENT, 'something else than an element was encrypted');
  const method = onlyChild(data, NS.encryption, 'EncryptionMethod');
  const content = CONTENT_METHODS.get(attributeOf(method, 'Algorithm') ?? '');
  demand(content !== undefined, 'an encryption that is not accepted');
  demand(partsOf(method).length === 0, 'parameters of an encryption');
  demand(content.mode === 'gcm' || allowsCbc, 'AES-CBC that is not allowed, or not beneath a signed Response');
  const key = onlyKey(encrypted, data);
  const hash = oaepHashOf(onlyChild(key, NS.encryption, 'EncryptionMethod'));
  const [wrapped, ciphertext] = [cipherValueOf(key), cipherValueOf(data)];
  try {
    return UTF8.decode(decrypt(content, unwrap(wrapped, hash, content.keyBytes, keys), ciphertext));
  } catch {
    // Malformed in one of many ways, or encrypted for somebody else.
    throw new Unacceptable(UNREADABLE);
  }
}

const ELEMENT = `${NS.encryption}Element`;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing else in a KeyInfo is looked at. */
function onlyKey(encrypted: Element, data: Element): Element {
  const keyInfo = optionalChild(data, NS.signature, 'KeyInfo');
  const places = keyInfo ? [keyInfo, encrypted] : [encrypted];
  const [key] = places.flatMap((place) => childrenNamed(place, NS.encryption, 'EncryptedKey'));
  demand(key !== undefined, 'an EncryptedKey in a wrong place');
  return key;
}

function cipherValueOf(encrypted: Element): Buffer {
  const [value, ...more] = partsOf(onlyChild(encrypted, NS.encryption, 'CipherData'));
  demand(value?.localName === 'CipherValue' && more.length === 0, 'no CipherValue');
  return base64Of(value);
}

/** Node has one hash for the digest and the mask. @returns its name */
function oaepHashOf(method: Element): string {
  const algorithm = attributeOf(method, 'Algorithm');
  demand(algorithm === OAEP || algorithm === OAEP_MGF1P, 'an encryption of the key that is not RSA-OAEP');
  const digest = optionalChild(method, NS.signature, 'DigestMethod');
  const mask = optionalChild(method, NS.encryption11, 'MGF');
  const parameters = [digest, mask].filter((part) => part !== undefined);
  demand(partsOf(method).length === parameters.length && (algorithm === OAEP || mask === undefined), 'parameters of an RSA-OAEP');
  const digestHash = digest ? OAEP_DIGESTS.get(attributeOf(digest, 'Algorithm') ?? '') : DEFAULT_HASH;
  const maskHash = mask ? OAEP_MASKS.get(attributeOf(mask, 'Algorithm') ?? '') : DEFAULT_HASH;
  demand(digestHash !== undefined && maskHash !== undefined, 'an RSA-OAEP with a hash that is not accepted');
  demand(digestHash === maskHash, `an RSA-OAEP with the digest ${digestHash} and the mask of ${maskHash}, which differ`);
  return digestHash;
}

function unwrap(wrapped: Buffer, oaepHash: string, bytes: number, keys: readonly string[]): Buffer {
  for (const privateKey of keys) {
    const key = createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    try {
      const unwrapped = privateDecrypt({ key, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash }, wrapped);
      if (unwrapped.length === bytes) return unwrapped;
    } catch {
      // Encrypted for another key, or for nobody.
    }
  }
  throw new Unacceptable(UNREADABLE);
}

function decrypt(method: ContentMethod, key: Buffer, ciphertext: Buffer): Buffer {
  return method.mode === 'gcm' ? decryptGcm(method.cipher, key, ciphertext) : decryptCbc(method.cipher, key, ciphertext);
}

/** The tag stands behind the content, and is whole (XML Encryption 1.1 section 5.2.4). */
function decryptGcm(cipher: CipherGCMTypes, key: Buffer, ciphertext: Buffer): Buffer {
  demand(ciphertext.length > GCM_IV_BYTES + GCM_TAG_BYTES, UNREADABLE);
  const decipher = createDecipheriv(cipher, key, ciphertext.subarray(0, GCM_IV_BYTES), { authTagLength: GCM_TAG_BYTES });
  decipher.setAuthTag(ciphertext.subarray(-GCM_TAG_BYTES));
  return Buffer.concat([decipher.update(ciphertext.subarray(GCM_IV_BYTES, -GCM_TAG_BYTES)), decipher.final()]);
}

/** The last byte says how many are padding, whatever the others hold (XML Encryption 1.1 section 5.2.2). */
function decryptCbc(cipher: string, key: Buffer, ciphertext: Buffer): Buffer {
  demand(ciphertext.length >= 2 * BLOCK_BYTES, UNREADABLE);
  const decipher = createDecipheriv(cipher, key, ciphertext.subarray(0, BLOCK_BYTES)).setAutoPadding(false);
  const padded = Buffer.concat([decipher.update(ciphertext.subarray(BLOCK_BYTES)), decipher.final()]);
  const padding = padded.at(-1) ?? 0;
  demand(padding >= 1 && padding <= BLOCK_BYTES, UNREADABLE);
  return padded.subarray(0, -padding);
}
