import { createHash, createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { type HashAlgorithm, type SignatureAlgorithm, SignedXml } from 'xml-crypto';
import type { TestIdp } from './idp.ts';

const DS = 'http://www.w3.org/2000/09/xmldsig#';
export const EXCLUSIVE_C14N = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const INCLUSIVE_C14N = 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315';
export const ENVELOPED = `${DS}enveloped-signature`;

/** How an element is signed; what is left out is as most identity providers do it. */
export interface SigningOptions {
  readonly hash?: 'sha1' | 'sha256' | 'sha384' | 'sha512';
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

const SIGNATURE_URIS = {
  sha1: `${DS}rsa-sha1`,
  sha256: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384',
  sha512: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512',
};
const DIGEST_URIS = {
  sha1: `${DS}sha1`,
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

/** Signs the element of that local name in an XML text, behind its Issuer, as a good identity provider or a bad one would. */
export function signElement(xml: string, element: 'Response' | 'Assertion', idp: TestIdp, options: SigningOptions = {}): string {
  const { hash = 'sha256', digest = 'sha256', keyInfo = idp.certificate, prefix = 'ds', prefixList = '' } = options;
  const canonicalization = options.canonicalization ?? EXCLUSIVE_C14N;
  const key = createPrivateKey({ key: Buffer.from(idp.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
  const signer = new SignedXml({ privateKey: key, signatureAlgorithm: SIGNATURE_URIS[hash], canonicalizationAlgorithm: canonicalization });
  signer.getKeyInfoContent = ({ prefix: given } = {}) => {
    const p = given ? `${given}:` : '';
    return keyInfo === null ? null : `<${p}X509Data><${p}X509Certificate>${keyInfo}</${p}X509Certificate></${p}X509Data>`;
  };
  signer.SignatureAlgorithms = { [SIGNATURE_URIS[hash]]: signatureAlgorithm(SIGNATURE_URIS[hash], hash) };
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

function signatureAlgorithm(uri: string, hash: string): new () => SignatureAlgorithm {
  return class {
    getAlgorithmName(): string {
      return uri;
    }
    getSignature(material: unknown, key: unknown): string {
      return sign(hash, Buffer.from(String(material)), key as KeyObject).toString('base64');
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
