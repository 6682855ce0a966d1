import type { Reader, TenantNumber } from '../../store/store.ts';
import type { Tenant } from './tenant.ts';
import { tenants } from './records.ts';

/** The numbers of the tenants of an app that have these ids, in one round; ids that no tenant has are left out. */
export async function tenantNumbers(
  reader: Reader,
  { cud, appId, app }: Tenant,
  ids: readonly string[],
): Promise<Map<string, TenantNumber>> {
  const found = await reader.getMany(ids.map((tenantId) => ({ collection: tenants, key: [cud, appId, tenantId] as const })));
  // An app that was removed and made again has another number, and so has nothing to do with this one.
  return new Map(found.flatMap((record) => (record?.app === app ? [[record.tenantId, record.tenant] as const] : [])));
}
