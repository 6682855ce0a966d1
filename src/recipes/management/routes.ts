import { AUDIT_ROUTES } from './audit-routes.ts';
import { BACKUP_ROUTES } from './backup-routes.ts';
import { CONFIG_ROUTES } from './config-routes.ts';
import { KEY_ROUTES } from './key-routes.ts';
import { OVERVIEW_ROUTES } from './overview-routes.ts';
import { SAML_ROUTES } from './saml-routes.ts';
import { SESSION_ROUTES } from './session-routes.ts';
import { TENANT_ROUTES } from './tenant-routes.ts';
import { USER_ROUTES } from './user-routes.ts';
import type { Route } from '../route.ts';

/** The management endpoints: ours, under `/manage/v1`, opened by API keys of the base app (docs/management.md). */
export const ROUTES: readonly Route[] = [
  ...KEY_ROUTES,
  ...CONFIG_ROUTES,
  ...USER_ROUTES,
  ...SESSION_ROUTES,
  ...TENANT_ROUTES,
  ...BACKUP_ROUTES,
  ...AUDIT_ROUTES,
  ...SAML_ROUTES,
  ...OVERVIEW_ROUTES,
];
