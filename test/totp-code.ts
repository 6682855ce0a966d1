import { Secret, TOTP } from 'otpauth';
import type { TotpParameters } from '../src/crypto/totp.ts';

/** The code that an authenticator shows at a moment (ms since the epoch). */
export function totpCode({ secret, period }: TotpParameters, atMs: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret), period }).generate({ timestamp: atMs });
}
