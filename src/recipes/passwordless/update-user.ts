import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordContactChange } from '../accounts/record-contact-change.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { findId } from '../accounts/find.ts';
import { changeLoginMethod, type LoginMethodRecord } from '../accounts/login-methods.ts';
import { normaliseEmail, normalisePhoneNumber } from '../normalise.ts';
import { contactsOf, sameContact } from './contact.ts';
import { removeDevicesOfContacts } from './devices.ts';
import type { Contact } from './records.ts';

type Command = Commands['passwordless/update-user'];

/** A change of contacts that another login method stands in the way of. */
const OBSTACLES = {
  duplicate: {
    email: { status: 'EMAIL_ALREADY_EXISTS_ERROR' },
    phone: { status: 'PHONE_NUMBER_ALREADY_EXISTS_ERROR' },
  },
  'not-allowed': {
    email: { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', reason: 'New email is associated with another primary user ID' },
    phone: { status: 'PHONE_NUMBER_CHANGE_NOT_ALLOWED_ERROR', reason: 'New phone number is associated with another primary user ID' },
  },
} as const;

type Obstacles = typeof OBSTACLES;
export type UpdateUserResult =
  | { readonly status: 'OK' | 'UNKNOWN_USER_ID_ERROR' }
  | Obstacles['duplicate' | 'not-allowed']['email' | 'phone'];

/** Absent members stay as they are, `null` clears. */
function changeOf({ email, phoneNumber }: Command): Partial<Pick<LoginMethodRecord, 'email' | 'phoneNumber'>> {
  return {
    ...(email === undefined ? {} : { email: email === null ? null : normaliseEmail(email) }),
    ...(phoneNumber === undefined ? {} : { phoneNumber: phoneNumber === null ? null : normalisePhoneNumber(phoneNumber) }),
  };
}

/** `PUT /recipe/user`, rid `passwordless` (contract 03 section 5.9): changes or clears a login method's contacts. */
export async function updateUser(context: Context, command: Command): Promise<UpdateUserResult> {
  const { store, tenant } = context;
  const id = command.recipeUserId ?? command.userId ?? '';
  const change = changeOf(command);
  return store.transact(async (tx): Promise<UpdateUserResult> => {
    const method = (await findId(tx, tenant.app, id))?.method;
    if (method?.recipe !== 'passwordless') return { status: 'UNKNOWN_USER_ID_ERROR' };
    if (contactsOf({ ...method, ...change }).length === 0) {
      throw new Refusal('bad-input', { text: 'You cannot clear both email and phone number of a user' });
    }
    const outcome = await changeLoginMethod(tx, method, change);
    if (outcome.status !== 'changed') return OBSTACLES[outcome.status][outcome.type];
    await recordContactChange(tx, context, id, method, outcome.method);
    await removeDevicesOfMoved(tx, method, outcome.method);
    return { status: 'OK' };
  });
}

/** Codes that were sent to a contact which the login method no longer has, or has from now on, are of no use to it. */
async function removeDevicesOfMoved(tx: Transaction, before: LoginMethodRecord, after: LoginMethodRecord): Promise<void> {
  const missingIn = (contacts: readonly Contact[]) => (contact: Contact) => !contacts.some((each) => sameContact(each, contact));
  const [old, current] = [contactsOf(before), contactsOf(after)];
  const moved = [...old.filter(missingIn(current)), ...current.filter(missingIn(old))];
  await removeDevicesOfContacts(tx, before.app, before.tenants, moved);
}
