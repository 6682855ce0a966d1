import { describe, expect, it } from 'vitest';
import { readMetadata } from '../../../src/crypto/saml/metadata.ts';
import { makeIdp, metadataOf, type MetadataOptions } from '../../saml-idp/idp.ts';
import { ED_IDP, K256_IDP, P256_IDP, P384_IDP, P521_IDP, PSS_IDP, RSA1024_IDP, RSA768_IDP } from '../../saml-idp/other-keys.ts';

const idp = await makeIdp('https://idp.example.com/metadata?a=1&b=2');
const other = await makeIdp();
const SSO = 'https://idp.example.com/sso';
const read = (options: MetadataOptions) => readMetadata(metadataOf(idp, options));
const KNOWN = { entityId: idp.entityId, ssoUrl: SSO, certificates: [idp.certificate] };

describe('metadata of an identity provider', () => {
  it('is read', () => expect(readMetadata(metadataOf(idp))).toEqual(KNOWN));

  it('names all certificates for signing, in order, each once', () => {
    const certificates = [
      { certificate: other.certificate, use: 'encryption' },
      { certificate: '  \n ' },
      { certificate: idp.certificate.replace(/.{64}/g, '$&\n  ') },
      { certificate: other.certificate, use: 'signing' },
      { certificate: idp.certificate, use: 'signing' },
    ];
    expect(read({ certificates })?.certificates).toEqual([idp.certificate, other.certificate]);
  });

  it('may have keys of the curves P-256 and P-384, and RSA keys for PSS alone', () => {
    for (const { certificate } of [P256_IDP, P384_IDP, PSS_IDP]) {
      expect(read({ certificates: [{ certificate }] })?.certificates).toEqual([certificate]);
    }
  });

  it('passes keys over that are of another kind or too weak, as long as there is a good one', () => {
    const weak = [RSA768_IDP, RSA1024_IDP, P521_IDP, K256_IDP, ED_IDP].map(({ certificate }) => ({ certificate }));
    expect(read({ certificates: [...weak, { certificate: idp.certificate }] })?.certificates).toEqual([idp.certificate]);
    for (const each of weak) expect(read({ certificates: [each] })).toBeUndefined();
  });

  it('sends to the last address of the Redirect binding', () => {
    const services: MetadataOptions['services'] = [
      ['HTTP-Redirect', 'https://idp.example.com/first'],
      ['HTTP-Redirect', 'http://idp.example.com/last?idpid=1&x=2'],
      ['HTTP-POST', 'https://idp.example.com/post'],
    ];
    expect(read({ services })?.ssoUrl).toBe('http://idp.example.com/last?idpid=1&x=2');
  });

  it('may have a byte order mark, comments, and none or several protocols', () => {
    const xml = metadataOf(idp);
    expect(readMetadata(`\ufeff${xml.replace('<md:IDPSSO', "<!-- it's ours & theirs --><md:IDPSSO")}`)).toEqual(KNOWN);
    expect(read({ protocols: null })).toEqual(KNOWN);
    expect(read({ protocols: 'urn:oasis:names:tc:SAML:1.1:protocol urn:oasis:names:tc:SAML:2.0:protocol' })).toEqual(KNOWN);
  });

  it('may say how to encrypt for it, which identity providers on Java do at length', () => {
    const xenc = 'http://www.w3.org/2001/04/xmlenc#';
    const methods =
      `<md:EncryptionMethod Algorithm="${xenc}aes128-cbc"><xenc:KeySize xmlns:xenc="${xenc}">128</xenc:KeySize></md:EncryptionMethod>` +
      `<md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#rsa-oaep"><ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" ` +
      `Algorithm="${xenc}sha256"/><x:MGF xmlns:x="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha256"/>` +
      '</md:EncryptionMethod>';
    const xml = metadataOf(idp).replace('</md:KeyDescriptor>', `${methods}</md:KeyDescriptor>`);
    expect(readMetadata(xml)).toEqual(KNOWN);
  });
});

describe('metadata is refused', () => {
  it.each<[string, MetadataOptions]>([
    ['without the Redirect binding', { services: [['HTTP-POST', SSO]] }],
    ['without certificates', { certificates: [] }],
    ['with a certificate for encryption only', { certificates: [{ certificate: idp.certificate, use: 'encryption' }] }],
    ['with a certificate that is cut off', { certificates: [{ certificate: idp.certificate.slice(0, 400), use: 'signing' }] }],
    ['with a certificate that is no base64', { certificates: [{ certificate: '-----', use: 'signing' }] }],
    ['with a good certificate and a broken one', { certificates: [{ certificate: idp.certificate }, { certificate: 'AAAA' }] }],
    ['with 17 certificates', { certificates: Array.from({ length: 17 }, () => ({ certificate: idp.certificate })) }],
    ['of a service provider', { role: 'SPSSODescriptor' }],
    ['of SAML 1.1 only', { protocols: 'urn:oasis:names:tc:SAML:1.1:protocol' }],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      '/sso',
      'ftp://x/',
      'https://x/#f',
      'https://x/\ny',
      'https://',
      'https:///x',
      'https:\\\\x',
    ].map((location): [string, MetadataOptions] => [
      `with the address ${JSON.stringify(location)}`,
      { services: [['HTTP-Redirect', location]] },
    ]),
  ])('%s', (_, options) => expect(read(options)).toBeUndefined());

  const xml = metadataOf(idp);
  it.each([
    ['nothing', ''],
    ['no XML', 'hello'],
    ['a document type', xml.replace('?>', '?><!DOCTYPE x>')],
    ['an entity', xml.replace('?>', '?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>')],
    ['CDATA', xml.replace('<ds:X509Certificate>', '<ds:X509Certificate><![CDATA[]]>')],
    ['a processing instruction', xml.replace('<md:IDPSSO', '<?x y?><md:IDPSSO')],
    ['a group of entities', xml.replaceAll('md:EntityDescriptor', 'md:EntitiesDescriptor')],
    ['no entity id', xml.replace(/entityID="[^"]*"/, '')],
    ['an empty entity id', xml.replace(/entityID="[^"]*"/, 'entityID=""')],
    ['an entity id of 257 characters', xml.replace(/entityID="[^"]*"/, `entityID="${'a'.repeat(257)}"`)],
    ['another namespace', xml.replace('SAML:2.0:metadata', 'SAML:2.0:other')],
    ['100 levels', xml.replace('</md:IDPSSODescriptor>', `${'<x>'.repeat(100)}${'</x>'.repeat(100)}</md:IDPSSODescriptor>`)],
    ['60,000 elements', xml.replace('</md:IDPSSODescriptor>', `${'<x/>'.repeat(60_000)}</md:IDPSSODescriptor>`)],
    ['more than a MiB', xml.replace('</md:IDPSSODescriptor>', `${' '.repeat(2 ** 20)}</md:IDPSSODescriptor>`)],
  ])('with %s', (_, metadata) => expect(readMetadata(metadata)).toBeUndefined());
});
