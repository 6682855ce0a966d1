import { describe, expect, it } from 'vitest';
import { encryptAssertion } from '../../saml-idp/encrypt.ts';
import { signElement } from '../../saml-idp/sign.ts';
import { ATTACKER, elementOf, foreign, forged, honest, idp, swap, unsigned, VICTIM } from './scene.ts';
import { ACCEPTED, encryptedOf, key, other, put, refusedFor, sealed, UNREADABLE, XENC } from './sealed-scene.ts';

/*
 * Encrypted assertions: anybody can make them, since the key is published, so they prove nothing by themselves; what comes out of
 * them is looked at as strictly as what comes in, and of how it fails nobody is told.
 */
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
