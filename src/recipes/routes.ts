import { EMAIL_PASSWORD_ROUTES } from './email-password/routes.ts';
import { JWT_ROUTES } from './jwt/routes.ts';
import { MULTITENANCY_ROUTES } from './multitenancy/routes.ts';
import type { Route } from './route.ts';
import { SERVICE_ROUTES } from './service/routes.ts';
import { SESSION_ROUTES } from './session/routes.ts';
import { USER_ROUTES } from './users/routes.ts';

/** Every endpoint of the product. The router, OpenAPI, metric labels and the coverage test read this list and no other. */
export const ROUTES: readonly Route[] = [
  ...SERVICE_ROUTES,
  ...SESSION_ROUTES,
  ...JWT_ROUTES,
  ...EMAIL_PASSWORD_ROUTES,
  ...USER_ROUTES,
  ...MULTITENANCY_ROUTES,
];
