import type { JsonValue } from '../../json/free-form.ts';
import { normaliseEmail, normalisePhoneNumber } from '../normalise.ts';
import type { Contact } from './records.ts';

/** The members of an input that may name a contact. */
interface GivenContacts {
  readonly email?: string | undefined;
  readonly phoneNumber?: string | undefined;
}

/** The contact that an input names, normalised; the email where it names both. */
export function contactOf({ email, phoneNumber }: GivenContacts): Contact | undefined {
  if (email !== undefined) return ['email', normaliseEmail(email)];
  return phoneNumber === undefined ? undefined : ['phone', normalisePhoneNumber(phoneNumber)];
}

/** The contacts that a login method has. */
export function contactsOf(method: { readonly email: string | null; readonly phoneNumber: string | null }): Contact[] {
  const contacts: Contact[] = [];
  if (method.email !== null) contacts.push(['email', method.email]);
  if (method.phoneNumber !== null) contacts.push(['phone', method.phoneNumber]);
  return contacts;
}

/** True for the same kind and value. */
export const sameContact = (a: Contact, b: Contact): boolean => a[0] === b[0] && a[1] === b[1];

/** The one member by which login methods and answers show a contact. */
export function contactMember([type, value]: Contact): { readonly email: string } | { readonly phoneNumber: string } {
  return type === 'email' ? { email: value } : { phoneNumber: value };
}

/** How many of the given values are there; inputs that must name exactly one of several things are counted so. */
export const countGiven = (...values: readonly (JsonValue | undefined)[]): number => values.filter((value) => value !== undefined).length;
