import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { credentialOf, type CredentialRecord } from './credentials.ts';
import { findWebauthnMethod } from './find-method.ts';

export type FoundCredential =
  | { readonly status: 'CREDENTIAL_NOT_FOUND_ERROR' }
  | { readonly status: 'OK'; readonly recipeUserId: string; readonly credential: CredentialRecord };

/** `GET /recipe/webauthn/user/credential` (contract 07 section 4.2). */
export function getCredential(
  { store, tenant: { app } }: Context,
  command: Commands['webauthn/credential-of-user'],
): Promise<FoundCredential> {
  const { recipeUserId, webauthnCredentialId } = command;
  return store.read(async (reader): Promise<FoundCredential> => {
    const method = await findWebauthnMethod(reader, app, recipeUserId);
    const credential = method && (await credentialOf(reader, app, method.id, webauthnCredentialId));
    return credential ? { status: 'OK', recipeUserId, credential } : { status: 'CREDENTIAL_NOT_FOUND_ERROR' };
  });
}
