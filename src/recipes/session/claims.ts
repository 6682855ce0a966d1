import { LIMITS } from '../../config/limits.ts';
import type { JsonText } from '../../json/free-form.ts';
import { hasIntegerBeyondInt64 } from '../../json/integers.ts';
import { hasMoreParts } from '../../json/parts.ts';
import { Refusal } from '../refusal.ts';

const TOO_LARGE = `must not have more than ${LIMITS.claimsBytes} bytes, or ${LIMITS.claimsParts} arrays, objects, members and long numbers`;

/**
 * Refuses claims that are too large for a token, and those with integers beyond 64 bit, which none can keep; the reference fails there with a
 * 500 (contract 02 section 1.7).
 */
export function checkClaims(field: 'userDataInJWT' | 'payload', claims: JsonText): void {
  const isTooLarge = Buffer.byteLength(claims) > LIMITS.claimsBytes || hasMoreParts(claims, LIMITS.claimsParts);
  if (isTooLarge) throw new Refusal('bad-input', { text: `Field '${field}' ${TOO_LARGE}` });
  if (hasIntegerBeyondInt64(claims)) throw new Refusal('field-invalid', { field });
}
