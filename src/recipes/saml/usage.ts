import { LIMITS } from '../../config/limits.ts';
import type { Key, Store } from '../../store/store.ts';
import { samlClients } from './records.ts';

/** How many clients each tenant of an app has, by the number of the tenant; those without clients are missing. */
export async function countClients(store: Store, app: number): Promise<ReadonlyMap<number, number>> {
  const counts = new Map<number, number>();
  for (let from: Key | undefined; ; ) {
    const range = { prefix: [app], limit: LIMITS.samlClientPage, ...(from && { from }) };
    const page = await store.read((reader) => reader.keys(samlClients, undefined, range));
    for (const [, tenant] of page) counts.set(Number(tenant), (counts.get(Number(tenant)) ?? 0) + 1);
    const last = page.at(-1);
    if (page.length < LIMITS.samlClientPage || !last) return counts;
    from = [...last, 0];
  }
}
