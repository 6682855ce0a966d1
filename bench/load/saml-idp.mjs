// An identity provider that signs fast: it writes its answers in canonical form, so that a signature can be made over the text as it stands.
import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto';

const URN = 'urn:oasis:names:tc:SAML:2.0:';
const DS = 'http://www.w3.org/2000/09/xmldsig#';
const C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
const NAME_FORMAT = `${URN}attrname-format:basic`;

export const ENTITY_ID = 'https://idp.example.com/metadata';
export const ACS_URL = 'https://app.example.com/auth/saml/callback';
/** The entity id of a service provider that has none configured. */
const AUDIENCE = 'https://saml.supertokens.com';
/** With these a signed answer has about 6 KB, as answers with names, addresses and some groups have. */
const GROUPS = 24;
const VALID_MS = 10 * 60_000;

/** One value of ASN.1 in DER. */
function der(tag, ...parts) {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const long = body.length > 0xff ? [0x82, body.length >> 8, body.length & 0xff] : [0x81, body.length];
  return Buffer.concat([Buffer.from([tag, ...(body.length < 0x80 ? [body.length] : long)]), body]);
}

/** A key pair with a self-signed certificate, base64 DER. */
export function makeKey() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = der(0x30, der(6, Buffer.from('2a864886f70d01010b', 'hex')), der(5));
  const name = der(0x30, der(0x31, der(0x30, der(6, [0x55, 4, 3]), der(12, 'IdP'))));
  const validity = der(0x30, der(23, '200101000000Z'), der(23, '491231235959Z'));
  const serial = der(2, [0x4d, ...Buffer.from(randomUUID())]);
  const body = der(
    0x30,
    der(0xa0, der(2, [2])),
    serial,
    algorithm,
    name,
    validity,
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const certificate = der(0x30, body, algorithm, der(3, [0], sign('sha256', body, privateKey))).toString('base64');
  return { privateKey, certificate };
}

/** Its metadata, as XML. */
export function metadata({ certificate }) {
  return (
    `<md:EntityDescriptor xmlns:md="${URN}metadata" entityID="${ENTITY_ID}"><md:IDPSSODescriptor protocolSupportEnumeration="${URN}protocol">` +
    `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${DS}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate>` +
    `</ds:X509Data></ds:KeyInfo></md:KeyDescriptor><md:SingleSignOnService Binding="${URN}bindings:HTTP-Redirect" ` +
    'Location="https://idp.example.com/sso"></md:SingleSignOnService></md:IDPSSODescriptor></md:EntityDescriptor>'
  );
}

/** An answer to a login, whose assertion is signed, as XML. */
export function response(key, relayState) {
  const now = Date.now();
  const at = (time) => new Date(time).toISOString();
  const issuer = `<saml:Issuer>${ENTITY_ID}</saml:Issuer>`;
  const id = `_${randomUUID()}`;
  const unsigned = assertion({ id, issuer, relayState, issued: at(now), from: at(now - 60_000), until: at(now + VALID_MS) });
  const signed = unsigned.replace(issuer, issuer + signature(key, id, unsigned));
  return (
    `<samlp:Response xmlns:samlp="${URN}protocol" Destination="${ACS_URL}" ID="_${randomUUID()}" InResponseTo="${relayState}" IssueInstant="${at(now)}" Version="2.0">` +
    `<saml:Issuer xmlns:saml="${URN}assertion">${ENTITY_ID}</saml:Issuer>` +
    `<samlp:Status><samlp:StatusCode Value="${URN}status:Success"></samlp:StatusCode></samlp:Status>${signed}</samlp:Response>`
  );
}

function assertion({ id, issuer, relayState, issued, from, until }) {
  const attribute = (name, values) =>
    `<saml:Attribute Name="${name}" NameFormat="${NAME_FORMAT}">${values.map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
  const person = randomUUID();
  return (
    `<saml:Assertion xmlns:saml="${URN}assertion" ID="${id}" IssueInstant="${issued}" Version="2.0">${issuer}` +
    `<saml:Subject><saml:NameID Format="${URN}nameid-format:persistent">${person}</saml:NameID><saml:SubjectConfirmation Method="${URN}cm:bearer">` +
    `<saml:SubjectConfirmationData InResponseTo="${relayState}" NotOnOrAfter="${until}" Recipient="${ACS_URL}"></saml:SubjectConfirmationData>` +
    `</saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction>` +
    `<saml:Audience>${AUDIENCE}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${issued}" SessionIndex="${id}">` +
    `<saml:AuthnContext><saml:AuthnContextClassRef>${URN}ac:classes:PasswordProtectedTransport</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>` +
    `<saml:AttributeStatement>${attribute('mail', [`${person}@example.com`])}${attribute('givenName', ['Ada'])}${attribute('sn', ['Lovelace'])}` +
    `${attribute(
      'groups',
      Array.from({ length: GROUPS }, (_, n) => `cn=group-${n},ou=groups,dc=example,dc=com`),
    )}</saml:AttributeStatement></saml:Assertion>`
  );
}

function signature({ privateKey, certificate }, id, canonical) {
  const digest = createHash('sha256').update(canonical).digest('base64');
  const method = (name, uri) => `<ds:${name} Algorithm="${uri}"></ds:${name}>`;
  const content =
    method('CanonicalizationMethod', C14N) +
    method('SignatureMethod', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256') +
    `<ds:Reference URI="#${id}"><ds:Transforms>${method('Transform', `${DS}enveloped-signature`)}${method('Transform', C14N)}</ds:Transforms>` +
    `${method('DigestMethod', 'http://www.w3.org/2001/04/xmlenc#sha256')}<ds:DigestValue>${digest}</ds:DigestValue></ds:Reference></ds:SignedInfo>`;
  const value = sign('sha256', Buffer.from(`<ds:SignedInfo xmlns:ds="${DS}">${content}`), privateKey).toString('base64');
  return (
    `<ds:Signature xmlns:ds="${DS}"><ds:SignedInfo>${content}<ds:SignatureValue>${value}</ds:SignatureValue>` +
    `<ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>`
  );
}
