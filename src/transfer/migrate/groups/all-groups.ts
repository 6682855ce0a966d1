import type { TableGroup } from '../table-group.ts';
import { DASHBOARD, QUEUE } from './administration.ts';
import { KEYS } from './keys.ts';
import { PASSKEY_OPTIONS, RECOVERY_TOKENS } from './passkeys.ts';
import { SAML } from './saml.ts';
import { SESSIONS } from './sessions.ts';
import { CODES, RESET_TOKENS, VERIFICATION_TOKENS } from './tokens.ts';
import { TOTP } from './totp.ts';
import { ASSIGNMENTS, LAST_ACTIVE, MAPPINGS, METADATA, ROLES, VERIFIED_EMAILS } from './user-data.ts';
import { USERS } from './users.ts';

/** Everything that is moved, in its order: sessions last, for they change the most. */
export const GROUPS: readonly TableGroup[] = [
  KEYS,
  USERS,
  MAPPINGS,
  VERIFIED_EMAILS,
  ROLES,
  ASSIGNMENTS,
  METADATA,
  TOTP,
  RESET_TOKENS,
  VERIFICATION_TOKENS,
  RECOVERY_TOKENS,
  PASSKEY_OPTIONS,
  CODES,
  DASHBOARD,
  SAML,
  QUEUE,
  LAST_ACTIVE,
  SESSIONS,
];

/** Tables that are kept aside in a file, for recipes that this version does not serve (contract 09 section 12). */
export const ASIDE_TABLES: readonly string[] = ['oauth_clients', 'oauth_sessions', 'oauth_logout_challenges', 'oauth_m2m_tokens'];
