import { createHash, X509Certificate } from 'node:crypto';
import { Remembered } from '../../caches/remembered.ts';

/** What people know a certificate by. */
export interface CertificateFacts {
  /** As `CN=idp.example.com, O=Example`. */
  readonly subject: string;
  readonly issuer: string;
  /** ms since the epoch */
  readonly validFrom: number;
  /** ms since the epoch; signatures count beyond it, but identity providers change certificates around then. */
  readonly validTo: number;
  /** Of the DER, lower-case hex. */
  readonly sha256: string;
}

/** Lists ask for the same ones again and again, and reading one takes a tenth of a millisecond. */
const known = new Remembered<string, CertificateFacts>(1024);

/** Of a certificate that was parsed before. @param certificate base64 DER */
export function certificateFacts(certificate: string): CertificateFacts {
  const before = known.get(certificate);
  if (before) return before;
  const { subject, issuer, validFrom, validTo } = new X509Certificate(Buffer.from(certificate, 'base64'));
  const facts = {
    subject: inOneLine(subject),
    issuer: inOneLine(issuer),
    validFrom: Date.parse(validFrom),
    validTo: Date.parse(validTo),
    sha256: certificateSha256(certificate),
  };
  known.set(certificate, facts);
  return facts;
}

/** SHA-256 of what may be a certificate, as people compare them: lower-case hex. @param certificate base64 DER */
export function certificateSha256(certificate: string): string {
  return createHash('sha256').update(Buffer.from(certificate, 'base64')).digest('hex');
}

/** Node writes each part of a name on a line; none of a name without parts. */
const inOneLine = (name: string | undefined): string => (name ?? '').replaceAll('\n', ', ');
