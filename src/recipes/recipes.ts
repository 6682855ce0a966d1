import { accountLinkingRecipe } from './account-linking/recipe.ts';
import { activeUsersRecipe } from './active-users/recipe.ts';
import { adminRecipe } from './admin/recipe.ts';
import { auditRecipe } from './audit/recipe.ts';
import { bulkImportRecipe } from './bulk-import/recipe.ts';
import { dashboardRecipe } from './dashboard/recipe.ts';
import { emailPasswordRecipe } from './email-password/recipe.ts';
import { emailVerificationRecipe } from './email-verification/recipe.ts';
import { jwtRecipe } from './jwt/recipe.ts';
import { keyValueRecipe } from './key-value/recipe.ts';
import { managementRecipe } from './management/recipe.ts';
import { multitenancyRecipe } from './multitenancy/recipe.ts';
import { passwordlessRecipe } from './passwordless/recipe.ts';
import { samlRecipe } from './saml/recipe.ts';
import { serviceRecipe } from './service/recipe.ts';
import { sessionRecipe } from './session/recipe.ts';
import { signingKeysRecipe } from './signing-keys/recipe.ts';
import { statisticsRecipe } from './statistics/recipe.ts';
import { thirdPartyRecipe } from './third-party/recipe.ts';
import { totpRecipe } from './totp/recipe.ts';
import { userIdMappingRecipe } from './user-id-mapping/recipe.ts';
import { userMetadataRecipe } from './user-metadata/recipe.ts';
import { userRolesRecipe } from './user-roles/recipe.ts';
import { usersRecipe } from './users/recipe.ts';
import { webauthnRecipe } from './webauthn/recipe.ts';
import { webhooksRecipe } from './webhooks/recipe.ts';
import type { AnyCollection } from '../store/collection.ts';
import type { Job, Recipe } from './recipe.ts';
import type { UserData } from './user-data.ts';

/** Every recipe of the product, once. Refusals name those that keep user data in this order (contract 01 section 4). */
export const RECIPES: readonly Recipe[] = [
  serviceRecipe,
  sessionRecipe,
  jwtRecipe,
  userMetadataRecipe,
  userRolesRecipe,
  emailVerificationRecipe,
  totpRecipe,
  activeUsersRecipe,
  statisticsRecipe,
  emailPasswordRecipe,
  thirdPartyRecipe,
  passwordlessRecipe,
  webauthnRecipe,
  usersRecipe,
  accountLinkingRecipe,
  userIdMappingRecipe,
  dashboardRecipe,
  bulkImportRecipe,
  samlRecipe,
  multitenancyRecipe,
  signingKeysRecipe,
  keyValueRecipe,
  managementRecipe,
  auditRecipe,
  webhooksRecipe,
  adminRecipe,
];

export const COLLECTIONS: readonly AnyCollection[] = RECIPES.flatMap(({ collections }) => collections ?? []);
export const JOBS: readonly Job[] = RECIPES.flatMap(({ jobs }) => jobs ?? []);
export const USER_DATA: readonly UserData[] = RECIPES.flatMap(({ userData }) => userData ?? []);
