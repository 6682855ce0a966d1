import { allReady, type MaybePromise, whenReady } from '../../store/maybe-promise.ts';
import type { AppNumber, Reader, TenantNumber } from '../../store/store.ts';
import { tenants } from './records.ts';

/** Whether the tenant still exists; what is kept under the number of a removed one is ignored, and purged later. */
export function tenantExists(reader: Reader, app: AppNumber, tenant: TenantNumber): MaybePromise<boolean> {
  return whenReady(reader.find(tenants, 'byNumber', [app, tenant]), (record) => record !== undefined);
}

/** Those of some tenants that exist still, asked for together. */
export function existingTenants(reader: Reader, app: AppNumber, numbers: Iterable<TenantNumber>): MaybePromise<ReadonlySet<TenantNumber>> {
  const tenantNumbers = [...new Set(numbers)];
  const existing = allReady(tenantNumbers.map((tenant) => tenantExists(reader, app, tenant)));
  return whenReady(existing, (exist) => new Set(tenantNumbers.filter((_, at) => exist[at])));
}
