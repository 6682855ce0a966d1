import type { Commands } from '../../generated/commands.ts';
import { recordEvent } from '../audit/record-event.ts';
import type { Context } from '../context.ts';
import { credentialOf, removeCredentialOf } from './credentials.ts';
import { findWebauthnMethod } from './find-method.ts';

export type RemovedCredential = { readonly status: 'OK' | 'CREDENTIAL_NOT_FOUND_ERROR' };

/** `DELETE /recipe/webauthn/user/credential/remove` (contract 07 section 4.4): also the last one. */
export function removeCredential(context: Context, command: Commands['webauthn/credential-of-user']): Promise<RemovedCredential> {
  const { app } = context.tenant;
  return context.store.transact(async (tx) => {
    const method = await findWebauthnMethod(tx, app, command.recipeUserId);
    const credential = method && (await credentialOf(tx, app, method.id, command.webauthnCredentialId));
    if (!credential) return { status: 'CREDENTIAL_NOT_FOUND_ERROR' };
    await removeCredentialOf(tx, method, credential);
    const details = { passkey: command.webauthnCredentialId };
    await recordEvent(tx, context, 'passkey.removed', { userId: command.recipeUserId, details });
    return { status: 'OK' };
  });
}
