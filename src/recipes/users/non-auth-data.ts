import type { Reader, Transaction } from '../../store/store.ts';
import { removeLastActive } from '../active-users/remove.ts';
import { isVerificationUsed, removeTokensInTenant, removeVerificationData } from '../email-verification/lookups.ts';
import { isSessionUsed, removeSessionsInTenant, removeSessionsOfId } from '../session/sessions-of-id.ts';
import { isTotpUsed, removeTotp } from '../totp/devices.ts';
import { isMetadataUsed, removeMetadata } from '../user-metadata/remove-metadata.ts';
import { areRolesUsed, removeRolesInTenant, removeRolesOfUser } from '../user-roles/roles-of-user.ts';

/**
 * A recipe that keeps data under a user id without asking whose it is: the external id of mapped users, and any text besides
 * (contract 01 section 4).
 */
interface NonAuthData {
  /** As refusals name it. */
  readonly recipe: 'Session' | 'UserMetadata' | 'UserRoles' | 'EmailVerification' | 'TOTP';
  /** Whether it keeps anything under the id, in any tenant of the app. `now`: ms since the epoch. */
  readonly isUsed: (reader: Reader, app: number, userId: string, now: number) => Promise<boolean>;
  /** Removes all that it keeps under the id, in all tenants, in the caller's transaction. */
  readonly remove: (tx: Transaction, app: number, userId: string) => Promise<void>;
  /** Removes what it keeps under the id for one tenant; answers whether there was anything. Absent where it keeps nothing by tenant. */
  readonly removeInTenant?: (tx: Transaction, app: number, tenant: number, userId: string) => Promise<boolean>;
}

/** In the order in which refusals prefer them. */
const NON_AUTH_DATA: readonly NonAuthData[] = [
  { recipe: 'Session', isUsed: isSessionUsed, remove: removeSessionsOfId, removeInTenant: removeSessionsInTenant },
  { recipe: 'UserMetadata', isUsed: isMetadataUsed, remove: removeMetadata },
  { recipe: 'UserRoles', isUsed: areRolesUsed, remove: removeRolesOfUser, removeInTenant: removeRolesInTenant },
  { recipe: 'EmailVerification', isUsed: isVerificationUsed, remove: removeVerificationData, removeInTenant: removeTokensInTenant },
  { recipe: 'TOTP', isUsed: isTotpUsed, remove: removeTotp },
];

export type NonAuthRecipe = NonAuthData['recipe'];

/** The recipes that keep data under a user id, in the order of contract 01 section 4. */
export async function recipesUsing(reader: Reader, app: number, userId: string, now: number): Promise<NonAuthRecipe[]> {
  const used = await Promise.all(NON_AUTH_DATA.map(({ isUsed }) => isUsed(reader, app, userId, now)));
  return NON_AUTH_DATA.filter((_, at) => used[at]).map(({ recipe }) => recipe);
}

/** Removes what the recipes keep under a user id, the time of its last activity included. */
export async function removeNonAuthData(tx: Transaction, app: number, userId: string): Promise<void> {
  await Promise.all([...NON_AUTH_DATA.map(({ remove }) => remove(tx, app, userId)), removeLastActive(tx, app, userId)]);
}

/** Removes what the recipes keep under a user id for one tenant (contract 04 section 6.2); answers whether there was anything. */
export async function removeNonAuthDataInTenant(tx: Transaction, app: number, tenant: number, userId: string): Promise<boolean> {
  const found = await Promise.all(NON_AUTH_DATA.map(({ removeInTenant }) => removeInTenant?.(tx, app, tenant, userId)));
  return found.includes(true);
}
