import { newSpCredential } from '../../src/crypto/saml/sp-credential.ts';

/** An identity provider of the tests: a name and a key. */
export interface TestIdp {
  readonly entityId: string;
  /** Base64 PKCS#8 DER. */
  readonly privateKey: string;
  /** Base64 X.509 DER. */
  readonly certificate: string;
}

const METADATA_NS = 'urn:oasis:names:tc:SAML:2.0:metadata';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:';

/** A new identity provider with an RSA-2048 key of its own; `now` decides when its certificate ends (ten years later). */
export async function makeIdp(entityId = 'https://idp.example.com/metadata', now = Date.now()): Promise<TestIdp> {
  const { privateKey, certificate } = await newSpCredential(now);
  return { entityId, privateKey, certificate };
}

/** How metadata differs from the plain one. */
export interface MetadataOptions {
  /** Base64 DER with what it is for; `use` left out stands for both. */
  readonly certificates?: readonly { readonly certificate: string; readonly use?: string }[];
  /** The addresses by the last part of their binding, in document order. */
  readonly services?: readonly (readonly [binding: string, location: string])[];
  readonly role?: string;
  readonly protocols?: string | null;
}

/** The metadata of an identity provider, as XML. */
export function metadataOf(idp: TestIdp, options: MetadataOptions = {}): string {
  const {
    certificates = [{ certificate: idp.certificate, use: 'signing' }],
    services = [
      ['HTTP-Redirect', 'https://idp.example.com/sso'],
      ['HTTP-POST', 'https://idp.example.com/sso'],
    ],
    role = 'IDPSSODescriptor',
    protocols = PROTOCOL,
  } = options;
  const keys = certificates.map(
    ({ certificate, use }) =>
      `<md:KeyDescriptor${use === undefined ? '' : ` use="${use}"`}><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>` +
      `<ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  );
  const addresses = services.map(
    ([binding, location]) => `<md:SingleSignOnService Binding="${BINDING}${binding}" Location="${escapeXml(location)}"/>`,
  );
  const supported = protocols === null ? '' : ` protocolSupportEnumeration="${protocols}"`;
  return (
    `<?xml version="1.0" encoding="UTF-8"?><md:EntityDescriptor xmlns:md="${METADATA_NS}" entityID="${escapeXml(idp.entityId)}">` +
    `<md:${role}${supported}>${keys.join('')}${addresses.join('')}</md:${role}></md:EntityDescriptor>`
  );
}

/** For text and attributes. */
export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** As a browser posts it. */
export function base64Of(text: string): string {
  return Buffer.from(text).toString('base64');
}
