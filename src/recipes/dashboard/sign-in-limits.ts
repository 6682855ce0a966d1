import type { Tenant } from '../tenants/tenant.ts';
import { type FailureLimit, failuresKey, forget, placeOf } from '../email-password/failure-limits.ts';
import type { Transaction } from '../../store/store.ts';

/*
 * These limits lock out the operator, so he alone must have ways around them: existing sessions go on, an API key is
 * enough to set a password or to add a dashboard user, and where back ends name the addresses of end users, one address
 * reaches its own limit long before the account's.
 */

/** Limits of a dashboard sign-in. Its users belong to the app, whose public tenant says how long failures count. */
export function dashboardLimits(tenant: Tenant, email: string, endUserAddress: string | undefined): readonly FailureLimit[] {
  const {
    dashboard_sign_in_failures_per_account: perAccount,
    dashboard_sign_in_failures_per_address: perAddress,
    sign_in_failure_window_ms: windowMs,
  } = tenant.config;
  const limits: FailureLimit[] = [];
  if (perAccount > 0)
    limits.push({ key: accountKey(tenant, email), windowMs, most: perAccount, by: 'dashboard account', endsWithSuccess: true });
  if (perAddress > 0 && endUserAddress !== undefined) {
    const key = failuresKey(tenant, 'dashboard address', placeOf(endUserAddress));
    limits.push({ key, windowMs, most: perAddress, by: 'dashboard address', endsWithSuccess: false });
  }
  return limits;
}

/** Forgets the failures of these emails: whoever sets a password need not wait for the end of a window. */
export function forgetDashboardFailures(tx: Transaction, tenant: Pick<Tenant, 'app' | 'tenant'>, emails: readonly string[]): Promise<void> {
  return forget(
    tx,
    emails.map((email) => accountKey(tenant, email)),
  );
}

const accountKey = (tenant: Pick<Tenant, 'app' | 'tenant'>, email: string) => failuresKey(tenant, 'dashboard account', email);
