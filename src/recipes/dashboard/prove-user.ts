import type { Context } from '../context.ts';
import { withinLimits } from '../email-password/failure-limits.ts';
import { hashParameters } from '../email-password/hash-parameters.ts';
import { type DashboardUserRecord, dashboardUsers } from './records.ts';
import { dashboardLimits } from './sign-in-limits.ts';

/** What a dashboard user shows. */
export interface Credentials {
  /** Normalised. */
  readonly email: string;
  readonly password: string;
}

/**
 * Goes on with the user whose email and password these are; undefined where they are nobody's. Over a limit of failures
 * every password is answered like a wrong one, at the same cost.
 * @param address where the sign-in comes from, if that is known
 */
export async function proveUser<R extends { readonly status: string }>(
  context: Context,
  credentials: Credentials,
  address: string | undefined,
  proceed: (user: DashboardUserRecord) => Promise<R>,
): Promise<R | undefined> {
  const limits = dashboardLimits(context.tenant, credentials.email, address);
  const result = await withinLimits<R | { readonly status: 'WRONG' }>(context, limits, async () => {
    const user = await findProven(context, credentials);
    return user ? proceed(user) : { status: 'WRONG' };
  });
  if (!result) await findProven(context, credentials);
  return result?.status === 'WRONG' ? undefined : (result as R | undefined);
}

/** An unknown email costs the same hash work as a known one. */
async function findProven({ store, crypto, tenant }: Context, { email, password }: Credentials): Promise<DashboardUserRecord | undefined> {
  const user = await store.read((reader) => reader.find(dashboardUsers, 'byEmail', [tenant.app, email]));
  const passwordHash = user?.passwordHash ?? (await crypto.unknownUserHash(hashParameters(tenant.config)));
  const matches = await crypto.verifyPassword(password, passwordHash, tenant.appConfig.firebase_password_hashing_signer_key);
  return matches ? user : undefined;
}
