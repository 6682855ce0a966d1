import type { Traits } from '../../cdi/traits.ts';
import { type JsonText, type JsonTree, parseJsonObject } from '../../json/free-form.ts';
import { Refusal } from '../refusal.ts';
import { normaliseEmail } from '../normalise.ts';

/** What a third party says of a user's email. */
export interface ThirdPartyEmail {
  /** In the form in which it is kept. */
  readonly email: string;
  readonly isVerified: boolean;
}

/** Reads the member `email` of a sign-in; a fault names `id` or `isVerified` alone (contract 03 section 4.1). */
export function readEmail(given: JsonText, traits: Traits): ThirdPartyEmail {
  const { id, isVerified } = parseJsonObject(given) ?? {};
  const email = asText(id);
  if (email === undefined) throw new Refusal('field-invalid', { field: 'id' });
  if (!traits.verifiedByThirdParty) return { email: normaliseEmail(email), isVerified: false };
  if (typeof isVerified !== 'boolean') throw new Refusal('field-invalid', { field: 'isVerified' });
  return { email: normaliseEmail(email), isVerified };
}

/** A text, or a list of exactly one (contract 01 section 2.11). */
function asText(value: JsonTree | undefined): string | undefined {
  const only = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return typeof only === 'string' ? only : undefined;
}
