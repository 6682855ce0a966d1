import { LIMITS } from '../../config/limits.ts';
import { pagesOf } from '../../store/pages.ts';
import type { Key, MaybePromise, Range } from '../../store/store.ts';
import { type TenantRecord, tenants } from './records.ts';

/**
 * All tenants whose address begins with `prefix`; in a transaction too.
 * @param readPage reads a range of the tenants, or of an index whose keys are their addresses
 */
export async function everyTenant(prefix: Key, readPage: (range: Range) => MaybePromise<TenantRecord[]>): Promise<TenantRecord[]> {
  const found: TenantRecord[] = [];
  for await (const page of pagesOf(prefix, readPage, tenants.key, LIMITS.tenantPage)) found.push(...page);
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
