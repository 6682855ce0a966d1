import type { Commands } from '../../generated/commands.ts';
import type { Transaction } from '../../store/store.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import type { Activity } from '../active-users/touch.ts';
import { verifiedEmail, verifyEmailOf } from '../email-verification/lookups.ts';
import { mappingByInternalId } from '../accounts/mappings.ts';
import { recordContactChange } from '../accounts/record-contact-change.ts';
import { addLoginMethod, changeLoginMethod, type LoginMethodRecord, methodByInfo, newLoginMethod } from '../accounts/login-methods.ts';
import { loadUser, type User } from '../users/user.ts';
import { requireThirdParty } from './enabled.ts';
import { readEmail } from './read-email.ts';

type Command = Commands['third-party/sign-in-up'];

export type SignInUpResult =
  | { readonly status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR'; readonly cause: 'email-taken' | 'disabled' }
  | { readonly status: 'OK'; readonly createdNewUser: boolean; readonly user: User; readonly recipeUserId: string };

/** The email is the last field, and its members are checked with it, before the tenant is looked for. */
export function checkSignInUp({ email }: Command, { traits }: Context): void {
  readEmail(email, traits);
}

/**
 * `POST /recipe/signinup` (contract 03 section 4.1): one transaction finds or adds the login method of a third-party
 * account, keeps its email as the third party tells it and answers the user. Of rivals with a new account one adds it.
 */
export async function signInUp(context: Context, command: Command): Promise<SignInUpResult> {
  const { store, tenant, activity, traits, directory } = context;
  requireThirdParty(context);
  const given = readEmail(command.email, traits);
  const { thirdPartyId, thirdPartyUserId } = command;
  const fresh = newLoginMethod(context, { recipe: 'thirdparty', thirdPartyId, thirdPartyUserId, email: given.email });
  const now = context.now();
  const { result, active } = await store.transact(async (tx): Promise<Outcome> => {
    const known = await methodByInfo(tx, tenant, 'thirdparty', ['tparty', thirdPartyId, thirdPartyUserId]);
    if (known?.isDisabled) return { result: { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', cause: 'disabled' } };
    const method = known ? await withEmail(tx, known, given.email) : await added(tx, fresh);
    if (!method) return { result: { status: 'EMAIL_CHANGE_NOT_ALLOWED_ERROR', cause: 'email-taken' } };
    const [mapping] = await tx.getMany([mappingByInternalId(method.app, method.id), verifiedEmail(method.app, method.id, given.email)]);
    const recipeUserId = mapping?.externalUserId ?? method.id;
    if (known) await recordContactChange(tx, context, recipeUserId, known, method);
    else
      await recordEvent(tx, context, 'user.created', { userId: recipeUserId, details: { recipe: 'thirdparty', provider: thirdPartyId } });
    if (given.isVerified) await verifyEmailOf(tx, context, { app: method.app, userId: recipeUserId, email: given.email });
    const active = await activity.recordIfDue(tx, method.app, method.primaryUserId, now);
    return { result: { status: 'OK', createdNewUser: !known, user: await loadUser(tx, directory, method), recipeUserId }, active };
  });
  activity.written(active);
  return result;
}

interface Outcome {
  readonly result: SignInUpResult;
  readonly active?: Activity | undefined;
}

async function added(tx: Transaction, method: LoginMethodRecord): Promise<LoginMethodRecord> {
  if ((await addLoginMethod(tx, method)) === 'duplicate') throw new Error('a third-party account was there after it had not been found');
  return method;
}

/** The login method with this email; `undefined` when another primary user has it (contract 03 section 1.5). */
async function withEmail(tx: Transaction, method: LoginMethodRecord, email: string): Promise<LoginMethodRecord | undefined> {
  if (method.email === email) return method;
  const outcome = await changeLoginMethod(tx, method, { email });
  return outcome.status === 'changed' ? outcome.method : undefined;
}
