import { deflateRawSync } from 'node:zlib';
import { escapeXml } from './xml-text.ts';

/** What a login asks of an identity provider. */
export interface AuthnRequest {
  /** An XML id. */
  readonly id: string;
  /** ms since the epoch */
  readonly issuedAt: number;
  readonly issuer: string;
  readonly ssoUrl: string;
  readonly acsUrl: string;
}

const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol';
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion';
const POST_BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
const RSA_SHA256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

/** The AuthnRequest as XML; its attributes stand in alphabetical order (contract 06 section 2.4). */
export function authnRequestXml({ id, issuedAt, issuer, ssoUrl, acsUrl }: AuthnRequest): string {
  const attributes = [
    `xmlns:saml2p="${PROTOCOL}"`,
    `AssertionConsumerServiceURL="${escapeXml(acsUrl)}"`,
    `Destination="${escapeXml(ssoUrl)}"`,
    `ID="${id}"`,
    `IssueInstant="${new Date(issuedAt).toISOString()}"`,
    `ProtocolBinding="${POST_BINDING}"`,
    'Version="2.0"',
  ];
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<saml2p:AuthnRequest ${attributes.join(' ')}>`,
    `<saml2:Issuer xmlns:saml2="${ASSERTION}">${escapeXml(issuer)}</saml2:Issuer>`,
    '<saml2p:NameIDPolicy AllowCreate="true"/></saml2p:AuthnRequest>',
  ].join('');
}

/** Signs a text with RSASSA-PKCS1-v1_5 and SHA-256. */
export type SignQuery = (query: string) => Promise<Uint8Array>;

/**
 * The URL that brings a request to the provider: deflated, base64, percent-encoded (SAML bindings section 3.4.4.1).
 * @param sign signs the query exactly as sent, since encoding it anew may give other characters. None: not signed.
 */
export async function redirectBindingUrl(ssoUrl: string, requestXml: string, relayState: string, sign?: SignQuery): Promise<string> {
  const query = queryOf({ SAMLRequest: deflateRawSync(requestXml).toString('base64'), RelayState: relayState });
  const address = `${ssoUrl}${ssoUrl.includes('?') ? '&' : '?'}`;
  if (!sign) return address + query;
  const signed = `${query}&${queryOf({ SigAlg: RSA_SHA256 })}`;
  const signature = Buffer.from(await sign(signed)).toString('base64');
  return `${address}${signed}&${queryOf({ Signature: signature })}`;
}

const queryOf = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
