import { type CipherGCMTypes, constants, createCipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto';
import type { SpCredential } from '../../src/crypto/saml/saml.ts';

const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';
const DS = 'http://www.w3.org/2000/09/xmldsig#';

/** How an assertion is encrypted; what is left out is as most identity providers do it. */
export interface EncryptionOptions {
  readonly content?: '128-gcm' | '192-gcm' | '256-gcm' | '128-cbc' | '192-cbc' | '256-cbc';
  /** The hash of RSA-OAEP, for digest and mask. */
  readonly oaep?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** Under the older name of RSA-OAEP, which goes with SHA-1. */
  readonly isMgf1p?: boolean;
  /** Where the EncryptedKey stands. */
  readonly place?: 'inside' | 'beside';
  /** Rewrites the assertion's text before it is encrypted. */
  readonly rewrite?: (assertion: string) => string;
  /** Changes the ciphertext, with its initialisation vector in front and the tag of GCM behind. */
  readonly ciphertext?: (bytes: Buffer) => Buffer;
  /** Changes the key that is wrapped. */
  readonly key?: (bytes: Buffer) => Buffer;
  /** Changes the padding of CBC, which is the count of its bytes at its end. */
  readonly padding?: (bytes: Buffer) => Buffer;
}

/** Puts an EncryptedAssertion in the place of the Assertion of a response, for whoever has that key. */
export function encryptAssertion(xml: string, to: Pick<SpCredential, 'certificate'>, options: EncryptionOptions = {}): string {
  const [assertion, prefix = ''] = /<(\w+:)?Assertion[\s>].*<\/\1Assertion>/s.exec(xml) ?? [];
  if (assertion === undefined) throw new Error('there is no Assertion');
  const declared = / xmlns(?::\w+)?="urn:oasis:names:tc:SAML:2.0:assertion"/.exec(assertion)?.[0] ?? '';
  const sealed = seal(options.rewrite?.(assertion) ?? assertion, to, options);
  return xml.replace(assertion, () => `<${prefix}EncryptedAssertion${declared}>${sealed}</${prefix}EncryptedAssertion>`);
}

function seal(text: string, to: Pick<SpCredential, 'certificate'>, options: EncryptionOptions): string {
  const { content = '256-gcm', oaep = 'sha1', isMgf1p = oaep === 'sha1', place = 'inside' } = options;
  const [bits = '', mode] = content.split('-');
  const key = randomBytes(Number(bits) / 8);
  const ciphertext = mode === 'gcm' ? byGcm(text, key, `aes-${bits}-gcm`) : byCbc(text, key, `aes-${bits}-cbc`, options);
  const wrapped = publicEncrypt(
    {
      key: new X509Certificate(Buffer.from(to.certificate, 'base64')).publicKey,
      padding: constants.RSA_PKCS1_OAEP_PADDING,
      oaepHash: oaep,
    },
    options.key?.(key) ?? key,
  );
  const digest = `<ds:DigestMethod Algorithm="${oaep === 'sha1' ? DS : oaep === 'sha384' ? 'http://www.w3.org/2001/04/xmldsig-more#' : XENC}${oaep}"/>`;
  const mask = isMgf1p ? '' : `<xenc11:MGF xmlns:xenc11="${XENC11}" Algorithm="${XENC11}mgf1${oaep}"/>`;
  const encryptedKey =
    `<xenc:EncryptedKey xmlns:xenc="${XENC}" xmlns:ds="${DS}" Id="_key"><xenc:EncryptionMethod Algorithm="${isMgf1p ? `${XENC}rsa-oaep-mgf1p` : `${XENC11}rsa-oaep`}">` +
    `${digest}${mask}</xenc:EncryptionMethod><xenc:CipherData><xenc:CipherValue>${wrapped.toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey>`;
  const retrieval = `<ds:RetrievalMethod Type="${XENC}EncryptedKey" URI="#_key"/>`;
  const data =
    `<xenc:EncryptedData xmlns:xenc="${XENC}" Id="_data" Type="${XENC}Element"><xenc:EncryptionMethod Algorithm="${mode === 'gcm' ? XENC11 : XENC}aes${content}"/>` +
    `<ds:KeyInfo xmlns:ds="${DS}">${place === 'inside' ? encryptedKey : retrieval}</ds:KeyInfo>` +
    `<xenc:CipherData><xenc:CipherValue>${(options.ciphertext?.(ciphertext) ?? ciphertext).toString('base64')}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>`;
  return place === 'inside' ? data : data + encryptedKey;
}

function byGcm(text: string, key: Buffer, cipher: string): Buffer {
  const iv = randomBytes(12);
  const made = createCipheriv(cipher as CipherGCMTypes, key, iv);
  return Buffer.concat([iv, made.update(text), made.final(), made.getAuthTag()]);
}

function byCbc(text: string, key: Buffer, cipher: string, { padding }: EncryptionOptions): Buffer {
  const iv = randomBytes(16);
  const missing = 16 - (Buffer.byteLength(text) % 16);
  // Whatever stands before the count: here noise, as XML Encryption allows.
  const plain = Buffer.concat([randomBytes(missing - 1), Buffer.from([missing])]);
  const made = createCipheriv(cipher, key, iv).setAutoPadding(false);
  return Buffer.concat([iv, made.update(text), made.update(padding?.(plain) ?? plain), made.final()]);
}
