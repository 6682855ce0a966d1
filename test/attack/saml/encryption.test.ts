import { describe, expect, it } from 'vitest';
import { newSpCredential } from '../../../src/crypto/saml/sp-credential.ts';
import type { SamlExpectation } from '../../../src/crypto/saml/saml.ts';
import { encryptAssertion, type EncryptionOptions } from '../../saml-idp/encrypt.ts';
import type { ResponseOptions } from '../../saml-idp/response.ts';
import { signElement } from '../../saml-idp/sign.ts';
import { ATTACKER, ask, elementOf, foreign, forged, honest, idp, swap, unsigned, VICTIM } from './scene.ts';

/*
 * Encrypted assertions: anybody can make them, since the key is published, so they prove nothing by themselves; what comes out of
 * them is looked at as strictly as what comes in, and of how it fails nobody is told.
 */
const [key, other] = await Promise.all([newSpCredential(Date.now()), newSpCredential(Date.now())]);
const OURS = { decryptionKeys: [key.privateKey] };
const UNREADABLE = 'what is encrypted cannot be read';
const XENC = 'http://www.w3.org/2001/04/xmlenc#';
const XENC11 = 'http://www.w3.org/2009/xmlenc11#';

/** What the identity provider makes: the assertion is signed, then encrypted, then the Response is signed, as far as it signs. */
function sealed(
  { sign = 'assertion', ...said }: ResponseOptions = {},
  how: EncryptionOptions = {},
  change: (xml: string) => string = (xml) => xml,
): string {
  const plain = honest({ ...said, sign: sign === 'assertion' || sign === 'both' ? 'assertion' : 'none' });
  const encrypted = change(encryptAssertion(plain, key, how));
  return sign === 'response' || sign === 'both' ? signElement(encrypted, 'Response', idp) : encrypted;
}

const put = (xml: string, changes: Partial<SamlExpectation> = {}) => ask(xml, { ...OURS, ...changes });
const ACCEPTED = { status: 'OK', claims: { NameID: [ATTACKER] } };
const refusedFor = (reason: string | RegExp) => ({
  status: 'REFUSED',
  reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
});
const encryptedOf = (xml: string): string => elementOf(xml, 'EncryptedAssertion');

describe('honest encrypted assertions are read', () => {
  it.each(['assertion', 'response', 'both'] as const)('with the signature on: %s', (sign) => {
    expect(put(sealed({ sign }))).toMatchObject(ACCEPTED);
    expect(put(sealed({ sign }, { place: 'beside' }))).toMatchObject(ACCEPTED);
  });

  it.each(['128-gcm', '192-gcm', '256-gcm'] as const)('with AES-%s', (content) =>
    expect(put(sealed({}, { content }))).toMatchObject(ACCEPTED),
  );

  it.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('with RSA-OAEP and %s for digest and mask', (oaep) =>
    expect(put(sealed({}, { oaep, isMgf1p: false }))).toMatchObject(ACCEPTED),
  );

  it.each(['128-cbc', '192-cbc', '256-cbc'] as const)('with AES-%s beneath a signed Response, where that is allowed', (content) => {
    for (const sign of ['response', 'both'] as const) {
      expect(put(sealed({ sign }, { content }), { allowsCbc: true })).toMatchObject(ACCEPTED);
      expect(put(sealed({ sign }, { content }))).toMatchObject(refusedFor(/^AES-CBC/));
    }
    expect(put(sealed({ sign: 'assertion' }, { content }), { allowsCbc: true })).toMatchObject(refusedFor(/^AES-CBC/));
  });

  it('with prefixes that their surroundings declare', () => {
    const rewrite = (text: string) => text.replace(/ xmlns:saml="[^"]*"/, '');
    expect(put(sealed({ sign: 'assertion' }, { rewrite }))).toMatchObject(ACCEPTED);
    expect(put(sealed({ sign: 'response' }, { rewrite }))).toMatchObject(ACCEPTED);
  });

  it('with a byte order mark and a declaration', () =>
    expect(put(sealed({}, { rewrite: (text) => `\ufeff<?xml version="1.0" encoding="UTF-8"?>\n${text}\n` }))).toMatchObject(ACCEPTED));

  it('with any of the keys of the tenant, and with no other', () => {
    expect(put(sealed(), { decryptionKeys: [other.privateKey, key.privateKey] })).toMatchObject(ACCEPTED);
    expect(put(sealed(), { decryptionKeys: [other.privateKey] })).toMatchObject(refusedFor(UNREADABLE));
    expect(put(sealed(), { decryptionKeys: [] })).toMatchObject(refusedFor('encrypted, while this tenant has no encryption key'));
  });
});

describe('encryption proves nothing', () => {
  it('an assertion without signature', () => {
    const xml = encryptAssertion(forged(unsigned(honest())), key);
    expect(put(xml)).toMatchObject(refusedFor('unsigned'));
  });

  it('an assertion that somebody else signed', () => {
    expect(put(encryptAssertion(honest({ nameId: VICTIM }, foreign), key))).toMatchObject(refusedFor(/signature/));
    expect(put(encryptAssertion(forged(honest()), key))).toMatchObject(refusedFor(/digest/));
  });

  it('a forged assertion in a Response that the identity provider signed for another', () => {
    const evil = encryptedOf(encryptAssertion(forged(unsigned(honest())), key));
    for (const sign of ['response', 'both'] as const) {
      const xml = sealed({ sign });
      expect(put(swap(xml, encryptedOf(xml), evil))).toMatchObject(refusedFor(/digest/));
    }
  });

  it('the ciphertext of another response, or parts of it', () => {
    const [one, two] = [sealed({ sign: 'response' }), sealed({ sign: 'response', nameId: VICTIM })];
    expect(put(swap(one, encryptedOf(one), encryptedOf(two)))).toMatchObject(refusedFor(/digest/));
    const [a, b] = [sealed(), sealed({ nameId: VICTIM })];
    expect(put(swap(a, elementOf(a, 'EncryptedKey'), elementOf(b, 'EncryptedKey')))).toMatchObject(refusedFor(UNREADABLE));
    // An assertion that its identity provider signed counts in any envelope, encrypted or not; what else it says must fit.
    const elsewhere = sealed({ nameId: VICTIM, inResponseTo: '_another-request' });
    expect(put(swap(a, encryptedOf(a), encryptedOf(elsewhere)))).toMatchObject(refusedFor(/./));
  });

  it('a signed Response whose assertion is signed by somebody else', () => {
    const inner = encryptAssertion(honest({ sign: 'assertion' }, foreign), key);
    expect(put(signElement(inner, 'Response', idp))).toMatchObject(refusedFor(/signature/));
  });

  it('a Response whose signature does not hold is not decrypted', () => {
    const xml = sealed({ sign: 'both' }, { ciphertext: () => Buffer.alloc(100) });
    expect(put(xml.replace(' Version="2.0"', ' Version="2.0" Consent="x"'))).toMatchObject(refusedFor(/digest/));
    expect(put(xml)).toMatchObject(refusedFor(UNREADABLE));
  });
});

describe('where encrypted parts stand', () => {
  const response = (change: (xml: string) => string, sign: 'response' | 'assertion' = 'assertion') => put(sealed({ sign }, {}, change));

  it.each<[string, (xml: string) => string, string | RegExp]>([
    [
      'two of them',
      (xml) => xml.replace(encryptedOf(xml), encryptedOf(xml).repeat(2).replace('_key', '_k').replace('_data', '_d')),
      'several Assertions',
    ],
    [
      'beside a plain one',
      (xml) => xml.replace('</samlp:Response>', `${elementOf(forged(honest()), 'Assertion')}</samlp:Response>`),
      'several Assertions',
    ],
    [
      'before a plain one',
      (xml) => xml.replace('</samlp:Status>', `</samlp:Status>${elementOf(forged(honest()), 'Assertion')}`),
      'several Assertions',
    ],
    [
      'in Extensions',
      (xml) =>
        xml
          .replace(encryptedOf(xml), '')
          .replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${encryptedOf(xml)}</samlp:Extensions>`),
      'an Assertion in a wrong place',
    ],
    [
      'in another namespace',
      (xml) => xml.replace(/<saml:EncryptedAssertion xmlns:saml="[^"]*"/, '<saml:EncryptedAssertion xmlns:saml="urn:other"'),
      'an Assertion in a wrong place',
    ],
    ['EncryptedData as a child of the Response', (xml) => xml.replace(encryptedOf(xml), elementOf(xml, 'EncryptedData')), 'no Assertion'],
    [
      'EncryptedData in Extensions as well',
      (xml) =>
        xml.replace(
          '</saml:Issuer>',
          `</saml:Issuer><samlp:Extensions>${elementOf(xml, 'EncryptedData').replace('_data', '_d').replace('_key', '_k')}</samlp:Extensions>`,
        ),
      'encrypted parts in a wrong place',
    ],
    [
      'a key somewhere else',
      (xml) =>
        xml
          .replace(elementOf(xml, 'EncryptedKey'), '')
          .replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${elementOf(xml, 'EncryptedKey')}</samlp:Extensions>`),
      'encrypted parts in a wrong place',
    ],
    [
      'a key in the wrong part',
      (xml) =>
        xml
          .replace(elementOf(xml, 'EncryptedKey'), '')
          .replace('<ds:KeyInfo', `<xenc:x>${elementOf(xml, 'EncryptedKey')}</xenc:x><ds:KeyInfo`),
      'an EncryptedKey in a wrong place',
    ],
    [
      'two keys',
      (xml) =>
        xml.replace('</saml:EncryptedAssertion>', `${elementOf(xml, 'EncryptedKey').replace('_key', '_k')}</saml:EncryptedAssertion>`),
      'not one EncryptedKey',
    ],
    ['no key', (xml) => xml.replace(elementOf(xml, 'EncryptedKey'), ''), 'not one EncryptedKey'],
    [
      'a CipherReference',
      (xml) =>
        xml.replace(
          /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>(?=<\/xenc:CipherData><\/xenc:EncryptedData>)/,
          '<xenc:CipherReference URI="file:///etc/passwd"/>',
        ),
      'no CipherValue',
    ],
    [
      'two CipherValues',
      (xml) => xml.replace('<xenc:CipherValue>', '<xenc:CipherValue>AAAA</xenc:CipherValue><xenc:CipherValue>'),
      'no CipherValue',
    ],
    ['elements in a CipherValue', (xml) => xml.replace('<xenc:CipherValue>', '<xenc:CipherValue><x/>'), /elements in/],
    ['a CipherValue that is no base64', (xml) => xml.replace('<xenc:CipherValue>', '<xenc:CipherValue>!'), 'a value that is not base64'],
    ['content of elements instead of one', (xml) => xml.replace(`${XENC}Element"`, `${XENC}Content"`), /^something else than an element/],
    ['the same id twice', (xml) => xml.replace('_data', '_key'), 'an id twice'],
    [
      'a Signature inside',
      (xml) => xml.replace('<ds:KeyInfo', `${elementOf(honest(), 'Signature')}<ds:KeyInfo`),
      'a Signature in a wrong place',
    ],
  ])('%s', (_, change, reason) => {
    expect(response(change)).toMatchObject(refusedFor(reason));
    expect(response(change, 'response')).toMatchObject(refusedFor(reason));
  });

  it('names and attributes alone are not decrypted, and nobody is taken for nobody', () => {
    const data = elementOf(sealed(), 'EncryptedData');
    const withName = (xml: string) => xml.replace(/<saml:NameID .*?<\/saml:NameID>/, `<saml:EncryptedID>${data}</saml:EncryptedID>`);
    const withAttribute = (xml: string) =>
      xml.replace('</saml:AttributeStatement>', `<saml:EncryptedAttribute>${data}</saml:EncryptedAttribute></saml:AttributeStatement>`);
    expect(put(honest({ rewrite: withName }))).toMatchObject(refusedFor('EncryptedID is not supported'));
    expect(put(honest({ rewrite: withAttribute }))).toMatchObject(refusedFor('EncryptedAttribute is not supported'));
    expect(put(sealed({ rewrite: withName }))).toMatchObject(refusedFor('EncryptedID is not supported'));
    expect(put(sealed({ rewrite: withAttribute, sign: 'response' }))).toMatchObject(refusedFor('EncryptedAttribute is not supported'));
  });
});

describe('what comes out is looked at as what comes in', () => {
  const NESTED = (text: string) => `<saml:x xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${text}</saml:x>`;

  /** Beneath a Response that is signed: only the text is at fault. */
  it.each<[string, (text: string) => string, RegExp]>([
    ['nothing', () => '', /^what is encrypted cannot be read/],
    ['text', () => 'hello', /^something else was encrypted/],
    ['something else', () => '<saml:Advice xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>', /^something else was encrypted/],
    ['an assertion in something else', NESTED, /^something else was encrypted/],
    [
      'an assertion of another namespace',
      (text) => text.replace(/xmlns:saml="[^"]*"/, 'xmlns:saml="urn:other"'),
      /^something else was encrypted/,
    ],
    ['two assertions', (text) => text + forged(text).replace(/ ID="[^"]*"/, ' ID="_two"'), /^something else was encrypted/],
    ['an assertion and text', (text) => `${text}x`, /^text between the parts/],
    [
      'an assertion in the Advice of another',
      (text) =>
        text.replace('<saml:AuthnStatement', `<saml:Advice>${text.replace(/ ID="[^"]*"/, ' ID="_two"')}</saml:Advice><saml:AuthnStatement`),
      /^several Assertions/,
    ],
    ['the end of its surroundings', (text) => `${text}</surroundings><surroundings>${forged(text)}`, /no XML/],
    ['the end of its surroundings only', () => '</surroundings>', /^something else was encrypted/],
    ['a document type', (text) => `<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>${text}`, /no XML/],
    ['an entity', (text) => text.replace(ATTACKER, '&e;'), /no XML/],
    ['a comment', (text) => text.replace(ATTACKER, `${ATTACKER}<!---->.example.org`), /^comments/],
    ['CDATA', (text) => text.replace(ATTACKER, `<![CDATA[${VICTIM}]]>`), /^comments/],
    ['a processing instruction', (text) => text.replace(ATTACKER, `<?x ${VICTIM}?>`), /^comments/],
    ['a character that is none', (text) => text.replace(ATTACKER, '&#0;'), /no XML/],
    [
      'an attribute twice by two prefixes',
      (text) => text.replace(' Version="2.0"', ' Version="2.0" xmlns:a="urn:a" xmlns:b="urn:a" a:x="1" b:x="2"'),
      /^an attribute twice/,
    ],
    ['an id twice', (text) => text.replace('<saml:Subject', '<saml:Subject id="_a" Id="_a"'), /^an id twice/],
    [
      '100 levels',
      (text) =>
        text.replace('<saml:AuthnStatement', `<saml:Advice>${'<x>'.repeat(100)}${'</x>'.repeat(100)}</saml:Advice><saml:AuthnStatement`),
      /^nested too deeply/,
    ],
    [
      '25,000 elements',
      (text) => text.replace('<saml:AuthnStatement', `<saml:Advice>${'<x/>'.repeat(25_000)}</saml:Advice><saml:AuthnStatement`),
      /^too many nodes/,
    ],
    [
      '70 prefixes',
      (text) => text.replace('<saml:Assertion', `<saml:Assertion${Array.from({ length: 70 }, (__, n) => ` xmlns:p${n}="u:"`).join('')}`),
      /^too many namespace prefixes/,
    ],
    [
      'something encrypted',
      (text) => text.replace('<saml:AuthnStatement', `<saml:Advice>${encryptedOf(sealed())}</saml:Advice><saml:AuthnStatement`),
      /^encrypted parts/,
    ],
  ])('%s', (_, rewrite, reason) => expect(put(sealed({ sign: 'response' }, { rewrite }))).toMatchObject(refusedFor(reason)));

  it('what is no UTF-8', () => {
    // Latin-1 stands for itself in base64; the cipher takes bytes.
    const rewrite = () => Buffer.from([0xff, 0xfe, 0x3c]).toString('latin1');
    expect(put(sealed({ sign: 'response' }, { rewrite }))).toMatchObject({ status: 'REFUSED' });
  });

  it('a signature that is wrapped inside', () => {
    const signed = elementOf(honest(), 'Assertion');
    const evil = forged(unsigned(signed));
    const signature = elementOf(signed, 'Signature');
    const attacks = [
      evil.replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
      evil.replace(
        '</saml:Issuer>',
        `</saml:Issuer>${signature.replace('</ds:Signature>', `<ds:Object>${unsigned(signed)}</ds:Object></ds:Signature>`)}`,
      ),
      evil.replace('<saml:AuthnStatement', `<saml:Advice>${signed}</saml:Advice><saml:AuthnStatement`),
      evil.replace(/ ID="[^"]*"/, ' ID="_evil"').replace('</saml:Issuer>', `</saml:Issuer>${signature}`),
      `${evil}${signed}`,
      `${signature}${evil}`,
    ];
    for (const attack of attacks) {
      expect(put(encryptAssertion(honest(), key, { rewrite: () => attack }))).toMatchObject({ status: 'REFUSED' });
    }
  });

  it('prefixes of the surroundings are those that were signed', () => {
    const rewrite = (text: string) => text.replace(/ xmlns:xs="[^"]*"/, '').replace('<saml:Subject>', '<saml:Subject xs:type="a">');
    const xml = sealed({ sign: 'response' }, { rewrite });
    expect(put(xml.replace('<samlp:Response', '<samlp:Response xmlns:xs="urn:oasis:names:tc:SAML:2.0:assertion"'))).toMatchObject({
      status: 'REFUSED',
    });
  });
});

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

  it('blanks in base64, which a pattern would go through again from each of them', () => {
    const blanks = ' '.repeat(200_000);
    const started = performance.now();
    for (const tag of ['ds:SignatureValue', 'ds:DigestValue']) {
      expect(put(honest().replace(`<${tag}>`, `<${tag}>A${blanks}!`))).toMatchObject(refusedFor('a value that is not base64'));
    }
    expect(put(sealed({}, {}, (xml) => xml.replace('<xenc:CipherValue>', `<xenc:CipherValue>A${blanks}!`)))).toMatchObject(
      refusedFor('a value that is not base64'),
    );
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
