import type { Element } from '@xmldom/xmldom';
import { LIMITS } from '../../config/limits.ts';
import { decodeBase64 } from '../base64.ts';
import { attempt, demand } from './demand.ts';
import { attributeOf, childrenNamed, isNamed } from './elements.ts';
import { certificateKey } from './idp-keys.ts';
import { NS } from './namespaces.ts';
import type { IdpMetadata } from './saml.ts';
import { inspect, parseXml } from './strict-xml.ts';
import { readXmlText } from './xml-text.ts';

const REDIRECT_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
const LIMITS_OF_METADATA = { depth: LIMITS.xmlDepth, nodes: LIMITS.idpMetadataNodes, prefixes: LIMITS.xmlPrefixes };

/** Reads metadata (contract 06 section 2.1); undefined for any violation. Ignores its validity and own signature. */
export function readMetadata(metadata: string): IdpMetadata | undefined {
  if (metadata.length > LIMITS.idpMetadataChars) return undefined;
  const read = readXmlText(metadata);
  const document = read && !read.hasOtherMarkup ? parseXml(read.text) : undefined;
  if (!document) return undefined;
  const attempted = attempt(() => {
    const [root] = inspect(document, LIMITS_OF_METADATA, 'metadata');
    demand(root !== undefined && isNamed(root, NS.metadata, 'EntityDescriptor'), 'the root is no EntityDescriptor');
    return describe(root);
  });
  return 'result' in attempted ? attempted.result : undefined;
}

function describe(entity: Element): IdpMetadata {
  const entityId = attributeOf(entity, 'entityID') ?? '';
  demand(entityId !== '' && entityId.length <= LIMITS.idpEntityIdLength, 'an entityID that is none');
  const roles = childrenNamed(entity, NS.metadata, 'IDPSSODescriptor').filter(speaksSaml2);
  const services = roles.flatMap((role) => childrenNamed(role, NS.metadata, 'SingleSignOnService'));
  const ssoUrl = attributeOf(services.findLast((service) => attributeOf(service, 'Binding') === REDIRECT_BINDING) ?? entity, 'Location');
  demand(ssoUrl !== undefined && isWebAddress(ssoUrl), 'no SingleSignOnService of the Redirect binding');
  const certificates = roles.flatMap(signingCertificates);
  demand(certificates.length <= LIMITS.idpCertificates, 'too many certificates');
  const usable = certificates.filter((certificate) => hasUsableKey(certificate));
  demand(usable.length > 0, 'no certificate for signing');
  return { entityId, ssoUrl, certificates: [...new Set(usable)] };
}

function speaksSaml2(role: Element): boolean {
  const protocols = attributeOf(role, 'protocolSupportEnumeration');
  return protocols === undefined || protocols.split(/\s+/).includes(NS.protocol);
}

/** Where a browser may be sent: an absolute address without fragment, nor what URL parsers silently pass over. */
function isWebAddress(address: string): boolean {
  return /^https?:\/\/[^/?]/i.test(address) && !/[\s\p{Cc}#\\]/u.test(address) && URL.canParse(address);
}

/** Those that are not for encryption only, in document order. */
function signingCertificates(role: Element): readonly string[] {
  return childrenNamed(role, NS.metadata, 'KeyDescriptor')
    .filter((descriptor) => (attributeOf(descriptor, 'use') ?? 'signing') === 'signing')
    .flatMap((descriptor) => childrenNamed(descriptor, NS.signature, 'KeyInfo'))
    .flatMap((keyInfo) => childrenNamed(keyInfo, NS.signature, 'X509Data'))
    .flatMap((data) => childrenNamed(data, NS.signature, 'X509Certificate'))
    .map((certificate) => (certificate.textContent ?? '').replace(/\s+/g, ''))
    .filter((certificate) => certificate !== '');
}

/** Keys of other kinds are ignored: no signature of theirs is accepted. What is no certificate is refused. */
function hasUsableKey(certificate: string): boolean {
  const key = 'bytes' in decodeBase64(certificate, 'standard') ? certificateKey(certificate) : 'malformed';
  demand(key !== 'malformed', 'a certificate that is none');
  return key !== undefined;
}
