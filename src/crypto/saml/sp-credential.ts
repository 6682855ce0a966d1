import { randomBytes, sign } from 'node:crypto';
import { promisify } from 'node:util';
import { generateRsaKeyPair } from '../rsa-keys.ts';
import type { SpCredential } from './saml.ts';

const signAsync = promisify<string, Uint8Array, { key: Buffer; format: 'der'; type: 'pkcs8' }, Buffer>(sign);

const VALIDITY_MS = 10 * 365 * 24 * 60 * 60 * 1000;
/** RFC 5280 section 4.1.2.5: two digits until then, four from then on. */
const FIRST_YEAR_OF_FOUR_DIGITS = 2050;

/** The tags of ASN.1 that a certificate is made of (X.690). */
const TAG = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  utf8: 12,
  printable: 19,
  utcTime: 23,
  time: 24,
  sequence: 0x30,
  set: 0x31,
};
const CONTEXT = { version: 0xa0, extensions: 0xa3 };
const OID = {
  commonName: '550403',
  organization: '55040a',
  country: '550406',
  sha256WithRsa: '2a864886f70d01010b',
  keyUsage: '551d0f',
  basicConstraints: '551d13',
};

/** A new RSA-2048 key with its self-signed certificate (contract 06 section 1.5), made on libuv's threads. */
export async function newSpCredential(now: number): Promise<SpCredential> {
  const { publicKey, privateKey } = await generateRsaKeyPair();
  const from = Math.floor(now / 1000) * 1000;
  const notAfter = from + VALIDITY_MS;
  const toBeSigned = certificateBody(Buffer.from(publicKey, 'base64'), from, notAfter);
  const signature = await signAsync('sha256', toBeSigned, { key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const certificate = der(TAG.sequence, toBeSigned, SIGNATURE_ALGORITHM, der(TAG.bitString, NO_UNUSED_BITS, signature));
  return { privateKey, certificate: certificate.toString('base64'), notAfter };
}

function certificateBody(publicKey: Buffer, from: number, to: number): Buffer {
  return der(
    TAG.sequence,
    der(CONTEXT.version, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, positive(randomBytes(16))),
    SIGNATURE_ALGORITHM,
    NAME,
    der(TAG.sequence, moment(from), moment(to)),
    NAME,
    publicKey,
    der(CONTEXT.extensions, der(TAG.sequence, KEY_USAGE, BASIC_CONSTRAINTS)),
  );
}

/** One value with its tag and length. */
function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag, ...derLength(body.length)]), body]);
}

function derLength(length: number): readonly number[] {
  if (length < 0x80) return [length];
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
}

/** As short as DER demands, and not negative. */
function positive(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0);
  const short = first < 0 ? Buffer.from([1]) : bytes.subarray(first);
  return (short[0] ?? 0) < 0x80 ? short : Buffer.concat([Buffer.from([0]), short]);
}

function moment(time: number): Buffer {
  const date = new Date(time);
  const digits = `${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`;
  return date.getUTCFullYear() < FIRST_YEAR_OF_FOUR_DIGITS
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.time, Buffer.from(digits));
}

const oid = (body: string): Buffer => der(TAG.oid, Buffer.from(body, 'hex'));
const nameOf = (kind: string, tag: number, text: string): Buffer => der(TAG.set, der(TAG.sequence, oid(kind), der(tag, Buffer.from(text))));
const critical = (kind: string, value: Buffer): Buffer =>
  der(TAG.sequence, oid(kind), der(TAG.boolean, Buffer.from([0xff])), der(TAG.octetString, value));

const NO_UNUSED_BITS = Buffer.from([0]);
const SIGNATURE_ALGORITHM = der(TAG.sequence, oid(OID.sha256WithRsa), der(TAG.null));
const NAME = der(
  TAG.sequence,
  nameOf(OID.commonName, TAG.utf8, 'SAML-SP'),
  nameOf(OID.organization, TAG.utf8, 'SuperTokens'),
  nameOf(OID.country, TAG.printable, 'US'),
);
/** digitalSignature and keyEncipherment: the first and the third of eight bits, of which five are unused. */
const KEY_USAGE = critical(OID.keyUsage, der(TAG.bitString, Buffer.from([5, 0xa0])));
const BASIC_CONSTRAINTS = critical(OID.basicConstraints, der(TAG.sequence));
