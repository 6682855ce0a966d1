import { type KeyObject, X509Certificate } from 'node:crypto';
import { Remembered } from '../../caches/remembered.ts';

/** Keys kept ready in each thread: all identity providers of a large installation that are busy at a time. */
const MAX_KEYS = 1024;
/** DER of an X.509 certificate begins with a sequence. */
const SEQUENCE_TAG = 0x30;
/** What counts as safe today (NIST SP 800-131A). */
const LEAST_MODULUS_BITS = 2048;
/** P-256 and P-384 by the names that OpenSSL has for them. */
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);
const RSA_TYPES: ReadonlySet<string> = new Set(['rsa', 'rsa-pss']);

/** By certificate; null for those whose key does not count. */
const keys = new Remembered<string, KeyObject | null>(MAX_KEYS);

/** The key in a certificate: `undefined` if of another kind or too weak, `'malformed'` where it is no certificate. */
export function certificateKey(certificate: string): KeyObject | undefined | 'malformed' {
  const der = Buffer.from(certificate, 'base64');
  if (der[0] !== SEQUENCE_TAG) return 'malformed';
  try {
    const { publicKey } = new X509Certificate(der);
    return isUsable(publicKey) ? publicKey : undefined;
  } catch {
    return 'malformed';
  }
}

/** RSA of enough bits and the two curves (contract 00, SAML algorithms). */
function isUsable({ asymmetricKeyType: type, asymmetricKeyDetails: details }: KeyObject): boolean {
  if (type === 'ec') return CURVES.has(details?.namedCurve ?? '');
  return RSA_TYPES.has(type ?? '') && (details?.modulusLength ?? 0) >= LEAST_MODULUS_BITS;
}

/** The usable keys of base64 DER certificates. Remembered: parsing one costs as much as checking a signature. */
export function signingKeys(certificates: readonly string[]): readonly KeyObject[] {
  return certificates.map(signingKey).filter((key) => key !== undefined);
}

function signingKey(certificate: string): KeyObject | undefined {
  const known = keys.get(certificate);
  if (known !== undefined) return known ?? undefined;
  const key = certificateKey(certificate);
  const usable = key === 'malformed' ? undefined : key;
  keys.set(certificate, usable ?? null);
  return usable;
}
