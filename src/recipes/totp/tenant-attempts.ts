import { deleteUnder } from '../../store/delete-under.ts';
import type { Transaction } from '../../store/store.ts';
import type { Earlier } from './judge-attempt.ts';
import { type Owner, type TenantTotpAttemptsRecord, tenantTotpAttempts } from './records.ts';

/*
 * Attempts as they were kept while each tenant counted for itself. They count on in that tenant until they are forgotten: the next attempt there
 * that leaves something behind takes them over for the whole app, and the clean-up removes what nobody asked for. (decision 0016)
 */

/** What all attempts left behind, as one record tells it. */
export function withTenantAttempts(own: Earlier | undefined, ofTenant: TenantTotpAttemptsRecord | undefined): Earlier | undefined {
  if (!own || !ofTenant) return own ?? ofTenant;
  return {
    failures: [...own.failures, ...ofTenant.failures].toSorted((a, b) => b - a),
    uses: [...own.uses, ...ofTenant.uses],
    cleanAfter: Math.max(own.cleanAfter, ofTenant.cleanAfter),
  };
}

/** Removes all of a user, in the caller's transaction. */
export async function removeTenantAttempts(tx: Transaction, { app, userId }: Owner): Promise<void> {
  await deleteUnder(tx, tenantTotpAttempts, 'byUser', [app, userId]);
}
