import type { SpCredential } from '../../crypto/saml/saml.ts';
import type { Context } from '../context.ts';
import { spCredentials } from './sp-credentials.ts';
import { escapeXml } from './xml-text.ts';

const METADATA = 'urn:oasis:names:tc:SAML:2.0:metadata';
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const XML_SIGNATURE = 'http://www.w3.org/2000/09/xmldsig#';
const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';

/** `GET /.well-known/sp-metadata` (contract 06 section 2.7): the XML. Good until its oldest certificate ends. */
export async function spMetadata(context: Context): Promise<string> {
  const credentials = await spCredentials(context, context.tenant);
  const validUntil = new Date(credentials[0]?.notAfter ?? 0).toISOString().replace(/\.\d+Z$/, 'Z');
  const entityId = escapeXml(context.tenant.config.saml_sp_entity_id ?? '');
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${entityId}" validUntil="${validUntil}">`,
    `<md:SPSSODescriptor protocolSupportEnumeration="${PROTOCOL}">`,
    ...credentials.map(keyDescriptor),
    `<md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>`,
    '</md:SPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}

function keyDescriptor({ certificate }: SpCredential): string {
  return `<md:KeyDescriptor use="signing"><ds:KeyInfo xmlns:ds="${XML_SIGNATURE}"><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`;
}
