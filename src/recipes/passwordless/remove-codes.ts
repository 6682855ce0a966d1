import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { contactOf, countGiven } from './contact.ts';
import { removeCode, removeDevicesOfContacts } from './devices.ts';

type Command = Commands['passwordless/remove-codes'];

/** Demands one contact or, as the original specification has it, the id of one code (contract 03 section 5.6). */
export function checkRemoveCodes({ email, phoneNumber, codeId }: Command): void {
  if (countGiven(email, phoneNumber, codeId) !== 1) {
    throw new Refusal('bad-input', { text: 'Please provide exactly one of email or phoneNumber' });
  }
}

/** `POST /recipe/signinup/codes/remove` (contract 03 section 5.6): all devices of a contact in this tenant. */
export async function removeCodes({ store, tenant }: Context, command: Command): Promise<void> {
  const contact = contactOf(command);
  await store.transact((tx) =>
    contact ? removeDevicesOfContacts(tx, tenant.app, [tenant.tenant], [contact]) : removeCode(tx, tenant, command.codeId ?? ''),
  );
}
