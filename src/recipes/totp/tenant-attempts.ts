import { deleteUnder } from '../../store/delete-under.ts';
import type { Transaction } from '../../store/store.ts';
import type { Earlier } from './judge-attempt.ts';
import { type Owner, type TenantTotpAttemptsRecord, tenantTotpAttempts } from './records.ts';

/*
 * Attempts kept while each tenant still counted for itself (decision 0016). They count in that tenant until forgotten:
 * its next kept attempt moves them into the app's record, and the clean-up removes the others.
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
