import type { InProcessCore } from '../in-process-core.ts';
import { ADMIN_ROUNDS } from './admin.ts';
import { BULK_IMPORT_ROUNDS } from './bulk-import.ts';
import { CORE_ROUNDS } from './core.ts';
import { EMAIL_PASSWORD_ROUNDS } from './email-password.ts';
import { EMAIL_VERIFICATION_ROUNDS } from './email-verification.ts';
import { LINKING_ROUNDS } from './linking.ts';
import { MANAGEMENT_ROUNDS } from './management.ts';
import { MULTITENANCY_ROUNDS } from './multitenancy.ts';
import { PASSWORDLESS_ROUNDS } from './passwordless.ts';
import { SAML_ROUNDS } from './saml.ts';
import { SESSION_ROUNDS } from './sessions.ts';
import { THIRD_PARTY_ROUNDS } from './third-party.ts';
import { TOTP_AND_DASHBOARD_ROUNDS } from './totp-and-dashboard.ts';
import { USER_METADATA_ROUNDS } from './user-metadata.ts';
import { USER_ROLES_ROUNDS } from './user-roles.ts';
import { USERS_ROUNDS } from './users.ts';
import { WEBAUTHN_ROUNDS } from './webauthn.ts';
import { WEBHOOK_ROUNDS } from './webhooks.ts';
import { type Made, PASSWORD, type Scenario, sessionBody, verifyBody } from './scenario.ts';

/** Every endpoint; a file for each area stands beside this one. */
export const SCENARIOS: readonly Scenario[] = [
  ...CORE_ROUNDS,
  ...SESSION_ROUNDS,
  ...EMAIL_PASSWORD_ROUNDS,
  ...EMAIL_VERIFICATION_ROUNDS,
  ...PASSWORDLESS_ROUNDS,
  ...THIRD_PARTY_ROUNDS,
  ...WEBAUTHN_ROUNDS,
  ...USERS_ROUNDS,
  ...LINKING_ROUNDS,
  ...USER_ROLES_ROUNDS,
  ...USER_METADATA_ROUNDS,
  ...MULTITENANCY_ROUNDS,
  ...TOTP_AND_DASHBOARD_ROUNDS,
  ...SAML_ROUNDS,
  ...BULK_IMPORT_ROUNDS,
  ...MANAGEMENT_ROUNDS,
  ...WEBHOOK_ROUNDS,
  ...ADMIN_ROUNDS,
];

/** A new user with a session whose token was verified. */
export async function make(core: InProcessCore): Promise<Made> {
  const email = `user-${Math.random()}@example.com`;
  const { user } = (await core.call('POST', '/recipe/signup', { email, password: PASSWORD })).body as { user: { id: string } };
  const started = (await core.call('POST', '/recipe/session', sessionBody(user.id))).body as {
    accessToken: { token: string };
    refreshToken: { token: string };
    session: { handle: string };
  };
  const made = {
    accessToken: started.accessToken.token,
    refreshToken: started.refreshToken.token,
    handle: started.session.handle,
    userId: user.id,
    email,
  };
  await core.call('POST', '/recipe/session/verify', verifyBody(made, true));
  return made;
}
