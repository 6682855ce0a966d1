import { removeLastActive } from './active-users/remove.ts';
import { removeResetTokens } from './email-password/reset-tokens.ts';
import { isVerificationUsed, removeTokensInTenant, removeVerificationData } from './email-verification/lookups.ts';
import { removeDevicesOfMethod } from './passwordless/devices.ts';
import { isSessionUsed, removeSessionsInTenant, removeSessionsOfId } from './session/sessions-of-id.ts';
import { isTotpUsed, removeTotp } from './totp/devices.ts';
import type { UserData } from './user-data.ts';
import { isMetadataUsed, removeMetadata } from './user-metadata/remove-metadata.ts';
import { areRolesUsed, removeRolesInTenant, removeRolesOfUser } from './user-roles/roles-of-user.ts';

/** What every recipe keeps of users, in the order in which refusals prefer them. */
export const ALL_USER_DATA: readonly UserData[] = [
  { byId: { use: { name: 'Session', isUsed: isSessionUsed }, remove: removeSessionsOfId, removeInTenant: removeSessionsInTenant } },
  { byId: { use: { name: 'UserMetadata', isUsed: isMetadataUsed }, remove: removeMetadata } },
  { byId: { use: { name: 'UserRoles', isUsed: areRolesUsed }, remove: removeRolesOfUser, removeInTenant: removeRolesInTenant } },
  {
    byId: {
      use: { name: 'EmailVerification', isUsed: isVerificationUsed },
      remove: removeVerificationData,
      removeInTenant: removeTokensInTenant,
    },
  },
  { byId: { use: { name: 'TOTP', isUsed: isTotpUsed }, remove: removeTotp } },
  { byId: { remove: removeLastActive } },
  { removeOfMethod: removeResetTokens },
  { removeOfMethod: removeDevicesOfMethod },
];
