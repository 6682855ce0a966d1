import type { JsonText } from '../../json/free-form.ts';
import { hasIntegerBeyondInt64 } from '../../json/integers.ts';
import { Refusal } from '../refusal.ts';

/** Refuses integers beyond 64 bit, which no token can keep; the reference answers 500 (contract 02 section 1.7). */
export function checkClaims(field: 'userDataInJWT' | 'payload', claims: JsonText): void {
  if (hasIntegerBeyondInt64(claims)) throw new Refusal('field-invalid', { field });
}
