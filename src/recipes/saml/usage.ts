import { LIMITS } from '../../config/limits.ts';
import { type PageRange, pagesOf } from '../../store/pages.ts';
import type { AppNumber, KeyOf, Noted, Store, TenantNumber } from '../../store/store.ts';
import { samlClients } from './records.ts';

const tenantIn = ({ key: [, tenant] }: Noted<KeyOf<typeof samlClients>>): TenantNumber => tenant;

/** How many clients each tenant of an app has, by the number of the tenant; those without clients are missing. */
export async function countClients(store: Store, app: AppNumber): Promise<ReadonlyMap<TenantNumber, number>> {
  const counts = new Map<TenantNumber, number>();
  const read = (page: PageRange) => store.read((reader) => reader.pageOfKeys(samlClients, undefined, { prefix: [app], ...page }));
  for await (const page of pagesOf(read, LIMITS.samlClientPage)) {
    for (const tenant of page.map(tenantIn)) counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  return counts;
}
