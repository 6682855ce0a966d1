import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../src/recipes/routes.ts';
import { type InProcessCore, openInProcessCore } from '../in-process-core.ts';
import { BULK_IMPORT_ROUNDS } from './bulk-import.ts';
import { CORE_ROUNDS } from './core.ts';
import { EMAIL_PASSWORD_ROUNDS } from './email-password.ts';
import { EMAIL_VERIFICATION_ROUNDS } from './email-verification.ts';
import { LINKING_ROUNDS } from './linking.ts';
import { MULTITENANCY_ROUNDS } from './multitenancy.ts';
import { PASSWORDLESS_ROUNDS } from './passwordless.ts';
import { SAML_ROUNDS } from './saml.ts';
import { SESSION_ROUNDS } from './sessions.ts';
import { THIRD_PARTY_ROUNDS } from './third-party.ts';
import { TOTP_AND_DASHBOARD_ROUNDS } from './totp-and-dashboard.ts';
import { USER_METADATA_ROUNDS } from './user-metadata.ts';
import { USER_ROLES_ROUNDS } from './user-roles.ts';
import { USERS_ROUNDS } from './users.ts';
import { type Made, PASSWORD, type Scenario, sessionBody, verifyBody } from './scenario.ts';

/*
 * On a database over the network every sequential round of reads costs a round trip, so each endpoint has a budget; reads that wait together
 * are one round. What a thread remembers anyway (tenants, keys, tokens seen before, recent activity) is warm here, as it is on a server that
 * is in use.
 */

/** A file of scenarios for each area stands beside this one. */
const SCENARIOS: readonly Scenario[] = [
  ...CORE_ROUNDS,
  ...SESSION_ROUNDS,
  ...EMAIL_PASSWORD_ROUNDS,
  ...EMAIL_VERIFICATION_ROUNDS,
  ...PASSWORDLESS_ROUNDS,
  ...THIRD_PARTY_ROUNDS,
  ...USERS_ROUNDS,
  ...LINKING_ROUNDS,
  ...USER_ROLES_ROUNDS,
  ...USER_METADATA_ROUNDS,
  ...MULTITENANCY_ROUNDS,
  ...TOTP_AND_DASHBOARD_ROUNDS,
  ...SAML_ROUNDS,
  ...BULK_IMPORT_ROUNDS,
];

/** Endpoints that read nothing of the store, or exist only for other CDI versions. */
const WITHOUT_BUDGET = ['GET /requests/stats', 'POST /recipe/handshake'];

let core: InProcessCore;

async function make(): Promise<Made> {
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

beforeAll(async () => {
  core = await openInProcessCore('5.4');
});

describe('sequential rounds of reads of each endpoint stay within its budget', () => {
  test.each(SCENARIOS)('$endpoint: at most $budget', async ({ budget, play }) => {
    const made = await make();
    core.takeRounds();
    const { status } = await play(core, made);
    expect(status).toBe(200);
    expect(core.takeRounds()).toBeLessThanOrEqual(budget);
  });

  test('every endpoint has a budget', () => {
    const named = new Set(SCENARIOS.map(({ endpoint }) => endpoint.split(' ').slice(0, 2).join(' ')));
    const missing = ROUTES.map(({ method, path }) => `${method} ${path}`).filter((row) => !named.has(row) && !WITHOUT_BUDGET.includes(row));
    expect(missing).toEqual([]);
  });
});
