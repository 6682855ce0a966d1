import { beforeEach, describe, expect, test } from 'vitest';
import { verify, X509Certificate } from 'node:crypto';
import { samlSpCredentials } from '../../../src/recipes/saml/records.ts';
import { openInProcessCore } from '../../in-process-core.ts';
import { base64Of, makeIdp, metadataOf, type TestIdp } from '../../saml-idp/idp.ts';
import { ACS, APP, readLogin, SamlCalls, SERVICE } from './calls.ts';

const DAY_MS = 86_400_000;
const invalid = (field: string) => `Field name '${field}' is invalid in JSON input\n`;

let idp: TestIdp;
let calls: SamlCalls;

beforeEach(async () => {
  idp ??= await makeIdp();
  calls = new SamlCalls(await openInProcessCore('5.4'));
});

const urlOfLogin = async () => String((await calls.begin()).body['ssoRedirectURI']);
const metadata = async (at = '') => String((await calls.core.call('GET', `${at}/.well-known/sp-metadata`)).body['text']);
const certificatesIn = (xml: string) => [...xml.matchAll(/<ds:X509Certificate>([^<]*)</g)].map(([, certificate]) => certificate ?? '');

/** Whether a URL of the Redirect binding carries a signature by the key of a certificate, over its query as it stands there (SAML bindings section 3.4.4.1). */
function isSignedBy(url: string, certificate: string): boolean {
  const [, signed = '', signature = ''] = /[?&](SAMLRequest=[^&]+&RelayState=[^&]+&SigAlg=[^&]+)&Signature=([^&]+)$/.exec(url) ?? [];
  const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
  return verify('sha256', Buffer.from(signed), publicKey, Buffer.from(decodeURIComponent(signature), 'base64'));
}

describe('beginning a login', () => {
  test('asks the identity provider in one line', async () => {
    await calls.connect(idp);
    const acsURL = 'https://app.example.com/acs?a=1&b="<é>"';
    const { body } = await calls.begin({ acsURL });
    const { xml, relayState, ssoUrl } = readLogin(String(body['ssoRedirectURI']));
    expect(ssoUrl).toBe('https://idp.example.com/sso');
    expect(relayState).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const [, id] = / ID="_([0-9a-f-]{36})"/.exec(xml) ?? [];
    expect(xml).toBe(
      '<?xml version="1.0" encoding="UTF-8"?><saml2p:AuthnRequest xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ' +
        'AssertionConsumerServiceURL="https://app.example.com/acs?a=1&amp;b=&quot;&lt;é&gt;&quot;" Destination="https://idp.example.com/sso" ' +
        `ID="_${id}" IssueInstant="${new Date(calls.core.clock.now).toISOString()}" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Version="2.0">` +
        `<saml2:Issuer xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion">${SERVICE}</saml2:Issuer><saml2p:NameIDPolicy AllowCreate="true"/></saml2p:AuthnRequest>`,
    );
  });

  test('keeps the query of the identity provider', async () => {
    const services = [['HTTP-Redirect', 'https://accounts.example.com/o/saml2/idp?idpid=C1']] as const;
    await calls.connect(idp, { metadataXML: base64Of(metadataOf(idp, { services })) });
    const { body } = await calls.begin();
    expect(body['ssoRedirectURI']).toMatch(
      /^https:\/\/accounts\.example\.com\/o\/saml2\/idp\?idpid=C1&SAMLRequest=[A-Za-z0-9%]+&RelayState=/,
    );
  });

  test('signs the query, and not the document, with the key that the metadata shows', async () => {
    const services = [['HTTP-Redirect', 'https://accounts.example.com/o/saml2/idp?idpid=C1']] as const;
    await calls.connect(idp, { enableRequestSigning: true, metadataXML: base64Of(metadataOf(idp, { services })) });
    const [certificate = ''] = certificatesIn(await metadata());
    const url = await urlOfLogin();
    expect(url).toMatch(/\?idpid=C1&SAMLRequest=/);
    expect(new URL(url).searchParams.get('SigAlg')).toBe('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
    expect(isSignedBy(url, certificate)).toBe(true);
    expect(isSignedBy(url.replace('RelayState=', 'RelayState=x'), certificate)).toBe(false);
    expect(readLogin(url).xml).not.toContain('Signature');
  });

  test('signs nothing for a client that does not want it', async () => {
    await calls.connect(idp);
    expect(await urlOfLogin()).toMatch(/\?SAMLRequest=[^&]+&RelayState=[0-9a-f-]{36}$/);
  });

  test('is refused for its fields, in their order', async () => {
    await calls.connect(idp);
    for (const field of ['clientId', 'redirectURI', 'acsURL']) {
      for (const value of [undefined, null, 1]) expect((await calls.begin({ [field]: value })).body['text']).toBe(invalid(field));
    }
    for (const state of [null, 1, 'x'.repeat(8193)]) expect((await calls.begin({ state })).body['text']).toBe(invalid('state'));
    for (const acsURL of ['https://a.example.com/\0', '\ud800', '\ufffe'])
      expect((await calls.begin({ acsURL })).body['text']).toBe(invalid('acsURL'));
  });

  test('needs a client of the tenant and one of its redirect URIs, letter by letter', async () => {
    await calls.addTenant('t1');
    await calls.connect(idp, { defaultRedirectURI: 'https://default.example.com/' });
    const refused = { status: 'INVALID_CLIENT_ERROR' };
    expect((await calls.begin({}, { at: '/t1' })).body).toEqual(refused);
    expect((await calls.begin({ clientId: 'd' })).body).toEqual(refused);
    const tricks = [
      '',
      'https://default.example.com/',
      `${APP}/`,
      `${APP}?x`,
      `${APP}#x`,
      APP.toUpperCase(),
      `${APP}/../evil`,
      `${APP}@evil.example.com`,
      ` ${APP}`,
    ];
    for (const redirectURI of tricks) expect((await calls.begin({ redirectURI })).body).toEqual(refused);
  });

  test('works under the name that the specification gives it', async () => {
    await calls.connect(idp);
    const { body } = await calls.at('POST', '/recipe/saml/authorize', { clientId: 'c', redirectURI: APP, acsURL: ACS });
    expect(body['status']).toBe('OK');
  });
});

describe('the metadata of the service provider', () => {
  test('is XML with a self-signed certificate, and stays the same', async () => {
    const xml = await metadata();
    const [certificate = ''] = certificatesIn(xml);
    const { publicKey, validTo, ...read } = new X509Certificate(Buffer.from(certificate, 'base64'));
    expect(publicKey).toMatchObject({ asymmetricKeyType: 'rsa', asymmetricKeyDetails: { modulusLength: 2048 } });
    expect(read).toBeDefined();
    const validUntil = new Date(validTo).toISOString().replace('.000Z', 'Z');
    expect(xml).toBe(
      `<?xml version="1.0" encoding="UTF-8" standalone="no"?><md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${SERVICE}" validUntil="${validUntil}">` +
        '<md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">' +
        `<ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>` +
        '<md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat></md:SPSSODescriptor></md:EntityDescriptor>\n',
    );
    expect(await metadata()).toBe(xml);
    expect((await calls.core.call('GET', '/recipe/saml/metadata')).body['text']).toBe(xml);
  });

  test('names the assertion consumer service where it is known, and whether all requests are signed', async () => {
    const acsUrl = 'https://app.example.com/auth/saml/callback?a=1&b=2';
    await calls.addTenant('t1', { saml_sp_acs_url: acsUrl });
    const parts = async () =>
      /<md:SPSSODescriptor ([^>]*)>.*<\/md:NameIDFormat>(.*)<\/md:SPSSODescriptor>/.exec(await metadata('/t1'))?.slice(1);
    const service =
      '<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="https://app.example.com/auth/saml/callback?a=1&amp;b=2" index="0" isDefault="true"/>';
    const protocol = 'protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"';
    expect(await parts()).toEqual([`AuthnRequestsSigned="true" ${protocol}`, service]);
    await calls.connect(idp, { clientId: 'signs', enableRequestSigning: true }, { at: '/t1' });
    expect(await parts()).toEqual([`AuthnRequestsSigned="true" ${protocol}`, service]);
    await calls.connect({ ...idp, entityId: 'https://other.example.com' }, {}, { at: '/t1' });
    expect(await parts()).toEqual([`AuthnRequestsSigned="false" ${protocol}`, service]);
    expect(await metadata()).not.toMatch(/AssertionConsumerService|AuthnRequestsSigned/);
  });

  test.each([
    '/acs',
    'app.example.com',
    'ftp://app.example.com/',
    'https://',
    'https://app.example.com/#a',
    'https://app.example.com/ a',
    'https://app.example.com/é',
  ])('cannot name %s', async (acsUrl) => {
    const { body } = await calls.core.call('PUT', '/recipe/multitenancy/tenant/v2', {
      tenantId: 't1',
      coreConfig: { saml_sp_acs_url: acsUrl },
    });
    expect(body['text']).toMatch(/^Invalid core config: 'saml_sp_acs_url' must be/);
  });

  test('is each tenant’s own', async () => {
    await calls.addTenant('t1', { saml_sp_entity_id: 'https://sp.example.com/?a=1&b="<x>"' });
    const [own, other] = [await metadata(), await metadata('/t1')];
    expect(other).toContain('entityID="https://sp.example.com/?a=1&amp;b=&quot;&lt;x&gt;&quot;"');
    expect(certificatesIn(other)).not.toEqual(certificatesIn(own));
    expect((await calls.core.call('GET', '/nowhere/.well-known/sp-metadata')).status).toBe(400);
  });

  test('needs no API key, and makes one key however many ask', async () => {
    calls = new SamlCalls(await openInProcessCore('5.4', { API_KEYS: 'a-key-of-twenty-characters' }));
    const { crypto } = calls.core.services;
    let made = 0;
    const original = crypto.newSpCredential.bind(crypto);
    crypto.newSpCredential = (now) => {
      made += 1;
      return original(now);
    };
    const all = await Promise.all(Array.from({ length: 20 }, () => metadata()));
    crypto.newSpCredential = original;
    expect(new Set(all).size).toBe(1);
    expect(made).toBe(1);
    expect((await calls.core.call('GET', '/recipe/saml/clients/list')).status).toBe(401);
  });

  test('shows a successor for thirty days, while the old key signs until its last day', async () => {
    const { clock, services } = calls.core;
    await calls.connect(idp, { enableRequestSigning: true });
    const [old = ''] = certificatesIn(await metadata());
    const end = Date.parse(new X509Certificate(Buffer.from(old, 'base64')).validTo);

    clock.now = end - 31 * DAY_MS;
    expect(certificatesIn(await metadata())).toEqual([old]);
    clock.now = end - 29 * DAY_MS;
    const both = certificatesIn(await metadata());
    expect(both[0]).toBe(old);
    expect(new Set(both).size).toBe(2);
    expect(await metadata()).toContain(`validUntil="${new Date(end).toISOString().replace('.000Z', 'Z')}"`);
    expect(isSignedBy(await urlOfLogin(), old)).toBe(true);

    clock.now = end - DAY_MS / 2;
    expect(certificatesIn(await metadata())).toEqual(both);
    expect(isSignedBy(await urlOfLogin(), both[1] ?? '')).toBe(true);

    clock.now = end + 1000;
    expect(certificatesIn(await metadata())).toEqual([both[1]]);
    const kept = await services.store.read((reader) => reader.list(samlSpCredentials, undefined, { prefix: [], limit: 10 }));
    expect(kept).toHaveLength(1);
  });
});
