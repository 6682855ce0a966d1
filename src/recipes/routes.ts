import { ACCOUNT_LINKING_ROUTES } from './account-linking/routes.ts';
import { BULK_IMPORT_ROUTES } from './bulk-import/routes.ts';
import { DASHBOARD_ROUTES } from './dashboard/routes.ts';
import { EMAIL_PASSWORD_ROUTES } from './email-password/routes.ts';
import { EMAIL_VERIFICATION_ROUTES } from './email-verification/routes.ts';
import { JWT_ROUTES } from './jwt/routes.ts';
import { MULTITENANCY_ROUTES } from './multitenancy/routes.ts';
import { PASSWORDLESS_ROUTES } from './passwordless/routes.ts';
import type { Route } from './route.ts';
import { SAML_ROUTES } from './saml/routes.ts';
import { SERVICE_ROUTES } from './service/routes.ts';
import { SESSION_ROUTES } from './session/routes.ts';
import { THIRD_PARTY_ROUTES } from './third-party/routes.ts';
import { USER_ID_MAPPING_ROUTES } from './user-id-mapping/routes.ts';
import { TOTP_ROUTES } from './totp/routes.ts';
import { USER_METADATA_ROUTES } from './user-metadata/routes.ts';
import { USER_ROLE_ROUTES } from './user-roles/routes.ts';
import { USER_ROUTES } from './users/routes.ts';

/** Every endpoint of the product. The router, OpenAPI, metric labels and the coverage test read this list and no other. */
export const ROUTES: readonly Route[] = [
  ...SERVICE_ROUTES,
  ...SESSION_ROUTES,
  ...JWT_ROUTES,
  ...EMAIL_PASSWORD_ROUTES,
  ...EMAIL_VERIFICATION_ROUTES,
  ...THIRD_PARTY_ROUTES,
  ...PASSWORDLESS_ROUTES,
  ...USER_ROUTES,
  ...ACCOUNT_LINKING_ROUTES,
  ...USER_ID_MAPPING_ROUTES,
  ...USER_ROLE_ROUTES,
  ...USER_METADATA_ROUTES,
  ...TOTP_ROUTES,
  ...DASHBOARD_ROUTES,
  ...BULK_IMPORT_ROUTES,
  ...SAML_ROUTES,
  ...MULTITENANCY_ROUTES,
];
