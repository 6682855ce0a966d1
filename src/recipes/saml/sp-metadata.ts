import { type CertificateFacts, certificateFacts } from '../../crypto/saml/certificate-facts.ts';
import { LIMITS } from '../../config/limits.ts';
import type { SpCredential } from '../../crypto/saml/saml.ts';
import type { Context } from '../context.ts';
import { requireAcsUrl } from './acs-url.ts';
import { findClient } from './clients.ts';
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

/** What the metadata of a tenant says besides its keys. */
interface MetadataFacts {
  /** Where identity providers send their answers; null where the core does not know. */
  readonly acsUrl: string | null;
  /** Whether they may count on signed requests; undefined where nothing is said. */
  readonly signsRequests: boolean | undefined;
}

/** `GET /.well-known/sp-metadata` (contract 06 section 2.7): the XML. Good until its oldest certificate ends. */
export async function spMetadata(context: Context): Promise<string> {
  const { saml_sp_acs_url: acsUrl } = context.tenant.config;
  const [keys, allSign] = await Promise.all([shownKeys(context), acsUrl !== null && allRequestsAreSigned(context)]);
  return metadataXml(context, keys, { acsUrl, signsRequests: acsUrl === null ? undefined : allSign });
}

/** The public halves that a tenant shows, each oldest first. */
interface ShownKeys {
  readonly signing: readonly SpCredential[];
  /** At most one: identity providers check signatures with all keys, but encrypt with one, that which lasts longest. */
  readonly encryption: readonly SpCredential[];
}

async function shownKeys(context: Context): Promise<ShownKeys> {
  const { saml_publish_encryption_key: showsEncryptionKey } = context.tenant.config;
  const [signing, encryption] = await Promise.all([
    spCredentials(context, context.tenant, 'signing'),
    showsEncryptionKey ? spCredentials(context, context.tenant, 'encryption') : [],
  ]);
  return { signing, encryption: encryption.slice(-1) };
}

function metadataXml({ tenant }: Context, { signing, encryption }: ShownKeys, { acsUrl, signsRequests }: MetadataFacts): string {
  const { saml_sp_entity_id: entityId } = tenant.config;
  const validUntil = new Date(Math.min(...[...signing, ...encryption].map(({ notAfter }) => notAfter)))
    .toISOString()
    .replace(/\.\d+Z$/, 'Z');
  return [
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>',
    `<md:EntityDescriptor xmlns:md="${METADATA}" entityID="${escapeXml(entityId ?? '')}" validUntil="${validUntil}">`,
    `<md:SPSSODescriptor${signsRequests === undefined ? '' : ` AuthnRequestsSigned="${signsRequests}"`} protocolSupportEnumeration="${PROTOCOL}">`,
    ...signing.map((credential) => keyDescriptor('signing', credential)),
    ...encryption.map((credential) => keyDescriptor('encryption', credential, ENCRYPTION_METHODS)),
    `<md:NameIDFormat>${EMAIL_FORMAT}</md:NameIDFormat>`,
    acsUrl === null ? '' : consumerService(acsUrl),
    '</md:SPSSODescriptor></md:EntityDescriptor>',
  ].join('');
}

/** What an administrator of an identity provider has to be told of a tenant. */
export interface ServiceFacts {
  readonly entityId: string;
  readonly acsURL: string | null;
  readonly metadataXML: string;
  readonly certificates: readonly (CertificateFacts & {
    readonly use: 'signing' | 'encryption';
    /** Base64 DER. */
    readonly certificate: string;
  })[];
}

/**
 * The metadata for one client, as the tenant shows it but for what the client and the caller know better; undefined for
 * a client that there is not. @throws Refusal
 */
export async function serviceFacts(
  context: Context,
  { clientId, acsURL }: { readonly clientId?: string | undefined; readonly acsURL?: string | undefined },
): Promise<ServiceFacts | undefined> {
  const { store, tenant } = context;
  const acsUrl = acsURL === undefined ? tenant.config.saml_sp_acs_url : requireAcsUrl(acsURL);
  const client = clientId === undefined ? undefined : await store.read((reader) => findClient(reader, tenant, clientId));
  if (clientId !== undefined && !client) return undefined;
  const keys = await shownKeys(context);
  const signsRequests = client ? client.enableRequestSigning : acsUrl === null ? undefined : await allRequestsAreSigned(context);
  return {
    entityId: tenant.config.saml_sp_entity_id ?? '',
    acsURL: acsUrl,
    metadataXML: metadataXml(context, keys, { acsUrl, signsRequests }),
    certificates: (['signing', 'encryption'] as const).flatMap((use) =>
      keys[use].map(({ certificate }) => ({ use, certificate, ...certificateFacts(certificate) })),
    ),
  };
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
