import { sha256Hex } from '../../crypto/digests.ts';

/** Random bytes of a verification token. */
const TOKEN_BYTES = 48;

/** A new verification token: base64url of random bytes in lower-case hex, 128 characters (contract 03 section 1.4). */
export function newVerificationToken(randomBytes: (size: number) => Buffer): string {
  return Buffer.from(randomBytes(TOKEN_BYTES).toString('hex')).toString('base64url');
}

/** The form in which a verification token is kept and found. */
export const hashOfVerificationToken = (token: string): string => sha256Hex(token);
