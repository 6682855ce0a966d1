import { constants, createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type HashAlgorithm, type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import type { TestIdp } from './idp.ts';

const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const INCLUSIVE_C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
export const ENVELOPED = `${DS}enveloped-signature`;

/** How an element is signed; what is left out is as most identity providers do it. */
export interface SigningOptions {
  readonly hash?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** RSASSA-PKCS1-v1_5 if left out. */
  readonly scheme?: 'pkcs1' | 'pss' | 'ecdsa';
  readonly digest?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  /** The certificate in KeyInfo; null for none. The signer's own if left out. */
  readonly keyInfo?: string | null;
  /** Prefix of the signature's elements; empty for none. */
  readonly prefix?: string;
  readonly prefixList?: string;
  readonly transforms?: readonly string[];
  readonly canonicalization?: string;
  /** Breaks lines in base64: the separator, as it stands in the document. */
  readonly wrap?: string;
}

const MORE = 'http://www.w3.org/2001/04/xmldsig-more#';
const SIGNATURE_URIS = {
  pkcs1: { sha1: `${DS}rsa-sha1`, sha256: `${MORE}rsa-sha256`, sha384: `${MORE}rsa-sha384`, sha512: `${MORE}rsa-sha512` },
  pss: {
    sha1: 'http://www.w3.org/2007/05/xmldsig-more#sha1-rsa-MGF1',
    sha256: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    sha384: 'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1',
    sha512: 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1',
  },
  ecdsa: { sha1: `${MORE}ecdsa-sha1`, sha256: `${MORE}ecdsa-sha256`, sha384: `${MORE}ecdsa-sha384`, sha512: `${MORE}ecdsa-sha512` },
};
const HOW = {
  pkcs1: {},
  pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ecdsa: { dsaEncoding: 'ieee-p1363' },
} as const;
const DIGEST_URIS = {
  sha1: `${DS}sha1`,
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

/** Signs the element of that local name in an XML text, behind its Issuer, as a good identity provider or a bad one would. */
export function signElement(xml: string, element: 'Response' | 'Assertion', idp: TestIdp, options: SigningOptions = {}): string {
  const { hash = 'sha256', scheme = 'pkcs1', digest = 'sha256', keyInfo = idp.certificate, prefix = 'ds', prefixList = '' } = options;
  const canonicalization = options.canonicalization ?? EXCLUSIVE_C14N;
  const key = createPrivateKey({ key: Buffer.from(idp.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const uri = SIGNATURE_URIS[scheme][hash];
  const signer = new SignedXml({ privateKey: key, signatureAlgorithm: uri, canonicalizationAlgorithm: canonicalization });
  signer.getKeyInfoContent = ({ prefix: given } = {}) => {
    const p = given ? `${given}:` : '';
    return keyInfo === null ? null : `<${p}X509Data><${p}X509Certificate>${keyInfo}</${p}X509Certificate></${p}X509Data>`;
  };
  signer.SignatureAlgorithms = { [uri]: signatureAlgorithm(uri, hash, HOW[scheme]) };
  signer.HashAlgorithms = { [DIGEST_URIS[digest]]: hashAlgorithm(DIGEST_URIS[digest], digest) };
  const path = `//*[local-name(.)='${element}']`;
  signer.addReference({
    xpath: path,
    digestAlgorithm: DIGEST_URIS[digest],
    transforms: [...(options.transforms ?? [ENVELOPED, EXCLUSIVE_C14N])],
    inclusiveNamespacesPrefixList: prefixList === '' ? [] : prefixList.split(' '),
  });
  signer.computeSignature(xml, { prefix, location: { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' } });
  const signed = signer.getSignedXml();
  return options.wrap === undefined ? signed : wrapBase64(signed, element, options.wrap);
}

/** Breaks the lines of the values that the signature itself does not cover. */
function wrapBase64(xml: string, element: string, wrap: string): string {
  const at = xml.search(new RegExp(`<(?:\\w+:)?${element}[\\s>]`));
  const lines = (value: string): string => `${wrap}${value.replace(/.{76}/g, `$&${wrap}`)}${wrap}`;
  const tail = xml
    .slice(at)
    .replace(/(<(?:\w+:)?SignatureValue>)([^<]+)/, (_, tag: string, value: string) => tag + lines(value))
    .replace(/(<(?:\w+:)?X509Certificate>)([^<]+)/, (_, tag: string, value: string) => tag + lines(value));
  return xml.slice(0, at) + tail;
}

function signatureAlgorithm(uri: string, hash: string, how: object): new () => SignatureAlgorithm {
  return class {
    getAlgorithmName(): string {
      return uri;
    }
    getSignature(material: unknown, key: unknown): string {
      return sign(hash, Buffer.from(String(material)), { key: key as KeyObject, ...how }).toString('base64');
    }
    verifySignature(): boolean {
      return false;
    }
  };
}

function hashAlgorithm(uri: string, hash: string): new () => HashAlgorithm {
  return class {
    getAlgorithmName(): string {
      return uri;
    }
    getHash(xml: string): string {
      return createHash(hash).update(xml).digest('base64');
    }
  };
}
