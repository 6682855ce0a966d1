import type { Commands } from '../../generated/commands.ts';
import type { Context } from '../context.ts';
import { hashParameters } from '../email-password/hash-parameters.ts';
import { normaliseEmail } from '../users/normalise.ts';
import { type DashboardSessionRecord, dashboardSessions, dashboardUsers } from './records.ts';

export type SignInResult = { readonly status: 'INVALID_CREDENTIALS_ERROR' } | { readonly status: 'OK'; readonly sessionId: string };

const SESSION_LIFE_MS = 30 * 24 * 60 * 60 * 1000;

const REFUSED: SignInResult = { status: 'INVALID_CREDENTIALS_ERROR' };

/** `POST /recipe/dashboard/signin` (contract 05 section 5.7). An unknown email costs the same hash work as a known one. */
export async function signIn(context: Context, command: Commands['dashboard/sign-in']): Promise<SignInResult> {
  const { store, crypto, tenant } = context;
  const { app } = tenant;
  const email = normaliseEmail(command.email);
  const user = await store.read((reader) => reader.find(dashboardUsers, 'byEmail', [app, email]));
  const passwordHash = user?.passwordHash ?? (await crypto.unknownUserHash(hashParameters(tenant.config)));
  const matches = await crypto.verifyPassword(command.password, passwordHash, tenant.appConfig.firebase_password_hashing_signer_key);
  if (!user || !matches) return REFUSED;
  const createdAt = context.now();
  const session: DashboardSessionRecord = {
    app,
    id: context.randomId(),
    userId: user.id,
    createdAt,
    expiresAt: createdAt + SESSION_LIFE_MS,
  };
  return store.transact(async (tx) => {
    const current = await tx.get(dashboardUsers, [app, user.id]);
    // A change of the password ends sessions; one that was checked against the old password must not begin after it.
    if (current?.passwordHash !== passwordHash) return REFUSED;
    await tx.insert(dashboardSessions, session);
    return { status: 'OK', sessionId: session.id };
  });
}
