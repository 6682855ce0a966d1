import { LIMITS } from '../../config/limits.ts';
import { type PageRange, pagesOf } from '../../store/pages.ts';
import type { MaybePromise } from '../../store/maybe-promise.ts';
import type { Page } from '../../store/store.ts';
import type { TenantRecord } from './records.ts';

/** All tenants that pages hold; in a transaction too. */
export async function everyTenant(read: (page: PageRange) => MaybePromise<Page<TenantRecord>>): Promise<TenantRecord[]> {
  const found: TenantRecord[] = [];
  for await (const page of pagesOf(read, LIMITS.tenantPage)) found.push(...page);
  return found;
}

/** Records by what `keyOf` says of them, in the order in which they come. */
export function grouped(records: readonly TenantRecord[], keyOf: (record: TenantRecord) => string): Map<string, TenantRecord[]> {
  const groups = new Map<string, TenantRecord[]>();
  for (const record of records) {
    const group = groups.get(keyOf(record));
    if (group) group.push(record);
    else groups.set(keyOf(record), [record]);
  }
  return groups;
}
