import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { addCredential, isCredentialTaken, newCredential } from './credentials.ts';
import { findWebauthnMethod } from './find-method.ts';
import { type JudgedRegistration, judgeRegistration } from './judge-registration.ts';
import { optionsInTenant } from './options.ts';
import { type Failure, OPTIONS_NOT_FOUND } from './outcomes.ts';
import { type OptionsRecord, webauthnOptions } from './records.ts';

export type RegisterCredentialResult =
  | Failure
  | { readonly status: 'UNKNOWN_USER_ID_ERROR' | 'CREDENTIAL_ALREADY_EXISTS_ERROR' }
  | { readonly status: 'OK'; readonly recipeUserId: string; readonly webauthnCredentialId: string; readonly options: OptionsRecord };

/** `POST /recipe/webauthn/user/credential/register` (contract 07 section 4.1). */
export async function registerCredential(
  context: Context,
  command: Commands['webauthn/register-credential'],
): Promise<RegisterCredentialResult> {
  const { store, tenant } = context;
  const options = await store.read((reader) => optionsInTenant(reader, tenant, command.webauthnGeneratedOptionsId));
  const judged = judgeRegistration(context, command, options);
  return 'status' in judged ? judged : keep(context, command.recipeUserId, judged);
}

function keep(context: Context, recipeUserId: string, judged: JudgedRegistration): Promise<RegisterCredentialResult> {
  const { store, tenant, now } = context;
  const { options, registration } = judged;
  const time = now();
  return store.transact(async (tx): Promise<RegisterCredentialResult> => {
    const [isThere, method] = await Promise.all([
      tx.get(webauthnOptions, webauthnOptions.key(options)),
      findWebauthnMethod(tx, tenant.app, recipeUserId),
    ]);
    if (!isThere) return OPTIONS_NOT_FOUND;
    if (!method) return { status: 'UNKNOWN_USER_ID_ERROR' };
    const credential = newCredential(judged, method.id, time);
    if (await isCredentialTaken(tx, credential)) return { status: 'CREDENTIAL_ALREADY_EXISTS_ERROR' };
    await addCredential(tx, method, credential);
    await recordEvent(tx, context, 'passkey.registered', { userId: recipeUserId, details: { passkey: registration.id } });
    return { status: 'OK', recipeUserId, webauthnCredentialId: registration.id, options };
  });
}
