import type { Commands } from '../../generated/commands.ts';
import type { Reader } from '../../store/store.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { Refusal } from '../refusal.ts';
import { SCOPES } from '../scope.ts';
import { listByAccountInfo } from '../accounts/login-methods.ts';
import { findMethodAlone, loadUsers, type User } from '../users/user.ts';
import { contactOf, contactsOf, countGiven, sameContact } from './contact.ts';
import type { Contact } from './records.ts';

type Command = Commands['passwordless/get-user'];

export type GetUserResult =
  | { readonly status: 'UNKNOWN_USER_ID_ERROR' | 'UNKNOWN_EMAIL_ERROR' | 'UNKNOWN_PHONE_NUMBER_ERROR' }
  | { readonly status: 'OK'; readonly user: User };

const UNKNOWN = { email: 'UNKNOWN_EMAIL_ERROR', phone: 'UNKNOWN_PHONE_NUMBER_ERROR' } as const;

/** By what the user is looked up: exactly one thing (contract 03 section 5.8). */
export function checkGetUser({ userId, email, phoneNumber }: Command): void {
  if (countGiven(userId, email, phoneNumber) !== 1) {
    throw new Refusal('bad-input', { text: 'Please provide exactly one of userId, email or phoneNumber' });
  }
}

/**
 * `GET /recipe/user`, rid `passwordless` (contract 03 section 5.8): by id that login method alone, anywhere in the app;
 * by contact the whole user, if it has a login method with this contact in this tenant.
 */
export async function getUser(context: Context, command: Command): Promise<GetUserResult> {
  const { address, traits, directory, store } = context;
  const { userId } = command;
  const tenant = await SCOPES[userId === undefined ? 'tenant' : 'app'](address, traits, directory);
  const contact = contactOf(command);
  const user = await store.read((reader) =>
    contact
      ? userByContact(reader, context, tenant, contact)
      : findMethodAlone(reader, directory, tenant.app, { id: userId ?? '', recipe: 'passwordless' }),
  );
  if (user) return { status: 'OK', user };
  return { status: contact ? UNKNOWN[contact[0]] : 'UNKNOWN_USER_ID_ERROR' };
}

/** Any login method of the user may be the one in this tenant, but a passwordless one must have the contact. */
async function userByContact(reader: Reader, { directory }: Context, tenant: Tenant, contact: Contact): Promise<User | undefined> {
  const users = await loadUsers(reader, directory, await listByAccountInfo(reader, tenant, contact));
  return users.find(({ loginMethods }) =>
    loginMethods.some((method) => method.recipe === 'passwordless' && contactsOf(method).some((each) => sameContact(each, contact))),
  );
}
