import type { Seen } from '../../store/store.ts';
import { addLoginMethod, idByInfo, newLoginMethod } from '../accounts/login-methods.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { loadUser, type User } from '../users/user.ts';
import { isCredentialTaken, newCredential } from './credentials.ts';
import { type JudgedRegistration, judgeRegistration, type RegistrationCommand } from './judge-registration.ts';
import { optionsInApp } from './options.ts';
import { CREDENTIAL_TAKEN, type Failure, OPTIONS_NOT_FOUND } from './outcomes.ts';
import { type OptionsRecord, webauthnCredentials, webauthnOptions } from './records.ts';

export type SignUpResult =
  | Failure
  | typeof EMAIL_TAKEN
  | {
      readonly status: 'OK';
      readonly user: User;
      readonly recipeUserId: string;
      readonly webauthnCredentialId: string;
      readonly options: OptionsRecord;
    };

const EMAIL_TAKEN = { status: 'EMAIL_ALREADY_EXISTS_ERROR' } as const;
const FOR_SIGN_IN = { status: 'INVALID_OPTIONS_ERROR', reason: 'The options are for signing in' } as const;

/** `POST /recipe/webauthn/signup` (contract 07 section 3.1), with options of any tenant, which are not used up. */
export async function signUp(context: Context, command: RegistrationCommand): Promise<SignUpResult> {
  const { store, tenant } = context;
  const seen = await store.read((reader) => optionsInApp(reader, tenant, command.webauthnGeneratedOptionsId));
  if (!seen) return OPTIONS_NOT_FOUND;
  const judged = judgeRegistration(context, command, seen.record);
  if ('status' in judged) return judged;
  const { email } = judged.options;
  return email === null ? FOR_SIGN_IN : keepUser(context, judged, email, seen);
}

async function keepUser(context: Context, judged: JudgedRegistration, email: string, seen: Seen<OptionsRecord>): Promise<SignUpResult> {
  const { store, directory, activity, tenant } = context;
  const { id: webauthnCredentialId } = judged.registration;
  const method = newLoginMethod(context, { recipe: 'webauthn', email, credentialIds: [webauthnCredentialId] });
  const { id, timeJoined } = method;
  const credential = newCredential(judged, id, timeJoined);
  const outcome = await store.transact(async (tx) => {
    const [options, isTaken] = await Promise.all([
      tx.recall(webauthnOptions, webauthnOptions.key(seen.record), seen),
      isCredentialTaken(tx, credential),
    ]);
    if (!options) return OPTIONS_NOT_FOUND;
    if (isTaken && (await idByInfo(tx, tenant, 'webauthn', ['email', email])) === undefined) return CREDENTIAL_TAKEN;
    if (isTaken || (await addLoginMethod(tx, method)) === 'duplicate') return EMAIL_TAKEN;
    await tx.insert(webauthnCredentials, credential);
    const details = { recipe: 'webauthn', passkey: webauthnCredentialId };
    await recordEvent(tx, context, 'user.created', { userId: id, details });
    return activity.record(tx, tenant.app, id, timeJoined);
  });
  if ('status' in outcome) return outcome;
  activity.written(outcome);
  const user = await store.read((reader) => loadUser(reader, directory, method));
  return { status: 'OK', user, recipeUserId: id, webauthnCredentialId, options: seen.record };
}
