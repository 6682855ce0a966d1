import { LIMITS } from '../../config/limits.ts';
import type { SpCredential } from '../../crypto/saml/saml.ts';
import type { Context } from '../context.ts';
import { samlClients } from './records.ts';
import { spCredentials } from './sp-credentials.ts';
import { escapeXml } from './xml-text.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
/** What is read in any case: identity providers that look at these need no settings. */
const ENCRYPTION_METHODS = [
  '<md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/>',
  '<md:EncryptionMethod Algorithm="http://www.w3.org/2009/xmlenc11#aes128-gcm"/>',
  `<md:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"><ds:DigestMethod xmlns:ds="${XML_SIGNATURE}" Algorithm="${XML_SIGNATURE}sha1"/></md:EncryptionMethod>`,
].join('');

/** `GET /.well-known/sp-metadata` (contract 06 section 2.7): the XML. Good until its oldest certificate ends. */
export async function spMetadata(context: Context): Promise<string> {
  const { tenant } = context;
  const { saml_sp_entity_id: entityId, saml_sp_acs_url: acsUrl, saml_publish_encryption_key: showsEncryptionKey } = tenant.config;
  const [signing, encryption, allSign] = await Promise.all([
    spCredentials(context, tenant, 'signing'),
    showsEncryptionKey ? spCredentials(context, tenant, 'encryption') : [],
    acsUrl !== null && allRequestsAreSigned(context),
  ]);
  // Providers check signatures with all keys, but encrypt with one: that which lasts longest; older ones still decrypt.
  const shown = [...signing, ...encryption.slice(-1)];
  const validUntil = new Date(Math.min(...shown.map(({ notAfter }) => notAfter))).toISOString().replace(/\.\d+Z$/, 'Z');
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityId ?? '')}" validUntil="${validUntil}">`,
    `<md:SPSSODescriptor${acsUrl === null ? '' : ` AuthnRequestsSigned="${allSign}"`} protocolSupportEnumeration="${PROTOCOL}">`,
    ...signing.map((credential) => keyDescriptor('signing', credential)),
    ...encryption.slice(-1).map((credential) => keyDescriptor('encryption', credential, ENCRYPTION_METHODS)),
    `<md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>`,
    acsUrl === null ? '' : consumerService(acsUrl),
    '</md:SPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}

function keyDescriptor(use: string, { certificate }: SpCredential, methods = ''): string {
  const keyInfo = `<ds:KeyInfo xmlns:ds="${XML_SIGNATURE}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>`;
  return `<md:KeyDescriptor use="${use}">${keyInfo}${methods}</md:KeyDescriptor>`;
}

function consumerService(acsUrl: string): string {
  return `<md:AssertionConsumerService Binding="${POST_BINDING}" Location="${escapeXml(acsUrl)}" index="0" isDefault="true"/>`;
}

/** Whether identity providers may count on it; of a tenant with more clients than a page holds, nothing is promised. */
async function allRequestsAreSigned({ store, tenant }: Context): Promise<boolean> {
  const range = { prefix: [tenant.app, tenant.tenant], limit: LIMITS.samlClientPage } as const;
  const clients = await store.read((reader) => reader.list(samlClients, undefined, range));
  return clients.length < LIMITS.samlClientPage && clients.every(({ enableRequestSigning }) => enableRequestSigning);
}
