import { constants, createHmac, createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeIdp, type TestIdp } from '../../saml-idp/idp.ts';
import { ENVELOPED, EXCLUSIVE_C14N, INCLUSIVE_C14N, type SigningOptions } from '../../saml-idp/sign.ts';
import { ED_IDP, K256_IDP, P256_IDP, P384_IDP, P521_IDP, PSS_IDP, RSA1024_IDP, RSA768_IDP } from '../../saml-idp/other-keys.ts';
import { ATTACKER, ask, elementOf, expectAttackToFail, foreign, forged, honest, idp, renamed, swap, unsigned } from './scene.ts';

/** Signatures that do not hold, hold for something else, or are made by somebody else (contract 06 sections 6.1 and 6.4). */
const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const C14N_METHOD = `<ds:CanonicalizationMethod Algorithm="${EXCLUSIVE_C14N}"/>`;
const signedInfoOf = (xml: string): string => elementOf(xml, 'SignedInfo');

/** Signs the SignedInfo again, as it stands, with whatever makes the value: what somebody who has the key could do. */
function resigned(xml: string, change: (info: string) => string, value: (info: Buffer) => Buffer = byTheIdp): string {
  const info = change(signedInfoOf(xml));
  const canonical = info
    .replace('<ds:SignedInfo>', '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">')
    .replace(/<([\w:]+)([^<>]*)\/>/g, '<$1$2></$1>');
  const made = value(Buffer.from(canonical)).toString('base64');
  return xml.replace(signedInfoOf(xml), info).replace(/<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${made}`);
}

const keyOf = ({ privateKey }: { readonly privateKey: string }) =>
  createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' });
const byTheIdp = (info: Buffer): Buffer => sign('sha256', info, keyOf(idp));

describe('what is not signed by the identity provider', () => {
  it.each([
    ['no signature', unsigned],
    ['another name', (xml: string) => xml.replace(`${ATTACKER}</saml:NameID>`, 'admin@victim.example</saml:NameID>')],
    ['another attribute', (xml: string) => xml.replace(`${ATTACKER}</saml:AttributeValue>`, 'admin@victim.example</saml:AttributeValue>')],
    [
      'one attribute more',
      (xml: string) =>
        xml.replace(
          '</saml:AttributeStatement>',
          '<saml:Attribute Name="x"><saml:AttributeValue>y</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
        ),
    ],
    ['another digest', (xml: string) => xml.replace(/<ds:DigestValue>[^<]*/, `<ds:DigestValue>${Buffer.alloc(32).toString('base64')}`)],
    ['an empty digest', (xml: string) => xml.replace(/<ds:DigestValue>[^<]*/, '<ds:DigestValue>')],
    [
      'another value',
      (xml: string) => xml.replace(/<ds:SignatureValue>[^<]*/, `<ds:SignatureValue>${Buffer.alloc(256, 1).toString('base64')}`),
    ],
    ['an empty value', (xml: string) => xml.replace(/<ds:SignatureValue>[^<]*/, '<ds:SignatureValue>')],
    ['no value', (xml: string) => xml.replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, '')],
    ['no SignedInfo', (xml: string) => xml.replace(signedInfoOf(xml), '')],
  ])('%s', (_, attack) => expectAttackToFail(honest(), attack));

  it('the digest of nothing: void canonicalisation', () =>
    expectAttackToFail(honest(), (xml) =>
      forged(resigned(xml, (info) => info.replace(/(<ds:DigestValue>)[^<]*/, '$147DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='))),
    ));

  it('half-signed: the Response is signed badly, the Assertion well', () => {
    expectAttackToFail(honest({ sign: 'both' }), (xml) =>
      xml.replace(/(<ds:DigestValue>)[^<]*/, `$1${Buffer.alloc(32).toString('base64')}`),
    );
    expectAttackToFail(honest({ sign: 'both' }), (xml) => xml.replace(' Version="2.0"', ' Version="2.0" Consent="x"'));
  });

  it('a signed Response without assertion', () => {
    expectAttackToFail(honest({ sign: 'response' }), (xml) => xml.replace(/<saml:Assertion .*<\/saml:Assertion>/, ''));
  });
});

describe('foreign keys', () => {
  it.each<[string, SigningOptions]>([
    ['with its own certificate in KeyInfo', {}],
    ['with the trusted certificate in KeyInfo', { keyInfo: idp.certificate }],
    ['without KeyInfo', { keyInfo: null }],
  ])('another signer of the same name, %s', (_, signing) => expectAttackToFail(honest(), () => honest({ signing }, foreign)));

  it('KeyInfo exchanged, which changes nothing', () => {
    const xml = honest();
    expect(ask(xml).status).toBe('OK');
    expect(ask(xml.replace(/(<ds:X509Certificate>)[^<]*/, `$1${foreign.certificate}`)).status).toBe('OK');
    expect(ask(honest({ signing: { keyInfo: idp.certificate } }, foreign)).status).toBe('REFUSED');
  });

  it('the certificate of another client of the tenant: the issuer must be that of the client', async () => {
    const other = await makeIdp('https://other.example.com');
    const xml = honest({}, other);
    expect(ask(xml, { certificates: [other.certificate], idpEntityId: other.entityId }).status).toBe('OK');
    expect(ask(xml, { certificates: [other.certificate] })).toMatchObject({ status: 'REFUSED', reason: 'another Issuer' });
  });

  const reason = 'no certificate with a key that counts';

  it.each([
    ['RSA of 768 bits', RSA768_IDP, { hash: 'sha256' }],
    ['RSA of 1024 bits', RSA1024_IDP, { hash: 'sha256' }],
    ['P-521', P521_IDP, { scheme: 'ecdsa', hash: 'sha512' }],
    ['secp256k1', K256_IDP, { scheme: 'ecdsa' }],
  ] as const)('keys that are too weak or of other curves: %s', (_, weak, signing) => {
    expect(ask(honest({ signing }, weak), { certificates: [weak.certificate] })).toMatchObject({ reason });
  });

  it('keys of other kinds, and clients without any', () => {
    for (const certificates of [[], [''], ['AAAA'], ['no base64'], [ED_IDP.certificate]]) {
      expect(ask(honest(), { certificates })).toMatchObject({ reason });
    }
    expect(ask(honest(), { certificates: ['AAAA', ED_IDP.certificate, P256_IDP.certificate, idp.certificate] }).status).toBe('OK');
  });
});

describe('algorithms', () => {
  it('resigning by hand makes signatures that hold', () => expect(ask(resigned(honest(), (info) => info)).status).toBe('OK'));

  it.each<[string, SigningOptions]>([
    ['RSA with SHA-1', { hash: 'sha1' }],
    ['PSS with SHA-1', { scheme: 'pss', hash: 'sha1' }],
    ['a digest of SHA-1', { digest: 'sha1' }],
    ['inclusive canonicalisation of the signature', { canonicalization: INCLUSIVE_C14N }],
    ['inclusive canonicalisation of the content', { transforms: [ENVELOPED, INCLUSIVE_C14N] }],
    ['no canonicalisation', { transforms: [ENVELOPED] }],
    ['canonicalisation with comments', { transforms: [ENVELOPED, `${EXCLUSIVE_C14N}WithComments`] }],
    ['the signature with comments', { canonicalization: `${EXCLUSIVE_C14N}WithComments` }],
    ['canonicalisation twice', { transforms: [ENVELOPED, EXCLUSIVE_C14N, EXCLUSIVE_C14N] }],
    ['canonicalisation before the signature is taken out', { transforms: [EXCLUSIVE_C14N, ENVELOPED] }],
    ['the signature not taken out', { transforms: [EXCLUSIVE_C14N] }],
  ])('%s', (_, signing) => expectAttackToFail(honest(), () => honest({ signing }), 'REFUSED', /not accepted$/));

  it.each([
    ['XPath', 'http://www.w3.org/TR/1999/REC-xpath-19991116'],
    ['XPath filter 2', 'http://www.w3.org/2002/06/xmldsig-filter2'],
    ['XSLT', 'http://www.w3.org/TR/1999/REC-xslt-19991116'],
    ['base64', 'http://www.w3.org/2000/09/xmldsig#base64'],
  ])('the transform %s', (_, uri) =>
    expectAttackToFail(
      honest(),
      (xml) => resigned(xml, (info) => info.replace(`<ds:Transform Algorithm="${EXCLUSIVE_C14N}"/>`, `<ds:Transform Algorithm="${uri}"/>`)),
      'REFUSED',
      /^transforms/,
    ),
  );

  it.each([
    `${MORE}rsa-md5`,
    `${MORE}rsa-ripemd160`,
    `${MORE}ecdsa-sha1`,
    `${MORE}ecdsa-sha224`,
    'http://www.w3.org/2007/05/xmldsig-more#rsa-pss',
    'http://www.w3.org/2007/05/xmldsig-more#sha1-rsa-MGF1',
    'http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519',
    `${MORE}hmac-sha256`,
    'http://www.w3.org/2000/09/xmldsig#dsa-sha1',
    '',
  ])('the signature method %j', (uri) =>
    expectAttackToFail(
      honest(),
      (xml) => resigned(xml, (info) => info.replace(`${MORE}rsa-sha256`, uri)),
      'REFUSED',
      /^a signature method/,
    ),
  );

  it('HMAC with the public certificate as its key', () => {
    const attack = (xml: string): string =>
      resigned(
        xml,
        (info) => info.replace(`${MORE}rsa-sha256`, 'http://www.w3.org/2000/09/xmldsig#hmac-sha1'),
        (info) => createHmac('sha1', Buffer.from(idp.certificate, 'base64')).update(info).digest(),
      );
    expectAttackToFail(honest(), attack, 'REFUSED', /^a signature method/);
  });

  it('parameters of algorithms', () => {
    const length = '<ds:HMACOutputLength>1</ds:HMACOutputLength>';
    expectAttackToFail(
      honest(),
      (xml) => resigned(xml, (info) => info.replace(/(<ds:SignatureMethod [^>]*)\/>/, `$1>${length}</ds:SignatureMethod>`)),
      'REFUSED',
      /^parameters/,
    );
    expectAttackToFail(
      honest(),
      (xml) => resigned(xml, (info) => info.replace(C14N_METHOD, C14N_METHOD.replace('/>', '><x></x></ds:CanonicalizationMethod>'))),
      'REFUSED',
      /^parameters/,
    );
  });
});

describe('schemes and keys that do not belong together', () => {
  type Signing = Required<Pick<SigningOptions, 'scheme' | 'hash'>>;
  const HASHES = ['sha256', 'sha384', 'sha512'] as const;
  const asked = (signer: TestIdp, signing: Signing) => ask(honest({ signing }, signer), { certificates: [signer.certificate] });

  it.each(HASHES)('those that do are accepted, with %s', (hash) => {
    const good: readonly (readonly [TestIdp, SigningOptions['scheme'] & string])[] = [
      [idp, 'pkcs1'],
      [idp, 'pss'],
      [PSS_IDP, 'pss'],
      [P256_IDP, 'ecdsa'],
      [P384_IDP, 'ecdsa'],
    ];
    for (const [signer, scheme] of good) {
      expect(asked(signer, { scheme, hash })).toMatchObject({ status: 'OK', claims: { NameID: [ATTACKER] } });
    }
  });

  /** The signature as it is, under the name of another method. */
  const renamedMethod = (from: string, to: string) => (xml: string) => swap(xml, from, to);
  const PSS = 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1';

  it.each<[string, TestIdp, Signing, string, string]>([
    ['PKCS#1 called PSS', idp, { scheme: 'pkcs1', hash: 'sha256' }, `${MORE}rsa-sha256`, PSS],
    ['PSS called PKCS#1', idp, { scheme: 'pss', hash: 'sha256' }, PSS, `${MORE}rsa-sha256`],
    ['RSA called ECDSA', idp, { scheme: 'pkcs1', hash: 'sha256' }, `${MORE}rsa-sha256`, `${MORE}ecdsa-sha256`],
    ['ECDSA called RSA', P256_IDP, { scheme: 'ecdsa', hash: 'sha256' }, `${MORE}ecdsa-sha256`, `${MORE}rsa-sha256`],
    ['ECDSA called PSS', P256_IDP, { scheme: 'ecdsa', hash: 'sha256' }, `${MORE}ecdsa-sha256`, PSS],
    ['another hash', P256_IDP, { scheme: 'ecdsa', hash: 'sha256' }, `${MORE}ecdsa-sha256`, `${MORE}ecdsa-sha384`],
  ])('%s', (_, signer, signing, from, to) => {
    const certificates = [idp.certificate, P256_IDP.certificate, P384_IDP.certificate, PSS_IDP.certificate];
    const xml = honest({ signing }, signer);
    expect(ask(xml, { certificates }).status).toBe('OK');
    expect(ask(renamedMethod(from, to)(xml), { certificates })).toMatchObject({ status: 'REFUSED' });
  });

  /** Signs the SignedInfo again with the method named in it, in another way than the method says. */
  const signedOtherwise = (signer: TestIdp, method: string, how: object): string =>
    resigned(
      honest({}, signer),
      (info) => info.replace(`${MORE}rsa-sha256`, method),
      (info) => sign('sha256', info, { key: keyOf(signer), ...how }),
    );

  it('an EC key under the name of an RSA method, which Node would sign and check', () => {
    const xml = resigned(
      honest(),
      (info) => info,
      (info) => sign('sha256', info, keyOf(P256_IDP)),
    );
    expect(ask(xml, { certificates: [P256_IDP.certificate] })).toMatchObject({ status: 'REFUSED' });
  });

  it('PSS with another length of the salt', () => {
    const padding = constants.RSA_PKCS1_PSS_PADDING;
    expect(ask(signedOtherwise(idp, PSS, { padding, saltLength: 32 })).status).toBe('OK');
    for (const saltLength of [0, 20, constants.RSA_PSS_SALTLEN_MAX_SIGN]) {
      expect(ask(signedOtherwise(idp, PSS, { padding, saltLength }))).toMatchObject({ status: 'REFUSED' });
    }
  });

  it('ECDSA with its value in ASN.1, cut off, too long, or of nothing', () => {
    const method = `${MORE}ecdsa-sha256`;
    const values = (info: Buffer, encoding: 'der' | 'ieee-p1363') => sign('sha256', info, { key: keyOf(P256_IDP), dsaEncoding: encoding });
    const attempts: readonly ((info: Buffer) => Buffer)[] = [
      (info) => values(info, 'der'),
      (info) => values(info, 'ieee-p1363').subarray(0, 63),
      (info) => Buffer.concat([values(info, 'ieee-p1363'), Buffer.from([0])]),
      () => Buffer.alloc(64),
    ];
    const made = (value: (info: Buffer) => Buffer) => {
      const xml = honest({ signing: { keyInfo: null } }, foreign);
      return ask(
        resigned(xml, (info) => info.replace(`${MORE}rsa-sha256`, method), value),
        { certificates: [P256_IDP.certificate] },
      );
    };
    expect(made((info) => values(info, 'ieee-p1363')).status).toBe('OK');
    for (const attempt of attempts) expect(made(attempt)).toMatchObject({ status: 'REFUSED' });
  });
});

describe('the parts of a Signature', () => {
  const evilInfo = (xml: string): string =>
    signedInfoOf(xml).replace(/(<ds:DigestValue>)[^<]*/, `$1${Buffer.alloc(32).toString('base64')}`);

  it.each<[string, (xml: string) => string]>([
    ['two SignedInfo, the forged one first', (xml) => xml.replace(signedInfoOf(xml), evilInfo(xml) + signedInfoOf(xml))],
    ['two SignedInfo, the forged one last', (xml) => xml.replace(signedInfoOf(xml), signedInfoOf(xml) + evilInfo(xml))],
    ['a SignedInfo in KeyInfo', (xml) => xml.replace('<ds:KeyInfo>', `<ds:KeyInfo>${evilInfo(xml)}`)],
    [
      'a SignedInfo in Extensions',
      (xml) => xml.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions><SignedInfo/></samlp:Extensions>`),
    ],
    ['two SignatureValues', (xml) => xml.replace('<ds:SignatureValue>', '<ds:SignatureValue>AAAA</ds:SignatureValue><ds:SignatureValue>')],
    ['an element in SignatureValue', (xml) => xml.replace('<ds:SignatureValue>', '<ds:SignatureValue><x/>')],
    ['text in SignatureValue that is no base64', (xml) => xml.replace('<ds:SignatureValue>', '<ds:SignatureValue>!')],
    ['two KeyInfo', (xml) => xml.replace('</ds:KeyInfo>', '</ds:KeyInfo><ds:KeyInfo/>')],
    [
      'KeyInfo first',
      (xml) => xml.replace(elementOf(xml, 'KeyInfo'), '').replace('<ds:SignedInfo>', `${elementOf(xml, 'KeyInfo')}<ds:SignedInfo>`),
    ],
    ['an Object', (xml) => xml.replace('</ds:KeyInfo>', '</ds:KeyInfo><ds:Object/>')],
    [
      'an Object somewhere else',
      (xml) =>
        xml.replace(
          '</saml:Issuer>',
          '</saml:Issuer><samlp:Extensions><ds:Object xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/></samlp:Extensions>',
        ),
    ],
    ['text between the parts', (xml) => xml.replace('<ds:SignedInfo>', 'x<ds:SignedInfo>')],
    ['two Signatures', (xml) => xml.replace(elementOf(xml, 'Signature'), elementOf(xml, 'Signature').repeat(2))],
    [
      'a Signature in another namespace',
      (xml) => xml.replace('</saml:Issuer>', '</saml:Issuer><samlp:Extensions><Signature/></samlp:Extensions>'),
    ],
    [
      'a Signature further inside',
      (xml) =>
        xml
          .replace(elementOf(xml, 'Signature'), '')
          .replace('<saml:Conditions', `<saml:Advice>${elementOf(xml, 'Signature')}</saml:Advice><saml:Conditions`),
    ],
  ])('%s', (_, attack) => expectAttackToFail(honest(), attack));

  it.each<[string, (info: string) => string]>([
    ['two References', (info) => info.replace('</ds:Reference>', `</ds:Reference>${elementOf(info, 'Reference')}`)],
    ['no Reference', (info) => info.replace(elementOf(info, 'Reference'), '')],
    ['two DigestValues', (info) => info.replace('<ds:DigestValue>', '<ds:DigestValue>AAAA</ds:DigestValue><ds:DigestValue>')],
    ['an element in DigestValue', (info) => info.replace('<ds:DigestValue>', '<ds:DigestValue><x></x>')],
    ['two CanonicalizationMethods', (info) => info.replace(C14N_METHOD, C14N_METHOD.repeat(2))],
    ['no Transforms', (info) => info.replace(elementOf(info, 'Transforms'), '')],
    ['one more part', (info) => info.replace('</ds:Reference>', '</ds:Reference><ds:x></ds:x>')],
  ])('%s, signed like that', (_, change) => expectAttackToFail(honest(), (xml) => resigned(xml, change)));

  it('a signature of another document of the same identity provider', () => {
    const other = honest({ assertionId: '_other', nameId: 'admin@victim.example' });
    expectAttackToFail(honest({ assertionId: '_one' }), (xml) => swap(xml, elementOf(xml, 'Signature'), elementOf(other, 'Signature')));
    expectAttackToFail(honest({ assertionId: '_one' }), (xml) =>
      forged(swap(xml, elementOf(xml, 'Assertion'), renamed(elementOf(xml, 'Assertion'), '_other'))),
    );
  });
});
