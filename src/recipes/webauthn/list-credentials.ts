import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { type CredentialRecord, credentialsOf } from './credentials.ts';
import { findWebauthnMethod } from './find-method.ts';

export interface CredentialList {
  readonly recipeUserId: string;
  readonly credentials: readonly CredentialRecord[];
}

/** `GET /recipe/webauthn/user/credential/list` (contract 07 section 4.3): none for unknown users. */
export function listCredentials(
  { store, tenant: { app } }: Context,
  { recipeUserId }: Commands['webauthn/list-credentials'],
): Promise<CredentialList> {
  return store.read(async (reader) => {
    const method = await findWebauthnMethod(reader, app, recipeUserId);
    return { recipeUserId, credentials: method ? await credentialsOf(reader, app, method.id) : [] };
  });
}
