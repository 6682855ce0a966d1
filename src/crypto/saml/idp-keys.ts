import { type KeyObject, X509Certificate } from 'node:crypto';

/** Keys kept ready in each thread: all identity providers of a large installation that are busy at a time. */
const MAX_KEYS = 1024;
/** DER of an X.509 certificate begins with a sequence. */
const SEQUENCE_TAG = 0x30;
/** What is still met in the field; 2048 is usual. */
const LEAST_MODULUS_BITS = 1024;

const keys = new Map<string, KeyObject | undefined>();

/** What stands in a certificate: its RSA key, `undefined` for keys of another kind or too small, `'malformed'` where it is none at all. */
export function certificateKey(certificate: string): KeyObject | undefined | 'malformed' {
  const der = Buffer.from(certificate, 'base64');
  if (der[0] !== SEQUENCE_TAG) return 'malformed';
  try {
    const { publicKey } = new X509Certificate(der);
    const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? 0;
    return publicKey.asymmetricKeyType === 'rsa' && bits >= LEAST_MODULUS_BITS ? publicKey : undefined;
  } catch {
    return 'malformed';
  }
}

/** The RSA keys of base64 DER certificates; what has none is passed over. Remembered, since parsing a certificate costs as much as checking a signature. */
export function rsaKeys(certificates: readonly string[]): readonly KeyObject[] {
  return certificates.map(rsaKey).filter((key) => key !== undefined);
}

function rsaKey(certificate: string): KeyObject | undefined {
  if (keys.has(certificate)) return keys.get(certificate);
  const key = certificateKey(certificate);
  if (keys.size >= MAX_KEYS) keys.clear();
  const usable = key === 'malformed' ? undefined : key;
  keys.set(certificate, usable);
  return usable;
}
