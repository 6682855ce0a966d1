import { createPrivateKey } from 'node:crypto';
import { SignedXml } from 'xml-crypto';
import { ENVELOPED, NS } from './namespaces.ts';
import type { SpKey } from './saml.ts';

const REQUEST = "/*[local-name(.)='AuthnRequest']";

/** Puts an enveloped signature behind the Issuer of an AuthnRequest whose ID attribute it refers to (contract 06 section 2.4). Throws for keys that are none. */
export function signRequest(xml: string, { privateKey, certificate }: SpKey): string {
  const signer = new SignedXml({
    privateKey: createPrivateKey({ key: Buffer.from(privateKey, 'base64'), format: 'der', type: 'pkcs8' }),
    publicCert: certificate,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    canonicalizationAlgorithm: NS.exclusiveC14n,
  });
  signer.addReference({
    xpath: REQUEST,
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
    transforms: [ENVELOPED, NS.exclusiveC14n],
  });
  signer.computeSignature(xml, { prefix: 'ds', location: { reference: `${REQUEST}/*[local-name(.)='Issuer']`, action: 'after' } });
  return signer.getSignedXml();
}
