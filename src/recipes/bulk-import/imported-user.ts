import type { JsonText } from '../../json/free-form.ts';
import type { ImportedDevice } from '../totp/import-device.ts';
import type { InternalUserId } from '../accounts/ids.ts';
import type { PortableCredential } from '../webauthn/transfer-credentials.ts';

/** The recipes whose login methods can be imported. */
export type ImportRecipe = 'emailpassword' | 'thirdparty' | 'passwordless' | 'webauthn';

/** A login method as an import brings it, normalised; the names are those of the wire (contract 05 section 6.2). */
export interface ImportedMethod {
  readonly tenantIds: readonly string[];
  readonly isVerified: boolean;
  readonly isPrimary: boolean;
  readonly timeJoinedInMSSinceEpoch: number;
  readonly recipeId: ImportRecipe;
  readonly email?: string | undefined;
  readonly passwordHash?: string | undefined;
  /** In upper case. */
  readonly hashingAlgorithm?: string | undefined;
  readonly plainTextPassword?: string | undefined;
  readonly thirdPartyId?: string | undefined;
  readonly thirdPartyUserId?: string | undefined;
  readonly phoneNumber?: string | undefined;
  /** Ours: passkeys. */
  readonly credentials?: readonly PortableCredential[] | undefined;
  /** The internal id that the login method will have. */
  readonly superTokensUserId: InternalUserId;
  /** Ours: an external id of its own, where it is not the main one of its user. */
  readonly externalUserId?: string | undefined;
  /** Ours: what is kept beside that id. */
  readonly externalUserIdInfo?: string | undefined;
}

/** A role in each of these tenants. */
export interface ImportedRole {
  readonly role: string;
  readonly tenantIds: readonly string[];
}

/** A user as an import brings it: valid and normalised (contract 05 section 6.2). */
export interface ImportedUser {
  readonly externalUserId?: string | undefined;
  /** Ours: what is kept beside the external id. */
  readonly externalUserIdInfo?: string | undefined;
  /** A JSON object. */
  readonly userMetadata?: JsonText | undefined;
  readonly userRoles?: readonly ImportedRole[] | undefined;
  readonly totpDevices?: readonly ImportedDevice[] | undefined;
  /** Ours: whether the user is disabled. */
  readonly isDisabled?: boolean | undefined;
  /** At least one. */
  readonly loginMethods: readonly ImportedMethod[];
}

/** The login method whose id the user and its queue entry have: the primary one, else the oldest, first of equals. */
export function mainMethodOf<M extends Pick<ImportedMethod, 'isPrimary' | 'timeJoinedInMSSinceEpoch'>>(methods: readonly M[]): M {
  const primary = methods.find((method) => method.isPrimary);
  if (primary) return primary;
  return methods.reduce((oldest, method) => (method.timeJoinedInMSSinceEpoch < oldest.timeJoinedInMSSinceEpoch ? method : oldest));
}

/** The external ids of a user and what is kept beside them, by their login methods: the main one has the user's. */
export function externalIdsOf(user: ImportedUser): ReadonlyMap<ImportedMethod, { readonly id: string; readonly info: string | null }> {
  const main = mainMethodOf(user.loginMethods);
  const mapped = user.loginMethods.flatMap((method) => {
    const { externalUserId: id, externalUserIdInfo: info = null } = method === main ? user : method;
    return id === undefined ? [] : [[method, { id, info }] as const];
  });
  return new Map(mapped);
}
