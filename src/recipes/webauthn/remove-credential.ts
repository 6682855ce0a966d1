import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { credentialOf, removeCredentialOf } from './credentials.ts';
import { findWebauthnMethod } from './find-method.ts';

export type RemovedCredential = { readonly status: 'OK' | 'CREDENTIAL_NOT_FOUND_ERROR' };

/** `DELETE /recipe/webauthn/user/credential/remove` (contract 07 section 4.4): also the last one. */
export function removeCredential(
  { store, tenant: { app } }: Context,
  command: Commands['webauthn/credential-of-user'],
): Promise<RemovedCredential> {
  return store.transact(async (tx) => {
    const method = await findWebauthnMethod(tx, app, command.recipeUserId);
    const credential = method && (await credentialOf(tx, app, method.id, command.webauthnCredentialId));
    if (!credential) return { status: 'CREDENTIAL_NOT_FOUND_ERROR' };
    await removeCredentialOf(tx, method, credential);
    return { status: 'OK' };
  });
}
