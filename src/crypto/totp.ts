import { timingSafeEqual } from 'node:crypto';
import { HOTP, Secret } from 'otpauth';

/* Time-based one-time passwords: RFC 6238 with HMAC-SHA1 and six digits (contract 05 section 4.1). */

const ALGORITHM = 'SHA1';
const DIGITS = 6;
const SECRET_BYTES = 20;
const MS_PER_SECOND = 1000;

/** What makes codes: the shared secret in Base32, seconds per code, and how many steps a code may be off either way. */
export interface TotpParameters {
  readonly secret: string;
  readonly period: number;
  readonly skew: number;
}

/** A new secret as devices take it: 20 random bytes in 32 characters of Base32 (RFC 4648, upper case, no padding). */
export function newTotpSecret(randomBytes: (size: number) => Buffer): string {
  return new Secret({ buffer: Uint8Array.from(randomBytes(SECRET_BYTES)).buffer }).base32;
}

/**
 * True when the code is that of a step at most `skew` away from the given moment (ms since the epoch). Every step is
 * compared, each in constant time. A secret without a byte in it matches nothing.
 */
export function matchesTotp(parameters: TotpParameters, code: string, atMs: number): boolean {
  return totpStepOf(parameters, code, atMs) !== undefined;
}

/** The same, as the last step whose code it is, by which a code is told from one that was used before. */
export function totpStepOf({ secret, period, skew }: TotpParameters, code: string, atMs: number): number | undefined {
  const given = Buffer.from(code);
  const key = decodeSecret(secret);
  if (!key || given.length !== DIGITS) return undefined;
  const now = stepAt(atMs, period);
  let found: number | undefined;
  for (let step = Math.max(0, now - skew); step <= now + skew; step++) {
    const equal = timingSafeEqual(given, Buffer.from(codeOf(key, step)));
    found = equal ? step : found;
  }
  return found;
}

const stepAt = (atMs: number, period: number): number => Math.floor(atMs / (period * MS_PER_SECOND));

const codeOf = (secret: Secret, counter: number): string => HOTP.generate({ secret, algorithm: ALGORITHM, digits: DIGITS, counter });

/** Imported secrets are read leniently: in any case, and other characters (padding, blanks, hyphens) are skipped. */
function decodeSecret(text: string): Secret | undefined {
  const secret = Secret.fromBase32(text.replace(/[^A-Za-z2-7]/g, ''));
  return secret.bytes.length > 0 ? secret : undefined;
}
