import { normaliseEmail, normalisePhoneNumber } from '../recipes/normalise.ts';

/** A login method by which the core finds a user. */
export interface Contact {
  readonly recipeId: string;
  readonly tenantId: string;
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly thirdPartyId?: string;
  readonly thirdPartyUserId?: string;
}

type Members = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** The login methods of a user in a file or the queue, normalised as the core does it; all else is left out. */
export function contactsOf(user: unknown): Contact[] {
  const methods = isObject(user) ? user['loginMethods'] : undefined;
  return Array.isArray(methods) ? methods.filter(isObject).map(contactOf) : [];
}

function contactOf(method: Members): Contact {
  const tenants = method['tenantIds'];
  const [email, phoneNumber] = [textOf(method['email']), textOf(method['phoneNumber'])];
  const [thirdPartyId, thirdPartyUserId] = [textOf(method['thirdPartyId']), textOf(method['thirdPartyUserId'])];
  return {
    recipeId: textOf(method['recipeId']) ?? '',
    tenantId: (Array.isArray(tenants) ? textOf(tenants[0]) : undefined)?.trim().toLowerCase() ?? 'public',
    ...(email !== undefined && { email: normaliseEmail(email) }),
    ...(phoneNumber !== undefined && { phoneNumber: normalisePhoneNumber(phoneNumber) }),
    ...(thirdPartyId !== undefined && { thirdPartyId }),
    ...(thirdPartyUserId !== undefined && { thirdPartyUserId }),
  };
}

/** The same text for the user of a file and for its entry in the queue. */
export function identityOf(user: unknown): string {
  const externalId = isObject(user) ? textOf(user['externalUserId'])?.trim() : undefined;
  return JSON.stringify([
    externalId ?? null,
    ...contactsOf(user)
      .map((contact) => JSON.stringify(contact))
      .toSorted(),
  ]);
}

/** Where the core tells who has a contact. */
export function pathOf({ tenantId, email, phoneNumber, thirdPartyId, thirdPartyUserId }: Contact): string {
  const query = new URLSearchParams({ doUnionOfAccountInfo: 'false' });
  if (thirdPartyId !== undefined && thirdPartyUserId !== undefined) {
    query.set('thirdPartyId', thirdPartyId);
    query.set('thirdPartyUserId', thirdPartyUserId);
  } else if (email !== undefined) query.set('email', email);
  else if (phoneNumber !== undefined) query.set('phoneNumber', phoneNumber);
  return `/${encodeURIComponent(tenantId)}/users/by-accountinfo?${query.toString()}`;
}

/** Whether one of the users in an answer of that path has the contact in its recipe. */
export function isAmong(contact: Contact, users: unknown): boolean {
  if (!Array.isArray(users)) return false;
  const wanted = contactKey(contact);
  return users.some((user) => contactsOfAnswer(user).some((found) => contactKey(found) === wanted));
}

const contactKey = ({ recipeId, email, phoneNumber, thirdPartyId, thirdPartyUserId }: Contact): string =>
  JSON.stringify(recipeId === 'thirdparty' ? [recipeId, thirdPartyId, thirdPartyUserId] : [recipeId, email, phoneNumber]);

/** Answers about users show third parties in an object of their own. */
function contactsOfAnswer(user: unknown): Contact[] {
  const methods = isObject(user) ? user['loginMethods'] : undefined;
  if (!Array.isArray(methods)) return [];
  return methods.filter(isObject).map((method) => {
    const thirdParty = isObject(method['thirdParty']) ? method['thirdParty'] : {};
    return contactOf({ ...method, thirdPartyId: thirdParty['id'], thirdPartyUserId: thirdParty['userId'] });
  });
}
