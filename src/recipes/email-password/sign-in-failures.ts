import { allReady } from '../../store/maybe-promise.ts';
import type { Context } from '../context.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { LoginMethodRecord } from '../accounts/login-methods.ts';
import { type FailureLimit, failuresKey, forget, placeOf, reachedLimits } from './failure-limits.ts';

/** Of a login method: where it may be used, and under which email. */
type Account = Pick<LoginMethodRecord, 'tenants' | 'email'>;

/**
 * What a password sign-in counts against: the account and the end user's address; nothing where the tenant limits
 * neither. Failures of a login that several tenants share count in each that limits them, by its own window: otherwise
 * every tenant would allow guesses of its own at the same password.
 * @param account the login method with this email here, if there is one: without one, failures are counted alike
 */
export async function signInLimits(context: Context, email: string, account: Account | undefined): Promise<readonly FailureLimit[]> {
  const { tenant, endUserAddress } = context;
  const {
    sign_in_failures_per_account: perAccount,
    sign_in_failures_per_address: perAddress,
    sign_in_failure_window_ms: windowMs,
  } = tenant.config;
  const limits: FailureLimit[] = [];
  if (perAccount > 0) {
    limits.push(accountLimit(tenant, email, perAccount));
    const sharing = account ? await tenantsWithLimit(context, account) : [];
    for (const other of sharing) if (other.tenant !== tenant.tenant) limits.push(accountLimit(other, email, Number.POSITIVE_INFINITY));
  }
  if (perAddress > 0 && endUserAddress !== undefined) {
    const key = failuresKey(tenant, 'address', placeOf(endUserAddress));
    limits.push({ key, windowMs, most: perAddress, by: 'address', endsWithSuccess: false });
  }
  return limits;
}

const accountLimit = (tenant: Tenant, email: string, most: number): FailureLimit => ({
  key: failuresKey(tenant, 'account', email),
  windowMs: tenant.config.sign_in_failure_window_ms,
  most,
  by: 'account',
  endsWithSuccess: true,
});

/** The ids of the tenants in which a sign-in to an account would be refused without a look at the password. */
export async function lockedTenants(context: Context, account: Account): Promise<readonly string[]> {
  const { store, now } = context;
  const { email } = account;
  if (email === null) return [];
  const tenants = await tenantsWithLimit(context, account);
  const limits = tenants.map((tenant) => accountLimit(tenant, email, tenant.config.sign_in_failures_per_account));
  const reached = await store.read((reader) => reachedLimits(reader, limits, now()));
  return tenants.filter((_, at) => reached[at]).map(({ tenantId }) => tenantId);
}

/** Forgets an account's failures in all its tenants that limit them: who set a new password need not wait. */
export async function forgetFailures(context: Context, account: Account): Promise<void> {
  const { email } = account;
  if (email === null) return;
  const keys = (await tenantsWithLimit(context, account)).map((tenant) => failuresKey(tenant, 'account', email));
  if (keys.length > 0) await context.store.transact((tx) => forget(tx, keys));
}

/** The tenants of an account that limit its failures. */
async function tenantsWithLimit({ directory, tenant: { app } }: Context, { tenants }: Account): Promise<readonly Tenant[]> {
  const found = await allReady(tenants.map((number) => directory.byNumber(app, number)));
  return found.flatMap((tenant) => (tenant && tenant.config.sign_in_failures_per_account > 0 ? [tenant] : []));
}
