import { LIMITS } from '../../config/limits.ts';
import { type PageRange, pagesOf } from '../../store/pages.ts';
import type { Store } from '../../store/store.ts';
import { samlClients } from './records.ts';

/** How many clients each tenant of an app has, by the number of the tenant; those without clients are missing. */
export async function countClients(store: Store, app: number): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  const read = (page: PageRange) => store.read((reader) => reader.pageOfKeys(samlClients, undefined, { prefix: [app], ...page }));
  for await (const page of pagesOf(read, LIMITS.samlClientPage)) {
    for (const {
      key: [, tenant],
    } of page)
      counts.set(tenant, (counts.get(tenant) ?? 0) + 1);
  }
  return counts;
}
