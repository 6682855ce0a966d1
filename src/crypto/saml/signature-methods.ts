import { constants, type KeyObject, verify } from 'node:crypto';

/** How a signature is checked. */
interface SignatureMethod {
  readonly hash: string;
  readonly scheme: keyof typeof SCHEMES;
}

/** Which keys a scheme accepts, by Node's names, and Node's options for it. */
const SCHEMES = {
  /** RSASSA-PKCS1-v1_5 (RFC 6931 section 2.3.1 and on). */
  pkcs1: { keyTypes: ['rsa'], how: { padding: constants.RSA_PKCS1_PADDING } },
  /** RSASSA-PSS as the URI fixes it: MGF1 by the same hash, a salt as long as the hash (RFC 6931 section 2.3.10). */
  pss: {
    keyTypes: ['rsa', 'rsa-pss'],
    how: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  },
  /** ECDSA whose value is r and s side by side, and no ASN.1 (XML Signature section 6.4.3, RFC 6931 section 2.3.6). */
  ecdsa: { keyTypes: ['ec'], how: { dsaEncoding: 'ieee-p1363' } },
} as const satisfies Record<string, { readonly keyTypes: readonly string[]; readonly how: object }>;

const SHA2 = ['sha256', 'sha384', 'sha512'] as const;

/** The signature methods that are accepted (contract 00, SAML algorithms). SHA-1 and HMAC are none of them. */
export const SIGNATURE_METHODS: ReadonlyMap<string, SignatureMethod> = new Map(
  SHA2.flatMap((hash): readonly (readonly [string, SignatureMethod])[] => [
    [`http://www.w3.org/2001/04/xmldsig-more#rsa-${hash}`, { hash, scheme: 'pkcs1' }],
    [`http://www.w3.org/2007/05/xmldsig-more#${hash}-rsa-MGF1`, { hash, scheme: 'pss' }],
    [`http://www.w3.org/2001/04/xmldsig-more#ecdsa-${hash}`, { hash, scheme: 'ecdsa' }],
  ]),
);

/** The digest methods that are accepted (XML Encryption section 5.8, RFC 6931 section 2.1). */
export const DIGEST_METHODS: ReadonlyMap<string, string> = new Map([
  ['http://www.w3.org/2001/04/xmlenc#sha256', 'sha256'],
  ['http://www.w3.org/2001/04/xmldsig-more#sha384', 'sha384'],
  ['http://www.w3.org/2001/04/xmlenc#sha512', 'sha512'],
]);

/** Whether a key has made the signature by the method; a key of another kind never has. */
export function isSignedBy(key: KeyObject, { hash, scheme }: SignatureMethod, bytes: Uint8Array, signature: Uint8Array): boolean {
  const { keyTypes, how } = SCHEMES[scheme];
  if (!keyTypes.some((type) => type === key.asymmetricKeyType)) return false;
  try {
    return verify(hash, bytes, { key, ...how }, signature);
  } catch {
    // A key may be restricted to another hash; the next one must still be tried.
    return false;
  }
}
