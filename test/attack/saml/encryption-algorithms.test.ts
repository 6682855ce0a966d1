import { describe, expect, it } from 'vitest';
import { type EncryptionOptions } from '../../saml-idp/encrypt.ts';
import { honest, swap, unsigned } from './scene.ts';
import { ACCEPTED, put, refusedFor, sealed, UNREADABLE, XENC, XENC11 } from './sealed-scene.ts';

/* Encrypted assertions whose algorithms, parameters or bytes are not what they should be: refused, and if that shows only when they are read, in one way. */

describe('algorithms and their parameters', () => {
  const METHOD = '</xenc:EncryptionMethod>';
  const ALGORITHM = `${XENC11}aes256-gcm`;

  it.each<[string, (xml: string) => string, string | RegExp]>([
    ['Triple DES', (xml) => xml.replace(ALGORITHM, `${XENC}tripledes-cbc`), 'an encryption that is not accepted'],
    ['an unknown cipher', (xml) => xml.replace(ALGORITHM, 'aes-256-gcm'), 'an encryption that is not accepted'],
    [
      'a cipher with parameters',
      (xml) => xml.replace(`${ALGORITHM}"/>`, `${ALGORITHM}"><xenc:KeySize>128</xenc:KeySize>${METHOD}`),
      'parameters of an encryption',
    ],
    ['GCM called CBC', (xml) => xml.replace(ALGORITHM, `${XENC}aes256-cbc`), /^AES-CBC/],
    ['a key of another size', (xml) => xml.replace(ALGORITHM, `${XENC11}aes128-gcm`), UNREADABLE],
    ['RSA PKCS#1 v1.5', (xml) => xml.replace(`${XENC}rsa-oaep-mgf1p`, `${XENC}rsa-1_5`), 'an encryption of the key that is not RSA-OAEP'],
    ['AES key wrap', (xml) => xml.replace(`${XENC}rsa-oaep-mgf1p`, `${XENC}kw-aes256`), 'an encryption of the key that is not RSA-OAEP'],
    [
      'another digest than mask',
      (xml) =>
        xml.replace('xmldsig#sha1"/></xenc:Enc', 'xmldsig#x"/></xenc:Enc').replace('http://www.w3.org/2000/09/xmldsig#x', `${XENC}sha256`),
      'an RSA-OAEP with the digest sha256 and the mask of sha1, which differ',
    ],
    [
      'a mask for the older name',
      (xml) => xml.replace(METHOD, `<y:MGF xmlns:y="${XENC11}" Algorithm="${XENC11}mgf1sha1"/>${METHOD}`),
      'parameters of an RSA-OAEP',
    ],
    [
      'an unknown digest',
      (xml) => xml.replace('http://www.w3.org/2000/09/xmldsig#sha1', 'http://www.w3.org/2001/04/xmldsig-more#md5'),
      'an RSA-OAEP with a hash that is not accepted',
    ],
    ['a label', (xml) => xml.replace(METHOD, `<xenc:OAEPparams>AAAA</xenc:OAEPparams>${METHOD}`), 'parameters of an RSA-OAEP'],
    [
      'two digests',
      (xml) => xml.replace(/<ds:DigestMethod [^>]*rsa-|(<ds:DigestMethod [^>]*>)(?=<\/xenc)/, '$1$1'),
      /several DigestMethod/,
    ],
  ])('%s', (_, change, reason) => expect(put(sealed({}, {}, change))).toMatchObject(refusedFor(reason)));

  it('the name of the mask decides, and the digest of another is refused by name', () => {
    const masked = (mask: string) => (xml: string) => xml.replace(`${XENC11}mgf1sha256`, `${XENC11}${mask}`);
    const how = { oaep: 'sha256', isMgf1p: false } as const;
    expect(put(sealed({}, how))).toMatchObject(ACCEPTED);
    expect(put(sealed({}, how, masked('mgf1sha1')))).toMatchObject(
      refusedFor('an RSA-OAEP with the digest sha256 and the mask of sha1, which differ'),
    );
    expect(put(sealed({}, how, masked('mgf1sha224')))).toMatchObject(refusedFor(/hash that is not accepted/));
    expect(put(sealed({}, how, (xml) => xml.replace(/<xenc11:MGF [^>]*>/, '')))).toMatchObject(refusedFor(/which differ/));
  });
});

describe('what cannot be read fails in one way', () => {
  const flipped = (at: number) => (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const index = at < 0 ? copy.length + at : at;
    copy[index] = (copy[index] ?? 0) ^ 1;
    return copy;
  };

  it.each<[string, EncryptionOptions]>([
    ['the initialisation vector', { ciphertext: flipped(0) }],
    ['the content', { ciphertext: flipped(40) }],
    ['the tag', { ciphertext: flipped(-1) }],
    ['a tag that is cut off', { ciphertext: (bytes) => bytes.subarray(0, -1) }],
    ['a tag of four bytes', { ciphertext: (bytes) => bytes.subarray(0, -12) }],
    ['no tag', { ciphertext: (bytes) => bytes.subarray(0, -16) }],
    ['a tag and nothing else', { ciphertext: (bytes) => bytes.subarray(0, 28) }],
    ['half an initialisation vector', { ciphertext: (bytes) => bytes.subarray(0, 6) }],
    ['a key that is too short', { key: (bytes) => bytes.subarray(0, 16) }],
    ['a key that is too long', { key: (bytes) => Buffer.concat([bytes, bytes]) }],
    ['another key', { key: flipped(3) }],
  ])('GCM: %s', (_, how) => expect(put(sealed({}, how))).toMatchObject(refusedFor(UNREADABLE)));

  it.each<[string, EncryptionOptions]>([
    ['padding of nothing', { padding: (bytes) => Buffer.from(bytes.fill(0)) }],
    ['padding of more than a block', { padding: (bytes) => Buffer.from(bytes.fill(17)) }],
    ['half a block', { ciphertext: (bytes) => bytes.subarray(0, -8) }],
    ['an initialisation vector alone', { ciphertext: (bytes) => bytes.subarray(0, 16) }],
    ['nothing', { ciphertext: () => Buffer.alloc(1) }],
  ])('CBC beneath a signed Response: %s', (_, how) => {
    const xml = sealed({ sign: 'response' }, { content: '256-cbc', ...how });
    expect(put(xml, { allowsCbc: true })).toMatchObject(refusedFor(UNREADABLE));
  });

  it('CBC is no oracle: whatever its bytes, nothing is decrypted that was not signed', () => {
    const xml = sealed({ sign: 'both' }, { content: '128-cbc' });
    const [, value = ''] = /<xenc:CipherValue>([^<]*)<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>/.exec(xml) ?? [];
    const bytes = Buffer.from(value, 'base64');
    const answers = [0, 15, 16, bytes.length - 17, bytes.length - 1].map((at) =>
      put(swap(xml, value, flipped(at)(bytes).toString('base64')), { allowsCbc: true }),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject(refusedFor(/digest/));
    const stripped = unsigned(xml);
    expect(put(stripped, { allowsCbc: true })).toMatchObject(refusedFor(/^AES-CBC/));
  });
});

describe('what costs time', () => {
  it('a ciphertext as large as a response may be', () => {
    const value = Buffer.alloc(180_000, 7).toString('base64');
    const xml = sealed({}, {}, (made) =>
      made.replace(
        /<xenc:CipherValue>[^<]*(?=<\/xenc:CipherValue><\/xenc:CipherData><\/xenc:EncryptedData>)/,
        `<xenc:CipherValue>${value}`,
      ),
    );
    expect(put(xml)).toMatchObject(refusedFor(UNREADABLE));
    expect(put(xml.replace(value, value + value))).toEqual({ status: 'MALFORMED' });
  });

  it('blanks in base64, which a pattern would go through again from each of them: minutes', () => {
    const blanks = ' '.repeat(200_000);
    for (const tag of ['ds:SignatureValue', 'ds:DigestValue']) {
      expect(put(honest().replace(`<${tag}>`, `<${tag}>A${blanks}!`))).toMatchObject(refusedFor('a value that is not base64'));
    }
    expect(put(sealed({}, {}, (xml) => xml.replace('<xenc:CipherValue>', `<xenc:CipherValue>A${blanks}!`)))).toMatchObject(
      refusedFor('a value that is not base64'),
    );
  });
});
