import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Activity } from '../active-users/touch.ts';
import { verifiedEmail, verifyEmailOf } from '../email-verification/lookups.ts';
import { mappingByInternalId } from '../accounts/mappings.ts';
import { addLoginMethod, type LoginMethodRecord, methodByInfo, newLoginMethod } from '../accounts/login-methods.ts';
import { loadUser, type User } from '../users/user.ts';
import { contactMember, contactsOf, sameContact } from './contact.ts';
import { removeDevicesOfContacts } from './devices.ts';
import { requirePasswordless } from './enabled.ts';
import { judgeProof, type ProofCommand, RESTART, readProof, type Verdict } from './prove-code.ts';
import type { Contact, DeviceRecord } from './records.ts';

export type ConsumeCodeResult =
  | Exclude<Verdict, { readonly status: 'OK' }>
  | {
      readonly status: 'OK';
      readonly createdNewUser: boolean;
      readonly user: User;
      readonly recipeUserId: string;
      /** The device as it was. */
      readonly device: DeviceRecord;
    };

/**
 * `POST /recipe/signinup/code/consume` (contract 03 section 5.3). One transaction proves the code, removes the devices
 * and finds or adds the user: only one of several calls with a code signs in, and a call that fails uses nothing up,
 * but for that of a disabled user.
 */
export async function consumeCode(context: Context, command: ProofCommand): Promise<ConsumeCodeResult> {
  requirePasswordless(context);
  const proof = await readProof(context, command);
  if (!proof) return RESTART;
  const { store, tenant, activity, directory } = context;
  const now = context.now();
  const newcomer = newLoginMethod(context, { recipe: 'passwordless', ...contactMember(proof.contact) });
  const { result, active } = await store.transact(async (tx): Promise<Outcome> => {
    const verdict = await judgeProof(tx, context, proof, now);
    if (verdict.status !== 'OK') return { result: verdict };
    const method = await takeMethod(tx, context, verdict.device, newcomer);
    if (method.isDisabled) return { result: RESTART };
    const [active] = await Promise.all([
      activity.recordIfDue(tx, method.app, method.primaryUserId, now),
      markVerified(tx, context, method, proof.contact),
    ]);
    const user = await loadUser(tx, directory, method);
    const recipeUserId = shownId(user, method, tenant.tenantId);
    const details = { recipe: 'passwordless' };
    if (method === newcomer) await recordEvent(tx, context, 'user.created', { userId: recipeUserId, details });
    await recordEvent(tx, context, 'code.used', { userId: recipeUserId });
    return { result: { status: 'OK', createdNewUser: method === newcomer, user, recipeUserId, device: verdict.device }, active };
  });
  activity.written(active);
  return result;
}

interface Outcome {
  readonly result: ConsumeCodeResult;
  readonly active?: Activity | undefined;
}

/** The login method of the device, added for a newcomer. Removes the devices of all its contacts in this tenant. */
async function takeMethod(
  tx: Transaction,
  { tenant }: Context,
  device: DeviceRecord,
  newcomer: LoginMethodRecord,
): Promise<LoginMethodRecord> {
  const here = [tenant.tenant];
  const { contact } = device;
  const [known] = await Promise.all([
    methodByInfo(tx, tenant, 'passwordless', contact),
    removeDevicesOfContacts(tx, tenant.app, here, [contact], device),
  ]);
  if (!known) {
    if ((await addLoginMethod(tx, newcomer)) === 'duplicate') throw new Error('a contact without a login method belongs to one');
    return newcomer;
  }
  const others = contactsOf(known).filter((each) => !sameContact(each, contact));
  await removeDevicesOfContacts(tx, tenant.app, here, others);
  return known;
}

/**
 * Whoever received the code owns the email, which is kept under the external id, if there is one, as readers ask. The
 * reads here are made together because loading the user asks for the same next.
 */
async function markVerified(tx: Transaction, context: Context, { app, id }: LoginMethodRecord, [type, email]: Contact): Promise<void> {
  if (type !== 'email' || !context.traits.passwordlessVerifiesEmail) return;
  const [mapping] = await tx.getMany([mappingByInternalId(app, id), verifiedEmail(app, id, email)]);
  const userId = mapping?.externalUserId ?? id;
  await verifyEmailOf(tx, context, { app, userId, email });
}

/** The id by which the answer shows the login method: in a tenant, no other passwordless one has its contact. */
function shownId(user: User, method: LoginMethodRecord, tenantId: string): string {
  const own = user.loginMethods.find(
    ({ recipe, email, phoneNumber, tenantIds }) =>
      recipe === 'passwordless' && email === method.email && phoneNumber === method.phoneNumber && tenantIds.includes(tenantId),
  );
  return own?.recipeUserId ?? method.id;
}
